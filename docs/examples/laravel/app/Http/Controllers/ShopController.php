<?php
namespace App\Http\Controllers;

use Illuminate\Http\Request;
use Illuminate\Support\Facades\{DB, Http, Log};

class ShopController
{
    // Prices are in US cents. Only the server's prices count.
    public const GOODS = ['notebook' => ['Notebook', 1400], 'pencils' => ['Pencils', 950], 'postcards' => ['Postcards', 420]];

    // Stores an order, creates its session, and leads to its page. A form that is sent twice is one order.
    public function buy(Request $request)
    {
        $number = (string) $request->input('order');
        $cart = collect(self::GOODS)->map(fn ($item, $key) => [(string) $request->input($key), ...$item])
            ->filter(fn ($line) => preg_match('/^[1-9]$/D', $line[0]));
        if ($cart->isEmpty() || !preg_match('/^[0-9a-f]{16}$/D', $number)) {
            return redirect('/', 303);
        }
        $title = $cart->map(fn ($line) => "$line[0] × $line[1]")->join(', ');
        $cents = $cart->sum(fn ($line) => $line[0] * $line[2]);
        if (DB::table('orders')->where('id', $number)->where('title', '<>', $title)->exists()) {
            $number = bin2hex(random_bytes(8)); // another cart is another order
        }
        $order = ['id' => $number, 'title' => $title, 'amount' => sprintf('%d.%02d', intdiv($cents, 100), $cents % 100)];
        DB::table('orders')->insertOrIgnore($order);
        $session = rescue(fn () => $this->openSession($order)) ?? abort(502, 'The checkout does not answer.');
        DB::table('orders')->where('id', $number)->update(['session' => $session]);
        return redirect("/orders/$number", 303);
    }

    // The idempotency key makes a repeated call return the same session. The secret key follows no redirect.
    private function openSession(array $order): ?string
    {
        return Http::withToken(config('services.coinslot.key'))->withHeaders(['Idempotency-Key' => $order['id']])
            ->withoutRedirecting()->timeout(10)->post(config('services.coinslot.url') . '/v1/sessions', [
                'amount_usd' => $order['amount'], 'order_ref' => $order['id'], 'title' => $order['title'],
                'success_url' => config('app.url') . "/orders/{$order['id']}/thanks",
            ])->throw()->json('id');
    }

    // Shows an order by the shop's own records. The address proves nothing, even with status=confirmed.
    public function show(string $number, ?string $thanks = null)
    {
        $order = DB::table('orders')->find($number) ?? abort(404);
        return view('shop', ['order' => $order, 'thanks' => $thanks]);
    }

    // Marks an order as paid, once. If the status is not 2xx, the checkout sends the event again.
    public function webhook(Request $request)
    {
        abort_unless($this->signed($request), 401);
        ['type' => $type, 'data' => $data] = json_decode($request->getContent(), true);
        if ($type !== 'checkout.confirmed') {
            return response()->noContent();
        }
        $order = DB::table('orders')->find($data['order_ref']);
        $payment = "order \"{$data['order_ref']}\", amount \"{$data['amount_usd']}\"";
        if ($data['test'] && !config('services.coinslot.test')) {
            Log::error("$payment: rejected play money; SHOP_TEST=1 accepts it");
        } elseif ($order?->amount !== $data['amount_usd']) {
            Log::error("$payment: the shop has no such order: needs review");
            return response()->noContent($data['order_ref'] !== '' && !$order ? 503 : 204); // 503: it may not be stored yet
        } else {
            DB::transaction(function () use ($request, $order) {
                $new = DB::table('events')->insertOrIgnore(['id' => $request->header('webhook-id')]);
                if ($new && DB::table('orders')->where(['id' => $order->id, 'paid' => false])->update(['paid' => true])) {
                    Log::info("order $order->id is paid: ship it");
                }
            });
        }
        return response()->noContent();
    }

    // Reports whether the checkout signed the raw body within five minutes of now.
    private function signed(Request $request): bool
    {
        [$id, $stamp] = [$request->header('webhook-id', ''), $request->header('webhook-timestamp', '')];
        $key = base64_decode(preg_replace('/^whsec_/', '', config('services.coinslot.webhook_secret')), true) ?: '';
        if ($id === '' || !preg_match('/^\d{1,12}$/D', $stamp) || abs(time() - $stamp) > 300 || strlen($key) < 24) {
            return false;
        }
        $want = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$stamp.{$request->getContent()}", $key, true));
        $signatures = explode(' ', $request->header('webhook-signature', '')); // several while the secret is rotated
        return in_array(true, array_map(fn ($got) => hash_equals($want, $got), $signatures), true);
    }
}
