@php($checkout = config('services.coinslot.url'))
<!doctype html><html lang="en">
<meta charset="utf-8"><title>Paper Tern</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'self'; script-src {{ $checkout }}; frame-src {{ $checkout }}">
@if (isset($order) && $thanks && !$order->paid)<meta http-equiv="refresh" content="2">@endif
<link rel="stylesheet" href="/shop.css">
<script async src="{{ $checkout }}/checkout.js"></script>
<header><a href="/">Paper Tern</a></header>
<main>
@if (!isset($order))
  <h1>Things to write with</h1>
  <form method="post" action="/orders">
    <input type="hidden" name="order" value="{{ $number }}">
    <div class="card">
      @foreach ($goods as $key => [$name, $cents])
      <label class="row"><b>{{ $name }}</b> ${{ sprintf('%d.%02d', intdiv($cents, 100), $cents % 100) }}
        <input type="number" name="{{ $key }}" value="0" min="0" max="9"></label>
      @endforeach
    </div>
    <button class="button wide">Check out</button>
  </form>
@else
  <h1>{{ $order->paid ? 'Thank you' : ($thanks ? 'One moment' : 'Your order') }}</h1>
  <p class="state" data-state="{{ $order->paid ? 'paid' : 'open' }}">{{ $order->paid ? 'Paid' : 'Not paid yet' }}</p>
  <p class="card row"><span>{{ $order->title }}</span> <b class="price total">${{ $order->amount }}</b></p>
  @if ($order->paid)
  <a class="button quiet" href="{{ $checkout }}/checkout/{{ $order->session }}/receipt">Receipt</a>
  @elseif (!$thanks)
  <coinslot-checkout class="pay" session="{{ $order->session }}" return-url="/orders/{{ $order->id }}/thanks">
    <iframe src="{{ $checkout }}/checkout/{{ $order->session }}?embed=inline&origin={{ config('app.url') }}&lang=en"
      name="coinslot-checkout" title="Checkout" allow="clipboard-write"
      sandbox="allow-scripts allow-same-origin allow-forms allow-popups allow-popups-to-escape-sandbox"
      width="100%" height="420" frameborder="0"></iframe>
  </coinslot-checkout>
  @endif
@endif
</main>
