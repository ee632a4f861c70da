# Prints an order token: python3 mint.py 25.00 1001
import base64, hashlib, hmac, json, os, sys, time

key = os.environ.get("COINSLOT_ORDER_KEY", "").encode()
if len(key) < 32 or len(sys.argv) != 3:
    sys.exit("usage: COINSLOT_ORDER_KEY=… python3 mint.py AMOUNT REF")


def encode(raw):
    return base64.urlsafe_b64encode(raw).rstrip(b"=")


claims = {
    "amount_usd": sys.argv[1],  # text, never a number
    "order_ref": sys.argv[2],
    "exp": int(time.time()) + 3600,
}
signed = b".".join(encode(json.dumps(part).encode()) for part in ({"alg": "HS256", "typ": "JWT"}, claims))
print((signed + b"." + encode(hmac.new(key, signed, hashlib.sha256).digest())).decode())
