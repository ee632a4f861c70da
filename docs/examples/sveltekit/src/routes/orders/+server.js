import { error, redirect } from "@sveltejs/kit";
import { dollars, goods, newNumber, openSession, orders } from "$lib/server/shop.js";

// Stores an order, creates its session, and leads to its page. A form that is sent twice is one order.
export async function POST({ request }) {
  const form = Object.fromEntries(await request.formData());
  const cart = Object.keys(goods).filter((key) => /^[1-9]$/.test(form[key]));
  if (!cart.length || !/^[0-9a-f]{16}$/.test(form.order)) redirect(303, "/");
  const title = cart.map((key) => `${form[key]} × ${goods[key][0]}`).join(", ");
  const amount = dollars(cart.reduce((sum, key) => sum + form[key] * goods[key][1], 0));
  let order = orders.get(form.order);
  if (order?.title !== title) { // another cart is another order
    order = { id: order ? newNumber() : form.order, title, amount, paid: false };
    orders.set(order.id, order);
  }
  order.session ??= await openSession(order).catch(({ message }) => {
    console.error(`order ${order.id}: creating a session: ${message}`);
    error(502, "The checkout does not answer. Nothing was charged; please go back and try again.");
  });
  redirect(303, `/orders/${order.id}`);
}
