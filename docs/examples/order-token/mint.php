<?php
// Prints an order token: php mint.php 25.00 1001
$key = (string) getenv('COINSLOT_ORDER_KEY');
if (strlen($key) < 32 || $argc !== 3) {
    fwrite(STDERR, "usage: COINSLOT_ORDER_KEY=… php mint.php AMOUNT REF\n");
    exit(2);
}
$encode = fn (string $raw): string => rtrim(strtr(base64_encode($raw), '+/', '-_'), '=');
$json = fn (array $value): string => json_encode($value, JSON_THROW_ON_ERROR);
$claims = [
    'amount_usd' => $argv[1], // text, never a number
    'order_ref' => $argv[2],
    'exp' => time() + 3600,
];
$signed = $encode($json(['alg' => 'HS256', 'typ' => 'JWT'])) . '.' . $encode($json($claims));
echo $signed . '.' . $encode(hash_hmac('sha256', $signed, $key, true)) . "\n";
