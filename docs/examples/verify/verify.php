<?php
declare(strict_types=1);

/**
 * Returns what a receipt says if it proves that the order is paid, and throws an UnexpectedValueException otherwise. $keys
 * is what GET /.well-known/jwks.json of your checkout answers (json_decode with true), $issuer its COINSLOT_PUBLIC_URL;
 * $orderRef, $amount (text with all digits of its currency: "25.00") and $currency are of your own database.
 */
function verify_receipt(
    string $text, array $keys, string $issuer, string $orderRef, string $amount, bool $test = false, string $currency = 'USD'
): array {
    $part = explode('.', $text);
    receipt_need(count($part) === 3, 'not three parts');
    $header = receipt_decode($part[0]);
    receipt_need(($header['alg'] ?? '') === 'EdDSA' && ($header['typ'] ?? '') === 'coinslot-receipt+jwt', 'another algorithm or type');
    $key = '';
    foreach ($keys['keys'] as $jwk) {
        if ($jwk['kid'] === ($header['kid'] ?? '') && $jwk['kty'] === 'OKP' && $jwk['crv'] === 'Ed25519') {
            $key = receipt_unpack($jwk['x']);
        }
    }
    receipt_need(strlen($key) === SODIUM_CRYPTO_SIGN_PUBLICKEYBYTES, 'signed with a key that is not known');
    $signature = receipt_unpack($part[2]);
    receipt_need(
        strlen($signature) === SODIUM_CRYPTO_SIGN_BYTES && sodium_crypto_sign_verify_detached($signature, "$part[0].$part[1]", $key),
        'the signature does not match'
    );
    $claims = receipt_decode($part[1]);
    receipt_need(($claims['iss'] ?? '') === $issuer, 'of another checkout');
    receipt_need(($claims['status'] ?? '') === 'confirmed', 'not confirmed');
    receipt_need($orderRef !== '' && ($claims['order_ref'] ?? '') === $orderRef, 'of another order');
    receipt_need(($claims['amount'] ?? '') === $amount && ($claims['currency'] ?? '') === $currency, 'of another amount');
    receipt_need(($claims['test'] ?? true) === false || $test, 'no real money has moved');
    return $claims;
}

function receipt_need(bool $so, string $why): void
{
    if (!$so) {
        throw new UnexpectedValueException("receipt: $why");
    }
}

function receipt_unpack(string $part): string
{
    try {
        return sodium_base642bin($part, SODIUM_BASE64_VARIANT_URLSAFE_NO_PADDING);
    } catch (SodiumException) {
        throw new UnexpectedValueException('receipt: cannot be read');
    }
}

function receipt_decode(string $part): array
{
    $value = json_decode(receipt_unpack($part), true, 8); // null if it is no JSON
    receipt_need(is_array($value) && !array_is_list($value), 'cannot be read');
    return $value;
}
