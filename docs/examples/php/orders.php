<?php
// Orders, kept in a JSON file. Replace them by two tables: orders, and events with a unique index on the event's id.

declare(strict_types=1);

// change reads the file, lets $with change what is in it, and writes it; nobody else does so meanwhile. It returns
// what $with returns.
function change(callable $with): mixed
{
    $file = fopen(getenv('SHOP_ORDERS') ?: sys_get_temp_dir() . '/coinslot-shop.json', 'c+');
    flock($file, LOCK_EX);
    $stored = json_decode(stream_get_contents($file), true) ?? ['orders' => [], 'events' => []];
    $result = $with($stored);
    rewind($file);
    ftruncate($file, 0);
    fwrite($file, json_encode($stored, JSON_THROW_ON_ERROR));
    fclose($file);
    return $result;
}

// new_id is an order number: the shop's, and the order_ref by which the checkout knows it. It cannot be guessed.
function new_id(): string
{
    return bin2hex(random_bytes(8));
}

// place stores a new order. The same order again is the one that is there; another cart under the same number is an
// order of its own.
function place(array $order): array
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

// opened stores the session of an order.
function opened(string $id, string $session): void
{
    change(function (array &$stored) use ($id, $session): void {
        $stored['orders'][$id]['session'] = $session;
    });
}

function find(string $id): ?array
{
    return change(fn (array &$stored): ?array => $stored['orders'][$id] ?? null);
}

// pay marks an order as paid by an event. It returns 'paid' the first time and 'again' after it, since an event may come
// twice; otherwise 'unknown' or 'of another amount'. With a database, all of it is one transaction.
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
