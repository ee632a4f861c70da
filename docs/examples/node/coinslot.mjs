// Copy this file into your shop: it creates sessions and verifies webhooks.
import { createHmac, timingSafeEqual } from "node:crypto";

// openSession creates the session of an order and returns its id. The order number is the idempotency key, so a repeated
// call returns the same session.
export async function openSession(checkout, order) {
  const answer = await fetch(`${checkout.url}/v1/sessions`, {
    method: "POST",
    headers: { Authorization: `Bearer ${checkout.key}`, "Content-Type": "application/json", "Idempotency-Key": order.id },
    body: JSON.stringify({ amount_usd: order.amount, order_ref: order.id, title: order.title, success_url: order.thanks }),
    redirect: "error", // so that the key reaches only the checkout
    signal: AbortSignal.timeout(10_000),
  });
  const session = await answer.json();
  if (!answer.ok) throw new Error(`creating a session: status ${answer.status} ${session.code}`);
  return session.id;
}

// verify returns the event if rawBody (a Buffer) was signed with secret ("whsec_…") within five minutes of now, and
// throws otherwise. There are several signatures while the secret is rotated.
export function verify(secret, headers, rawBody) {
  const id = headers["webhook-id"], stamp = headers["webhook-timestamp"];
  if (!id || !/^\d{1,12}$/.test(stamp ?? "") || Math.abs(Date.now() / 1000 - Number(stamp)) > 300) {
    throw new Error("webhook: missing headers or old timestamp");
  }
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  if (key.length < 24) throw new Error("webhook: the secret is too short");
  const want = createHmac("sha256", key).update(`${id}.${stamp}.`).update(rawBody).digest();
  const ours = (headers["webhook-signature"] ?? "").split(" ").some((part) => {
    const got = part.startsWith("v1,") ? Buffer.from(part.slice(3), "base64") : Buffer.alloc(0);
    return got.length === want.length && timingSafeEqual(got, want);
  });
  if (!ours) throw new Error("webhook: signature does not match");
  return { ...JSON.parse(rawBody.toString("utf8")), id };
}
