<?php
// verify returns the event if a raw body (file_get_contents('php://input')) was signed with the secret ("whsec_…") within
// five minutes of now, and throws otherwise. $headers is getallheaders(); names have no case, values may be lists of one.
function verify(string $secret, array $headers, string $body, ?int $now = null): array
{
    $headers = array_change_key_case($headers);
    $header = function (string $name) use ($headers): string {
        $values = (array) ($headers[$name] ?? '');
        return count($values) === 1 ? (string) reset($values) : '';
    };
    $id = $header('webhook-id');
    $stamp = $header('webhook-timestamp');
    if ($id === '' || !preg_match('/^[0-9]{1,12}\z/', $stamp) || abs(($now ?? time()) - (int) $stamp) > 300) {
        throw new UnexpectedValueException('webhook: missing headers or old timestamp');
    }
    $key = base64_decode(preg_replace('/^whsec_/', '', $secret), true);
    if ($key === false || strlen($key) < 24) {
        throw new UnexpectedValueException('webhook: the secret is too short');
    }
    $want = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$stamp.$body", $key, true));
    $ours = false;
    foreach (explode(' ', $header('webhook-signature')) as $got) { // several while the secret is changed
        $ours = hash_equals($want, $got) || $ours;
    }
    if (!$ours) {
        throw new UnexpectedValueException('webhook: signature does not match');
    }
    return json_decode($body, true, 64, JSON_THROW_ON_ERROR);
}
