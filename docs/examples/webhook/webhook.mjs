import { createHmac, timingSafeEqual } from "node:crypto";

// verify returns the event if rawBody (a Buffer) was signed with secret ("whsec_…") within five minutes of now (in
// seconds), and throws otherwise. headers is an object, a Headers or a Map; names have no case.
export function verify(secret, headers, rawBody, now = Date.now() / 1000) {
  const entries = Symbol.iterator in headers ? [...headers] : Object.entries(headers);
  const header = (name) => {
    const values = entries.filter(([key]) => key.toLowerCase() === name).flatMap(([, value]) => value);
    return values.length === 1 ? String(values[0] ?? "") : "";
  };
  const id = header("webhook-id"), stamp = header("webhook-timestamp");
  if (!id || !/^\d{1,12}$/.test(stamp) || Math.abs(now - Number(stamp)) > 300) {
    throw new Error("webhook: missing headers or old timestamp");
  }
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  if (key.length < 24) throw new Error("webhook: the secret is too short");
  const want = Buffer.from("v1," + createHmac("sha256", key).update(`${id}.${stamp}.`).update(rawBody).digest("base64"));
  const ours = header("webhook-signature").split(" ").some((got) => { // several while the secret is changed
    const there = Buffer.from(got);
    return there.length === want.length && timingSafeEqual(there, want);
  });
  if (!ours) throw new Error("webhook: signature does not match");
  return JSON.parse(rawBody.toString("utf8"));
}
