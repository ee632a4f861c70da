# A shop with a Coinslot checkout, in Sinatra. ../README.md says how to start it and what to replace.
require "json"
require "net/http"
require "openssl"
require "securerandom"
require "sinatra"

CHECKOUT = ENV.fetch("COINSLOT_URL", "http://localhost:8080")
SECRET_KEY = ENV.fetch("COINSLOT_SECRET_KEY")
HOOK_KEY = ENV.fetch("COINSLOT_WEBHOOK_SECRET").delete_prefix("whsec_").unpack1("m0")
abort "COINSLOT_WEBHOOK_SECRET is too short" if HOOK_KEY.bytesize < 24
SHOP = ENV.fetch("SHOP_URL", "http://127.0.0.1:3000")

# Prices are in US cents. Only the server's prices count.
GOODS = { "notebook" => ["Notebook", 1400], "pencils" => ["Pencils", 950], "postcards" => ["Postcards", 420] }
# In place of two tables: orders, and events with a unique index on their id.
ORDERS, EVENTS, LOCK = {}, {}, Mutex.new

def dollars(cents) = format("%d.%02d", *cents.divmod(100))

# Returns the id of an order's session. With the same idempotency key, a repeated call returns the same session.
# Net::HTTP follows no redirects, so the key reaches only the checkout.
def open_session(order)
  body = { amount_usd: order[:amount], order_ref: order[:id], title: order[:title],
           success_url: "#{SHOP}/orders/#{order[:id]}/thanks" }
  answer = Net::HTTP.post(URI("#{CHECKOUT}/v1/sessions"), body.to_json, "Authorization" => "Bearer #{SECRET_KEY}",
    "Content-Type" => "application/json", "Idempotency-Key" => order[:id])
  JSON.parse(answer.body).fetch("id")
end

# Reports whether the checkout signed the raw body within five minutes of now.
def signed?(id, stamp, signatures, body)
  return false if id.empty? || !stamp.match?(/\A[0-9]{1,12}\z/) || (Time.now.to_i - stamp.to_i).abs > 300
  want = "v1," + [OpenSSL::HMAC.digest("SHA256", HOOK_KEY, "#{id}.#{stamp}.".b + body)].pack("m0")
  signatures.split.any? { |got| Rack::Utils.secure_compare(got, want) } # several while the secret is rotated
end

get "/" do
  erb :goods
end

# Stores an order, creates its session, and leads to its page. A form that is sent twice is one order.
post "/orders" do
  number, cart = params["order"].to_s, GOODS.filter { |key, _| params[key].to_s.match?(/\A[1-9]\z/) }
  redirect "/", 303 if cart.empty? || !number.match?(/\A[0-9a-f]{16}\z/)
  title = cart.map { |key, (name, _)| "#{params[key]} × #{name}" }.join(", ")
  amount = dollars(cart.sum { |key, (_, cents)| params[key].to_i * cents })
  order = LOCK.synchronize do
    number = SecureRandom.hex(8) if ORDERS.key?(number) && ORDERS[number][:title] != title
    ORDERS[number] ||= { id: number, title: title, amount: amount, paid: false }
  end
  begin
    order[:session] = open_session(order)
  rescue SystemCallError, Timeout::Error, JSON::ParserError, KeyError => error
    logger.error "order #{number}: creating a session: #{error.message}"
    halt 502, "The checkout does not answer. Nothing was charged; please go back and try again."
  end
  redirect "/orders/#{number}", 303
end

# Shows an order by the shop's own records. The address proves nothing, even with status=confirmed.
get %r{/orders/([0-9a-f]{16})(/thanks)?} do |number, thanks|
  @order, @thanks = ORDERS[number] || halt(404), thanks
  erb :order
end

# Marks an order as paid, once. If the status is not 2xx, the checkout sends the event again.
post "/hooks/coinslot" do
  body, id = request.body.read, request.env["HTTP_WEBHOOK_ID"].to_s
  halt 401 unless signed?(id, request.env["HTTP_WEBHOOK_TIMESTAMP"].to_s, request.env["HTTP_WEBHOOK_SIGNATURE"].to_s, body)
  type, data = JSON.parse(body).values_at("type", "data")
  halt 204 if type != "checkout.confirmed"
  ref, amount, order = data["order_ref"], data["amount_usd"], ORDERS[data["order_ref"]]
  if data["test"] && ENV["SHOP_TEST"] != "1"
    logger.error %(order "#{ref}", amount "#{amount}": rejected play money; SHOP_TEST=1 accepts it)
  elsif order.nil? || order[:amount] != amount
    logger.error %(order "#{ref}", amount "#{amount}": the shop has no such order: needs review)
    halt 503 if order.nil? && !ref.empty? # it may not be stored yet
  else
    LOCK.synchronize do
      logger.info "order #{ref} is paid: ship it" unless order[:paid] || EVENTS[id]
      EVENTS[id] = order[:paid] = true
    end
  end
  204
end

__END__

@@ layout
<!doctype html>
<html lang="en">
<meta charset="utf-8"><title>Paper Tern</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy"
  content="default-src 'none'; style-src 'self'; script-src <%= CHECKOUT %>; frame-src <%= CHECKOUT %>">
<% if @thanks && !@order[:paid] %><meta http-equiv="refresh" content="2"><% end %>
<link rel="stylesheet" href="/shop.css">
<script async src="<%= CHECKOUT %>/checkout.js"></script>
<header><a href="/">Paper Tern</a></header>
<main><%= yield %></main>

@@ goods
<h1>Things to write with</h1>
<form method="post" action="/orders">
  <input type="hidden" name="order" value="<%= SecureRandom.hex(8) %>">
  <div class="card">
    <% GOODS.each do |key, (name, cents)| %>
    <label class="row"><b><%= name %></b> <span class="price">$<%= dollars(cents) %></span>
      <input type="number" name="<%= key %>" value="0" min="0" max="9"></label>
    <% end %>
  </div>
  <button class="button wide">Check out</button>
</form>

@@ order
<h1><%= @order[:paid] ? "Thank you" : @thanks ? "One moment" : "Your order" %></h1>
<p class="state" data-state="<%= @order[:paid] ? "paid" : "open" %>"><%= @order[:paid] ? "Paid" : "Not paid yet" %></p>
<p class="card row"><span><%= @order[:title] %></span> <b class="price total">$<%= @order[:amount] %></b></p>
<% if @order[:paid] %>
<a class="button quiet" href="<%= CHECKOUT %>/checkout/<%= @order[:session] %>/receipt">Receipt</a>
<% elsif !@thanks %>
<coinslot-checkout class="pay" session="<%= @order[:session] %>" return-url="/orders/<%= @order[:id] %>/thanks">
  <iframe src="<%= CHECKOUT %>/checkout/<%= @order[:session] %>?embed=inline&origin=<%= SHOP %>&lang=en"
    name="coinslot-checkout" title="Checkout" allow="clipboard-write"
    sandbox="allow-scripts allow-same-origin allow-forms allow-popups allow-popups-to-escape-sandbox"
    width="100%" height="420" frameborder="0"></iframe>
</coinslot-checkout>
<% end %>
