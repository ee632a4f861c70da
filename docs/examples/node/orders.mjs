// Orders, kept in memory. Replace them by two tables: orders, and events with a unique index on the event's id.
import { randomBytes } from "node:crypto";

const orders = new Map();
const events = new Set();

// newId is an order number: the shop's, and the order_ref by which the checkout knows it. It cannot be guessed.
export const newId = () => randomBytes(8).toString("hex");

// place stores a new order. The same order again is the one that is there; another cart under the same number is an
// order of its own.
export function place(order) {
  const before = orders.get(order.id);
  if (before?.title === order.title) return before;
  const placed = { ...order, id: before ? newId() : order.id, session: "", paid: false };
  orders.set(placed.id, placed);
  return placed;
}

export const find = (id) => orders.get(id);

// pay marks an order as paid by an event. It returns "paid" the first time and "again" after it, since an event may come
// twice; otherwise "unknown" or "of another amount". With a database, all of it is one transaction.
export function pay(event) {
  const order = orders.get(event.data.order_ref);
  if (!order) return "unknown";
  if (order.amount !== event.data.amount_usd) return "of another amount";
  if (order.paid || events.has(event.id)) return "again";
  events.add(event.id);
  order.paid = true;
  return "paid";
}
