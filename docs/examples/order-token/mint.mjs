// Prints an order token: node mint.mjs 25.00 1001
import { createHmac } from 'node:crypto';

const key = process.env.COINSLOT_ORDER_KEY ?? '';
const [amount, ref] = process.argv.slice(2);
if (Buffer.byteLength(key) < 32 || !ref) {
  console.error('usage: COINSLOT_ORDER_KEY=… node mint.mjs AMOUNT REF');
  process.exit(2);
}
const encode = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
const signed = encode({ alg: 'HS256', typ: 'JWT' }) + '.' + encode({
  amount_usd: amount, // text, never a number
  order_ref: ref,
  exp: Math.floor(Date.now() / 1000) + 3600,
});
console.log(signed + '.' + createHmac('sha256', key).update(signed).digest('base64url'));
