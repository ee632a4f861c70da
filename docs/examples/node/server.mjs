// A shop with a Coinslot checkout, for Node 20 or newer, without any package.
//
//   export COINSLOT_URL=http://localhost:8080    # the checkout's COINSLOT_PUBLIC_URL
//   export COINSLOT_SECRET_KEY=...               # the same value
//   export COINSLOT_WEBHOOK_SECRET=whsec_...     # the same value
//   node docs/examples/node/server.mjs
//
// It listens on SHOP_LISTEN (127.0.0.1:3000), and browsers reach it at SHOP_URL (http://127.0.0.1:3000). In the checkout,
// set COINSLOT_ORIGINS to SHOP_URL and COINSLOT_WEBHOOK_URL to SHOP_URL/hooks/coinslot. SHOP_TEST=1 accepts play money:
// never set it in production.
//
// Copy coinslot.mjs into your shop. orders.mjs stands for your database, and the goods below for your products.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { openSession, verify } from "./coinslot.mjs";
import { addOrder, find, newId, pay } from "./orders.mjs";
import { goodsPage, orderPage, thanksPage } from "./pages.mjs";

// setting returns an environment variable or its default; without a default it is required.
function setting(name, standard) {
  const value = process.env[name] || standard;
  if (value) return value;
  console.error(`shop: ${name} is not set`);
  process.exit(1);
}

const checkout = { url: setting("COINSLOT_URL", "http://localhost:8080"), key: setting("COINSLOT_SECRET_KEY") };
const hookSecret = setting("COINSLOT_WEBHOOK_SECRET");
const playMoney = process.env.SHOP_TEST === "1";
const shop = setting("SHOP_URL", "http://127.0.0.1:3000");
const [host, port] = setting("SHOP_LISTEN", "127.0.0.1:3000").split(":");

// Only the server's prices count.
const dollars = (cents) => `${Math.trunc(cents / 100)}.${String(cents % 100).padStart(2, "0")}`;
const goods = [
  { id: "notebook", name: "Notebook", about: "Stitched, 144 pages, lies flat", cents: 1400 },
  { id: "pencils", name: "Pencils", about: "Six, in a tin", cents: 950 },
  { id: "postcards", name: "Postcards", about: "Ten birds of the coast", cents: 420 },
].map((product) => ({ ...product, price: dollars(product.cents) }));

// It allows only the checkout's script and frame.
const policy = "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; " +
  `script-src ${checkout.url}; frame-src ${checkout.url}`;

function show(response, html) {
  response.writeHead(200, { "Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store", "Content-Security-Policy": policy });
  response.end(html);
}

function answer(response, status, text = "", headers = {}) {
  response.writeHead(status, { "Content-Type": "text/plain; charset=utf-8", ...headers });
  response.end(text);
}

const redirect = (response, path) => answer(response, 303, "", { Location: path });

// read returns the raw body, of at most 1 MiB.
async function read(request) {
  const parts = [];
  let size = 0;
  for await (const part of request) {
    size += part.length;
    if (size > 1 << 20) throw new Error("the body is too large");
    parts.push(part);
  }
  return Buffer.concat(parts);
}

// cart reads the quantities from the form; names and prices are the server's own.
function cart(form) {
  const lines = goods.map((product) => ({ product, n: Number(form.get(product.id)) }))
    .filter(({ n }) => Number.isInteger(n) && n >= 1 && n <= 9);
  return {
    id: form.get("order") ?? "",
    title: lines.map(({ product, n }) => `${n} × ${product.name}`).join(", "),
    amount: dollars(lines.reduce((sum, { product, n }) => sum + n * product.cents, 0)),
  };
}

// buy stores the order, creates its session and redirects to its page. A form that is sent twice is one order.
async function buy(request, response) {
  const requested = cart(new URLSearchParams((await read(request)).toString("utf8")));
  if (!requested.title || !/^[0-9a-f]{16}$/.test(requested.id)) return redirect(response, "/");
  const order = addOrder(requested);
  try {
    order.session ||= await openSession(checkout, { ...order, thanks: `${shop}/orders/${order.id}/thanks` });
  } catch (error) {
    console.error(`shop: order ${order.id}: ${error.message}`);
    return answer(response, 502, "The checkout does not answer. Nothing was charged; please go back and try again.");
  }
  redirect(response, `/orders/${order.id}`);
}

// receiveWebhook handles a webhook. If the status is not 2xx, the checkout sends it again.
async function receiveWebhook(request, response) {
  let event;
  try {
    event = verify(hookSecret, request.headers, await read(request));
  } catch (error) {
    return answer(response, 401, error.message);
  }
  // docs/webhooks.md lists the other types.
  answer(response, event.type === "checkout.confirmed" ? recordPayment(event) : 204);
}

// recordPayment marks the order as paid and returns the status of the response. Money that fits no order is logged for an
// operator.
function recordPayment(event) {
  const { order_ref: ref, amount_usd: amount, test } = event.data;
  const payment = `shop: order ${JSON.stringify(ref)}, amount ${JSON.stringify(amount)}`;
  if (test && !playMoney) {
    console.error(`${payment}: rejected play money; SHOP_TEST=1 accepts it`);
    return 204;
  }
  const result = pay(event);
  if (result === "paid") console.log(`shop: order ${ref} is paid: ship it`);
  if (result !== "paid" && result !== "again") console.error(`${payment}: the order is ${result}: needs review`);
  return result === "unknown" && ref ? 503 : 204; // it may not be stored yet; an order of a catalog item has no order_ref
}

// showOrder shows an order with its checkout, or its status from the shop's own records. It ignores the rest of the
// address, like status=confirmed.
function showOrder(response, id, thanks) {
  const order = find(id);
  if (!order?.session) return answer(response, 404, "There is no such order.");
  if (thanks) return show(response, thanksPage(order, checkout.url));
  if (order.paid) return redirect(response, `/orders/${id}/thanks`);
  show(response, orderPage(order, checkout.url));
}

async function serve(request, response) {
  const { pathname } = new URL(request.url, shop);
  const [, id, thanks] = pathname.match(/^\/orders\/([0-9a-f]{16})(\/thanks)?$/) ?? [];
  switch (`${request.method} ${pathname}`) {
    case "GET /": return show(response, goodsPage(goods, newId()));
    case "GET /shop.css": return answer(response, 200, readFileSync(new URL("shop.css", import.meta.url)), { "Content-Type": "text/css" });
    case "POST /orders": return buy(request, response);
    case "POST /hooks/coinslot": return receiveWebhook(request, response);
  }
  if (id && request.method === "GET") return showOrder(response, id, thanks);
  answer(response, 404, "There is nothing here.");
}

createServer((request, response) => {
  serve(request, response).catch((error) => {
    console.error(`shop: ${error.message}`);
    if (!response.headersSent) answer(response, 500, "Something went wrong.");
  });
}).listen(Number(port), host, () => console.log(`shop: open ${shop}`));
