<?php
// The shop's pages.

declare(strict_types=1);

function e(string $text): string
{
    return htmlspecialchars($text, ENT_QUOTES | ENT_SUBSTITUTE, 'UTF-8');
}

// page writes a page with a strict policy: it allows only the checkout's script and frame.
function page(string $checkout, string $head, string $main): void
{
    header("Content-Security-Policy: default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; "
        . "script-src $checkout; frame-src $checkout");
    header('Cache-Control: no-store');
    header('Content-Type: text/html; charset=utf-8');
    echo <<<HTML
    <!doctype html>
    <html lang="en">
    <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>Paper Tern</title>
      <link rel="stylesheet" href="/shop.css">
      $head
    </head>
    <body>
      <header><a href="/">Paper Tern</a></header>
      <main>$main</main>
    </body>
    </html>
    HTML;
}

function summary(array $order): string
{
    return '<div class="card"><div class="row"><p>' . e($order['title']) . '</p><p class="price total">$' . dollars($order['cents']) . '</p></div></div>';
}

function state(array $order): string
{
    return $order['paid'] ? '<p class="state" data-state="paid">Paid</p>' : '<p class="state" data-state="open">Not paid yet</p>';
}

function row(string $id, array $product): string
{
    [$name, $about, $price] = [e($product['name']), e($product['about']), dollars($product['cents'])];
    return <<<HTML
    <div class="row">
      <div><h2>$name</h2><p class="soft">$about</p></div>
      <p class="price">\$$price</p>
      <input type="number" name="$id" value="0" min="0" max="9" aria-label="How many: $name">
    </div>
    HTML;
}

function goods_page(string $checkout): void
{
    $rows = implode('', array_map('row', array_keys(GOODS), GOODS));
    $id = new_id();
    page($checkout, '', <<<HTML
    <h1>Things to write with</h1>
    <p class="soft">Sent within two days. Pay with crypto.</p>
    <form method="post" action="/orders">
      <input type="hidden" name="order" value="$id">
      <div class="card">$rows</div>
      <button class="button wide">Check out</button>
    </form>
    HTML);
}

function order_page(string $checkout, array $order): void
{
    [$state, $summary] = [state($order), summary($order)];
    page($checkout, "<script async src=\"$checkout/checkout.js\"></script>", <<<HTML
    <h1>Order {$order['id']}</h1>
    $state
    $summary
    <div class="pay">
      <coinslot-checkout session="{$order['session']}" return-url="/orders/{$order['id']}/thanks">
        <a class="button" href="$checkout/checkout/{$order['session']}">Pay with crypto</a>
      </coinslot-checkout>
    </div>
    HTML);
}

function thanks_page(string $checkout, array $order): void
{
    [$state, $summary] = [state($order), summary($order)];
    $words = $order['paid']
        ? '<h1>Thank you</h1><p class="soft">Your order is paid and will be sent within two days.</p>'
        : '<h1>One moment</h1><p class="soft">Your payment has not arrived yet. This page updates by itself.</p>';
    $link = $order['paid']
        ? "<a class=\"button quiet\" href=\"$checkout/checkout/{$order['session']}/receipt\">Receipt</a>"
        : "<a class=\"button quiet\" href=\"/orders/{$order['id']}\">Back to the payment</a>";
    page($checkout, $order['paid'] ? '' : '<meta http-equiv="refresh" content="2">', <<<HTML
    $words
    $state
    $summary
    <p class="pay">$link</p>
    HTML);
}
