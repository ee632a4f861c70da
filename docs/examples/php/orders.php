<?php
// A store in a JSON file. Replace it with two tables: orders, and events with a unique index on the event id.

declare(strict_types=1);

// change locks the file, reads it, lets $edit change its content, and writes it. It returns the result of $edit.
function change(callable $edit): mixed
{
    $file = fopen(getenv('SHOP_ORDERS') ?: sys_get_temp_dir() . '/coinslot-shop.json', 'c+');
    flock($file, LOCK_EX);
    $stored = json_decode(stream_get_contents($file), true) ?? ['orders' => [], 'events' => []];
    $result = $edit($stored);
    rewind($file);
    ftruncate($file, 0);
    fwrite($file, json_encode($stored, JSON_THROW_ON_ERROR));
    fclose($file);
    return $result;
}

// new_id returns an order number, which is also the checkout's order_ref and can't be guessed.
function new_id(): string
{
    return bin2hex(random_bytes(8));
}

// add_order stores a new order. A repeated order returns the stored one; another cart with the same number gets a new
// number.
function add_order(array $order): array
{
    return change(function (array &$stored) use ($order): array {
        $before = $stored['orders'][$order['id']] ?? null;
        if ($before !== null && $before['title'] === $order['title']) {
            return $before;
        }
        $order = [...$order, 'id' => $before === null ? $order['id'] : new_id(), 'session' => '', 'paid' => false];
        return $stored['orders'][$order['id']] = $order;
    });
}

// set_session stores the session id of an order.
function set_session(string $id, string $session): void
{
    change(function (array &$stored) use ($id, $session): void {
        $stored['orders'][$id]['session'] = $session;
    });
}

function find(string $id): ?array
{
    return change(fn (array &$stored): ?array => $stored['orders'][$id] ?? null);
}

// pay marks an order as paid. It returns 'paid' the first time and 'again' afterwards, since an event may arrive twice;
// otherwise 'unknown' or 'of another amount'. In a database, do all of it in one transaction.
function pay(string $event, string $id, string $amount): string
{
    return change(function (array &$stored) use ($event, $id, $amount): string {
        $order = $stored['orders'][$id] ?? null;
        if ($order === null) {
            return 'unknown';
        }
        if (dollars($order['cents']) !== $amount) {
            return 'of another amount';
        }
        if ($order['paid'] || isset($stored['events'][$event])) {
            return 'again';
        }
        $stored['events'][$event] = true;
        $stored['orders'][$id]['paid'] = true;
        return 'paid';
    });
}
