<?php
// A shop with a Coinslot checkout, for PHP 8.1 or newer, without any package.
//
//   export COINSLOT_URL=http://localhost:8080    # the checkout's COINSLOT_PUBLIC_URL
//   export COINSLOT_SECRET_KEY=...               # as there
//   export COINSLOT_WEBHOOK_SECRET=whsec_...     # as there
//   php -S 127.0.0.1:3000 docs/examples/php/index.php
//
// Browsers reach it under SHOP_URL (http://127.0.0.1:3000); orders are kept in the file SHOP_ORDERS. The checkout is
// told of it by its settings COINSLOT_ORIGINS (SHOP_URL) and COINSLOT_WEBHOOK_URL (SHOP_URL/hooks/coinslot). SHOP_TEST=1
// takes play money, too: never in production.
//
// coinslot.php is what a shop of your own needs; orders.php stands for your database, and the goods below for your
// catalogue. Behind another server, send every request to this file.

declare(strict_types=1);

require __DIR__ . '/coinslot.php';
require __DIR__ . '/orders.php';
require __DIR__ . '/pages.php';

// Prices are whole cents, and only the server's count.
const GOODS = [
    'notebook' => ['name' => 'Notebook', 'about' => 'Stitched, 144 pages, lies flat', 'cents' => 1400],
    'pencils' => ['name' => 'Pencils', 'about' => 'Six, in a tin', 'cents' => 950],
    'postcards' => ['name' => 'Postcards', 'about' => 'Ten birds of the coast', 'cents' => 420],
];

// dollars writes cents as the checkout wants them: "14.00".
function dollars(int $cents): string
{
    return sprintf('%d.%02d', intdiv($cents, 100), $cents % 100);
}

// setting reads the environment; without a usual value it has to be there.
function setting(string $name, string $usual = ''): string
{
    $value = getenv($name) ?: $usual;
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

function lead_to(string $path): never
{
    header("Location: $path");
    answer(303);
}

// cart reads how many of what was chosen; names and prices are the server's own.
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

// buy stores the order, opens its session and leads to its page. A form that is sent twice is one order.
function buy(string $checkout): never
{
    $wanted = cart($_POST);
    if ($wanted['cents'] === 0 || !is_string($wanted['id']) || !preg_match('/^[0-9a-f]{16}$/D', $wanted['id'])) {
        lead_to('/');
    }
    $order = place($wanted);
    if ($order['session'] === '') {
        $thanks = setting('SHOP_URL', 'http://127.0.0.1:3000') . "/orders/{$order['id']}/thanks";
        $session = open_session($checkout, setting('COINSLOT_SECRET_KEY'), $order, $thanks);
        if ($session === null) {
            answer(502, 'The checkout does not answer. Nothing was charged; please go back and try again.');
        }
        opened($order['id'], $session);
    }
    lead_to("/orders/{$order['id']}");
}

// hear takes what the checkout tells. An answer other than 2xx means: send it again.
function hear(): never
{
    $id = $_SERVER['HTTP_WEBHOOK_ID'] ?? '';
    $event = verify(setting('COINSLOT_WEBHOOK_SECRET'), $id, $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '',
        $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '', file_get_contents('php://input', length: 1 << 20));
    if ($event === null) {
        answer(401, 'not signed by the checkout');
    }
    // Other types tell how it goes on; docs/webhooks.md lists them.
    answer($event['type'] === 'checkout.confirmed' ? book($id, $event['data']) : 204);
}

// book books a payment and returns the status to answer. Money that fits no order is logged, for a person has to look.
function book(string $id, array $data): int
{
    ['order_ref' => $ref, 'amount_usd' => $amount] = $data;
    $payment = 'shop: order ' . json_encode($ref) . ', amount ' . json_encode($amount);
    if ($data['test'] && getenv('SHOP_TEST') !== '1') {
        error_log("$payment: refused, it is play money; SHOP_TEST=1 takes it");
        return 204;
    }
    $booked = pay($id, $ref, $amount);
    if ($booked === 'paid') {
        error_log("shop: order $ref is paid: send it off");
    } elseif ($booked !== 'again') {
        error_log("$payment: the order is $booked: a person has to look");
    }
    return $booked === 'unknown' && $ref !== '' ? 503 : 204; // it may not be stored yet; an item of the catalogue never is
}

// show_order shows an order: with its checkout until it is paid, or how it stands in the shop's own books. What else the
// address says, like status=confirmed, counts for nothing.
function show_order(string $checkout, string $id, bool $thanks): never
{
    $order = find($id);
    if ($order === null || $order['session'] === '') {
        answer(404, 'There is no such order.');
    }
    if (!$thanks && $order['paid']) {
        lead_to("/orders/$id/thanks");
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
        hear();
}
if ($_SERVER['REQUEST_METHOD'] === 'GET' && preg_match('#^/orders/([0-9a-f]{16})(/thanks)?$#D', $path, $found)) {
    show_order($checkout, $found[1], isset($found[2]));
}
answer(404, 'There is nothing here.');
