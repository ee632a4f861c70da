// A shop with a Coinslot checkout, in Express. ../README.md says how to start it and what to replace.
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import express from "express";

const need = (name) => process.env[name] ?? process.exit(console.error(`${name} is not set`) ?? 1);
const checkout = process.env.COINSLOT_URL ?? "http://localhost:8080";
const secretKey = need("COINSLOT_SECRET_KEY");
const hookKey = Buffer.from(need("COINSLOT_WEBHOOK_SECRET").replace(/^whsec_/, ""), "base64");
const shop = process.env.SHOP_URL ?? "http://127.0.0.1:3000";
if (hookKey.length < 24) throw new Error("COINSLOT_WEBHOOK_SECRET is too short");

// Prices are in US cents. Only the server's prices count.
const goods = { notebook: ["Notebook", 1400], pencils: ["Pencils", 950], postcards: ["Postcards", 420] };
const dollars = (cents) => `${Math.trunc(cents / 100)}.${String(cents % 100).padStart(2, "0")}`;
const newNumber = () => randomBytes(8).toString("hex");
// In place of two tables: orders, and events with a unique index on their id.
const orders = new Map(), events = new Set();

const app = express();
app.use(express.static(`${import.meta.dirname}/public`));

// Returns the id of an order's session. With the same idempotency key, a repeated call returns the same session.
async function openSession(order) {
  const answer = await fetch(`${checkout}/v1/sessions`, {
    method: "POST",
    headers: { Authorization: `Bearer ${secretKey}`, "Content-Type": "application/json", "Idempotency-Key": order.id },
    body: JSON.stringify({
      amount_usd: order.amount, order_ref: order.id, title: order.title, success_url: `${shop}/orders/${order.id}/thanks`,
    }),
    redirect: "error", // so that the key reaches only the checkout
    signal: AbortSignal.timeout(10_000),
  });
  const { id, code } = await answer.json();
  return id ?? Promise.reject(new Error(`status ${answer.status} ${code}`));
}

// Reports whether the checkout signed the raw body within five minutes of now.
function signed(headers, body) {
  const id = headers["webhook-id"], stamp = headers["webhook-timestamp"] ?? "";
  if (!id || !/^\d{1,12}$/.test(stamp) || Math.abs(Date.now() / 1000 - stamp) > 300) return false;
  const want = createHmac("sha256", hookKey).update(`${id}.${stamp}.`).update(body).digest();
  return (headers["webhook-signature"] ?? "").split(" ").some((part) => { // several while the secret is rotated
    const got = Buffer.from(part.startsWith("v1,") ? part.slice(3) : "", "base64");
    return got.length === want.length && timingSafeEqual(got, want);
  });
}

app.get("/", (request, response) => response.send(page(`<h1>Things to write with</h1>
  <form method="post" action="/orders">
    <input type="hidden" name="order" value="${newNumber()}">
    <div class="card">${Object.entries(goods).map(([key, [name, cents]]) => `
      <label class="row"><b>${name}</b> <span class="price">$${dollars(cents)}</span>
        <input type="number" name="${key}" value="0" min="0" max="9"></label>`).join("")}
    </div>
    <button class="button wide">Check out</button>
  </form>`)));

// Stores an order, creates its session, and leads to its page. A form that is sent twice is one order.
app.post("/orders", express.urlencoded(), async (request, response) => {
  const form = request.body ?? {}, cart = Object.keys(goods).filter((key) => /^[1-9]$/.test(form[key]));
  if (!cart.length || !/^[0-9a-f]{16}$/.test(form.order)) return response.redirect(303, "/");
  const title = cart.map((key) => `${form[key]} × ${goods[key][0]}`).join(", ");
  const amount = dollars(cart.reduce((sum, key) => sum + form[key] * goods[key][1], 0));
  let order = orders.get(form.order);
  if (order?.title !== title) { // another cart is another order
    order = { id: order ? newNumber() : form.order, title, amount, paid: false };
    orders.set(order.id, order);
  }
  try {
    order.session ??= await openSession(order);
  } catch (error) {
    console.error(`order ${order.id}: creating a session: ${error.message}`);
    return response.status(502).send("The checkout does not answer. Nothing was charged; please go back and try again.");
  }
  response.redirect(303, `/orders/${order.id}`);
});

// Shows an order by the shop's own records. The address proves nothing, even with status=confirmed.
app.get("/orders/:id{/:thanks}", ({ params: { id, thanks } }, response) => {
  const order = orders.get(id), url = `${checkout}/checkout/${order?.session}`;
  if (!order) return response.sendStatus(404);
  response.send(page(`<h1>${order.paid ? "Thank you" : thanks ? "One moment" : "Your order"}</h1>
    <p class="state" data-state="${order.paid ? "paid" : "open"}">${order.paid ? "Paid" : "Not paid yet"}</p>
    <p class="card row"><span>${order.title}</span> <b class="price total">$${order.amount}</b></p>
    ${order.paid ? `<a class="button quiet" href="${url}/receipt">Receipt</a>` : thanks ? "" : `
    <coinslot-checkout class="pay" session="${order.session}" return-url="/orders/${id}/thanks">
      <iframe src="${url}?embed=inline&origin=${shop}&lang=en"
        name="coinslot-checkout" title="Checkout" allow="clipboard-write"
        sandbox="allow-scripts allow-same-origin allow-forms allow-popups allow-popups-to-escape-sandbox"
        width="100%" height="420" frameborder="0"></iframe>
    </coinslot-checkout>`}`, thanks && !order.paid && `<meta http-equiv="refresh" content="2">`));
});

// Marks an order as paid, once. If the status is not 2xx, the checkout sends the event again.
app.post("/hooks/coinslot", express.raw({ type: "*/*", limit: "1mb" }), (request, response) => {
  if (!signed(request.headers, request.body)) return response.sendStatus(401);
  const { type, data } = JSON.parse(request.body), order = orders.get(data.order_ref), id = request.headers["webhook-id"];
  const payment = `order "${data.order_ref}", amount "${data.amount_usd}"`;
  if (type !== "checkout.confirmed") return response.sendStatus(204);
  if (data.test && process.env.SHOP_TEST !== "1") {
    console.error(`${payment}: rejected play money; SHOP_TEST=1 accepts it`);
  } else if (order?.amount !== data.amount_usd) {
    console.error(`${payment}: the shop has no such order: needs review`);
    if (data.order_ref && !order) return response.sendStatus(503); // it may not be stored yet
  } else if (!order.paid && !events.has(id)) {
    order.paid = true;
    events.add(id);
    console.log(`order ${order.id} is paid: ship it`);
  }
  response.sendStatus(204);
});

// All values in pages are the shop's own, so none is escaped.
const page = (main, head) => `<!doctype html>
<html lang="en">
<meta charset="utf-8"><title>Paper Tern</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy"
  content="default-src 'none'; style-src 'self'; script-src ${checkout}; frame-src ${checkout}">
${head || ""}
<link rel="stylesheet" href="/shop.css">
<script async src="${checkout}/checkout.js"></script>
<header><a href="/">Paper Tern</a></header>
<main>${main}</main>`;

const [host, port] = (process.env.SHOP_LISTEN ?? "127.0.0.1:3000").split(":");
app.listen(Number(port), host, () => console.log(`open ${shop}`));
