import { createPublicKey, verify } from "node:crypto";

// verifyReceipt returns what a receipt says if it proves that order ({ ref, amount, currency } of your own database, in
// dollars without currency) is paid, and throws a ReceiptError otherwise. keys is what GET /.well-known/jwks.json of your checkout answers, issuer its
// COINSLOT_PUBLIC_URL.
export function verifyReceipt(text, keys, issuer, order, { test = false } = {}) {
  const part = String(text).split(".");
  need(part.length === 3, "not three parts");
  const header = decode(part[0]);
  need(header.alg === "EdDSA" && header.typ === "coinslot-receipt+jwt", "another algorithm or type");
  const jwk = keys.keys.find((k) => k.kid === header.kid && k.kty === "OKP" && k.crv === "Ed25519");
  need(jwk, "signed with a key that is not known");
  const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x: jwk.x }, format: "jwk" });
  const signed = Buffer.from(`${part[0]}.${part[1]}`), signature = Buffer.from(part[2], "base64url");
  need(verify(null, signed, key, signature), "the signature does not match");
  const claims = decode(part[1]);
  need(claims.iss === issuer, "of another checkout");
  need(claims.status === "confirmed", "not confirmed");
  need(order.ref && claims.order_ref === order.ref, "of another order");
  need(claims.amount === order.amount, "of another amount"); // text with all digits of its currency: "25.00"
  need(claims.currency === (order.currency ?? "USD"), "of another amount");
  need(claims.test === false || test, "no real money has moved");
  return claims;
}

export class ReceiptError extends Error {}

function need(so, why) {
  if (!so) throw new ReceiptError(`receipt: ${why}`);
}

function decode(part) {
  let value;
  try {
    value = JSON.parse(Buffer.from(part, "base64url").toString("utf8"));
  } catch {
    value = null;
  }
  need(value && typeof value === "object" && !Array.isArray(value), "cannot be read");
  return value;
}
