<?php
// Copy this file into your shop: it creates sessions and verifies webhooks.

declare(strict_types=1);

// open_session creates the session of an order and returns its id, or null if the checkout does not answer. The order
// number is the idempotency key, so a repeated call returns the same session.
function open_session(string $checkout, string $key, array $order, string $thanks): ?string
{
    $answer = @file_get_contents("$checkout/v1/sessions", false, stream_context_create(['http' => [
        'method' => 'POST',
        'header' => ["Authorization: Bearer $key", 'Content-Type: application/json', "Idempotency-Key: {$order['id']}"],
        'content' => json_encode([
            'amount_usd' => dollars($order['cents']), 'order_ref' => $order['id'], 'title' => $order['title'], 'success_url' => $thanks,
        ], JSON_THROW_ON_ERROR),
        'timeout' => 10,
        'follow_location' => 0, // so that the key reaches only the checkout
        'ignore_errors' => true,
    ]]));
    $session = $answer === false ? null : json_decode($answer, true);
    if (!isset($session['id'])) {
        error_log("shop: order {$order['id']}: creating a session: " . ($session['code'] ?? 'no answer'));
        return null;
    }
    return $session['id'];
}

// verify returns the event if a raw body was signed with the secret ("whsec_…") within five minutes of now, and null
// otherwise. There are several signatures while the secret is rotated.
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
