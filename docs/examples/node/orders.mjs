// A store in memory. Replace it with two tables: orders, and events with a unique index on the event id.
import { randomBytes } from "node:crypto";

const orders = new Map();
const events = new Set();

// newId returns an order number, which is also the checkout's order_ref and can't be guessed.
export const newId = () => randomBytes(8).toString("hex");

// addOrder stores a new order. A repeated order returns the stored one; another cart with the same number gets a new
// number.
export function addOrder(order) {
  const before = orders.get(order.id);
  if (before?.title === order.title) return before;
  const placed = { ...order, id: before ? newId() : order.id, session: "", paid: false };
  orders.set(placed.id, placed);
  return placed;
}

export const find = (id) => orders.get(id);

// pay marks an order as paid. It returns "paid" the first time and "again" afterwards, since an event may arrive twice;
// otherwise "unknown" or "of another amount". In a database, do all of it in one transaction.
export function pay(event) {
  const order = orders.get(event.data.order_ref);
  if (!order) return "unknown";
  if (order.amount !== event.data.amount_usd) return "of another amount";
  if (order.paid || events.has(event.id)) return "again";
  events.add(event.id);
  order.paid = true;
  return "paid";
}
