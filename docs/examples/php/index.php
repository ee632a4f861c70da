<?php
// A shop with a Coinslot checkout, for PHP 8.1 or newer, without any package.
//
//   export COINSLOT_URL=http://localhost:8080    # the checkout's COINSLOT_PUBLIC_URL
//   export COINSLOT_SECRET_KEY=...               # the same value
//   export COINSLOT_WEBHOOK_SECRET=whsec_...     # the same value
//   php -S 127.0.0.1:3000 docs/examples/php/index.php
//
// Browsers reach it at SHOP_URL (http://127.0.0.1:3000). It keeps orders in the file SHOP_ORDERS. In the checkout, set
// COINSLOT_ORIGINS to SHOP_URL and COINSLOT_WEBHOOK_URL to SHOP_URL/hooks/coinslot. SHOP_TEST=1 accepts play money: never
// set it in production.
//
// Copy coinslot.php into your shop. orders.php stands for your database, and the goods below for your products. Behind
// another server, send every request to this file.

declare(strict_types=1);

require __DIR__ . '/coinslot.php';
require __DIR__ . '/orders.php';
require __DIR__ . '/pages.php';

// Only the server's prices count.
const GOODS = [
    'notebook' => ['name' => 'Notebook', 'about' => 'Stitched, 144 pages, lies flat', 'cents' => 1400],
    'pencils' => ['name' => 'Pencils', 'about' => 'Six, in a tin', 'cents' => 950],
    'postcards' => ['name' => 'Postcards', 'about' => 'Ten birds of the coast', 'cents' => 420],
];

// dollars formats cents for the checkout: "14.00".
function dollars(int $cents): string
{
    return sprintf('%d.%02d', intdiv($cents, 100), $cents % 100);
}

// setting returns an environment variable or its default; without a default it is required.
function setting(string $name, string $standard = ''): string
{
    $value = getenv($name) ?: $standard;
    if ($value === '') {
        error_log("shop: $name is not set");
        answer(500, 'The shop is not set up.');
    }
    return $value;
}

function answer(int $status, string $text = ''): never
{
    http_response_code($status);
    header('Content-Type: text/plain; charset=utf-8');
    exit($text);
}

function redirect(string $path): never
{
    header("Location: $path");
    answer(303);
}

// cart reads the quantities from the form; names and prices are the server's own.
function cart(array $form): array
{
    [$names, $cents] = [[], 0];
    foreach (GOODS as $id => $product) {
        $n = filter_var($form[$id] ?? 0, FILTER_VALIDATE_INT, ['options' => ['min_range' => 1, 'max_range' => 9]]);
        if ($n !== false) {
            $names[] = "$n × {$product['name']}";
            $cents += $n * $product['cents'];
        }
    }
    return ['id' => $form['order'] ?? '', 'title' => implode(', ', $names), 'cents' => $cents];
}

// buy stores the order, creates its session and redirects to its page. A form that is sent twice is one order.
function buy(string $checkout): never
{
    $requested = cart($_POST);
    if ($requested['cents'] === 0 || !is_string($requested['id']) || !preg_match('/^[0-9a-f]{16}$/D', $requested['id'])) {
        redirect('/');
    }
    $order = add_order($requested);
    if ($order['session'] === '') {
        $thanks = setting('SHOP_URL', 'http://127.0.0.1:3000') . "/orders/{$order['id']}/thanks";
        $session = open_session($checkout, setting('COINSLOT_SECRET_KEY'), $order, $thanks);
        if ($session === null) {
            answer(502, 'The checkout does not answer. Nothing was charged; please go back and try again.');
        }
        set_session($order['id'], $session);
    }
    redirect("/orders/{$order['id']}");
}

// receive_webhook handles a webhook. If the status is not 2xx, the checkout sends it again.
function receive_webhook(): never
{
    $id = $_SERVER['HTTP_WEBHOOK_ID'] ?? '';
    $event = verify(setting('COINSLOT_WEBHOOK_SECRET'), $id, $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '',
        $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '', file_get_contents('php://input', length: 1 << 20));
    if ($event === null) {
        answer(401, 'not signed by the checkout');
    }
    // docs/webhooks.md lists the other types.
    answer($event['type'] === 'checkout.confirmed' ? record_payment($id, $event['data']) : 204);
}

// record_payment marks the order as paid and returns the status of the response. Money that fits no order is logged for an
// operator.
function record_payment(string $id, array $data): int
{
    ['order_ref' => $ref, 'amount_usd' => $amount] = $data;
    $payment = 'shop: order ' . json_encode($ref) . ', amount ' . json_encode($amount);
    if ($data['test'] && getenv('SHOP_TEST') !== '1') {
        error_log("$payment: rejected play money; SHOP_TEST=1 accepts it");
        return 204;
    }
    $result = pay($id, $ref, $amount);
    if ($result === 'paid') {
        error_log("shop: order $ref is paid: ship it");
    } elseif ($result !== 'again') {
        error_log("$payment: the order is $result: needs review");
    }
    return $result === 'unknown' && $ref !== '' ? 503 : 204; // it may not be stored yet; an order of a catalog item has no order_ref
}

// show_order shows an order with its checkout, or its status from the shop's own records. It ignores the rest of the
// address, like status=confirmed.
function show_order(string $checkout, string $id, bool $thanks): never
{
    $order = find($id);
    if ($order === null || $order['session'] === '') {
        answer(404, 'There is no such order.');
    }
    if (!$thanks && $order['paid']) {
        redirect("/orders/$id/thanks");
    }
    $thanks ? thanks_page($checkout, $order) : order_page($checkout, $order);
    exit;
}

$checkout = setting('COINSLOT_URL', 'http://localhost:8080');
$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
switch ("{$_SERVER['REQUEST_METHOD']} $path") {
    case 'GET /':
        goods_page($checkout);
        exit;
    case 'GET /shop.css':
        header('Content-Type: text/css');
        readfile(__DIR__ . '/shop.css');
        exit;
    case 'POST /orders':
        buy($checkout);
    case 'POST /hooks/coinslot':
        receive_webhook();
}
if ($_SERVER['REQUEST_METHOD'] === 'GET' && preg_match('#^/orders/([0-9a-f]{16})(/thanks)?$#D', $path, $found)) {
    show_order($checkout, $found[1], isset($found[2]));
}
answer(404, 'There is nothing here.');
