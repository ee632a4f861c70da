import { env } from "$env/dynamic/private";
import { events, orders, signed } from "$lib/server/shop.js";

// Marks an order as paid, once. If the status is not 2xx, the checkout sends the event again.
export async function POST({ request }) {
  const body = Buffer.from(await request.arrayBuffer()), id = request.headers.get("webhook-id");
  if (!signed(id, request.headers.get("webhook-timestamp"), request.headers.get("webhook-signature"), body)) {
    return new Response("not signed by the checkout", { status: 401 });
  }
  const { type, data } = JSON.parse(body), order = orders.get(data.order_ref);
  const payment = `order "${data.order_ref}", amount "${data.amount_usd}"`;
  if (type !== "checkout.confirmed") return new Response(null, { status: 204 });
  if (data.test && env.SHOP_TEST !== "1") {
    console.error(`${payment}: rejected play money; SHOP_TEST=1 accepts it`);
  } else if (order?.amount !== data.amount_usd) {
    console.error(`${payment}: the shop has no such order: needs review`);
    if (data.order_ref && !order) return new Response(null, { status: 503 }); // it may not be stored yet
  } else if (!order.paid && !events.has(id)) {
    order.paid = true;
    events.add(id);
    console.log(`order ${order.id} is paid: ship it`);
  }
  return new Response(null, { status: 204 });
}
