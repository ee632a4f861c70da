<?php
// What a shop of your own needs: opening a session, and checking what the checkout sends.

declare(strict_types=1);

// open_session opens the session of an order, or finds the one that is open already: the order's number is the
// idempotency key. It returns the session's id, and null if the checkout does not answer.
function open_session(string $checkout, string $key, array $order, string $thanks): ?string
{
    $answer = @file_get_contents("$checkout/v1/sessions", false, stream_context_create(['http' => [
        'method' => 'POST',
        'header' => ["Authorization: Bearer $key", 'Content-Type: application/json', "Idempotency-Key: {$order['id']}"],
        'content' => json_encode([
            'amount_usd' => dollars($order['cents']), 'order_ref' => $order['id'], 'title' => $order['title'], 'success_url' => $thanks,
        ], JSON_THROW_ON_ERROR),
        'timeout' => 10,
        'follow_location' => 0, // the key is for the checkout alone
        'ignore_errors' => true,
    ]]));
    $session = $answer === false ? null : json_decode($answer, true);
    if (!isset($session['id'])) {
        error_log("shop: order {$order['id']}: opening a session: " . ($session['code'] ?? 'no answer'));
        return null;
    }
    return $session['id'];
}

// verify returns the event if a raw body was signed with the secret ("whsec_…") within five minutes of now, and null
// otherwise. While a secret is changed there are several signatures.
function verify(string $secret, string $id, string $stamp, string $signatures, string $body): ?array
{
    $key = base64_decode(preg_replace('/^whsec_/', '', $secret), true);
    if ($key === false || strlen($key) < 24 || $id === '' || !preg_match('/^\d{1,12}$/D', $stamp) || abs(time() - (int) $stamp) > 300) {
        return null;
    }
    $want = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$stamp.$body", $key, true));
    foreach (explode(' ', $signatures) as $got) {
        if (hash_equals($want, $got)) {
            return json_decode($body, true);
        }
    }
    return null;
}
