// A shop with a Coinslot checkout, in Next.js. ../../README.md says how to start it and what to replace.
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

export const checkout = process.env.COINSLOT_URL ?? "http://localhost:8080";
export const shop = process.env.SHOP_URL ?? "http://127.0.0.1:3000";

// Prices are in US cents. Only the server's prices count.
export const goods = { notebook: ["Notebook", 1400], pencils: ["Pencils", 950], postcards: ["Postcards", 420] };
export const dollars = (cents) => `${Math.trunc(cents / 100)}.${String(cents % 100).padStart(2, "0")}`;
export const newNumber = () => randomBytes(8).toString("hex");
// In place of two tables: orders, and events with a unique index on their id. Pages and routes are bundled apart, so
// they share them by globalThis.
export const { orders, events } = (globalThis.shopStore ??= { orders: new Map(), events: new Set() });

// Returns the id of an order's session. With the same idempotency key, a repeated call returns the same session.
export async function openSession(order) {
  const answer = await fetch(`${checkout}/v1/sessions`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${process.env.COINSLOT_SECRET_KEY}`, "Content-Type": "application/json", "Idempotency-Key": order.id,
    },
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
export function signed(id, stamp, signatures, body) {
  const key = Buffer.from(process.env.COINSLOT_WEBHOOK_SECRET?.replace(/^whsec_/, "") ?? "", "base64");
  if (!id || !/^\d{1,12}$/.test(stamp) || Math.abs(Date.now() / 1000 - stamp) > 300 || key.length < 24) return false;
  const want = createHmac("sha256", key).update(`${id}.${stamp}.`).update(body).digest();
  return (signatures ?? "").split(" ").some((part) => { // several while the secret is rotated
    const got = Buffer.from(part.startsWith("v1,") ? part.slice(3) : "", "base64");
    return got.length === want.length && timingSafeEqual(got, want);
  });
}
