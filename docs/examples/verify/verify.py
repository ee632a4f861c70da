import base64
import json

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey


def verify_receipt(text, keys, issuer, order_ref, amount, test=False, currency="USD"):
    """Return what a receipt says if it proves that the order is paid; raise ValueError otherwise.

    keys is what GET /.well-known/jwks.json of your checkout answers, issuer its COINSLOT_PUBLIC_URL; order_ref, amount
    (text with all digits of its currency: "25.00") and currency are of your own database.
    """
    part = text.split(".")
    need(len(part) == 3, "not three parts")
    header = decode(part[0])
    need(header.get("alg") == "EdDSA" and header.get("typ") == "coinslot-receipt+jwt", "another algorithm or type")
    known = [k for k in keys["keys"] if k["kid"] == header.get("kid") and k["kty"] == "OKP" and k["crv"] == "Ed25519"]
    need(known, "signed with a key that is not known")
    try:
        key = Ed25519PublicKey.from_public_bytes(unpack(known[0]["x"]))
        key.verify(unpack(part[2]), f"{part[0]}.{part[1]}".encode())
    except (InvalidSignature, ValueError):
        raise ValueError("receipt: the signature does not match") from None
    claims = decode(part[1])
    need(claims.get("iss") == issuer, "of another checkout")
    need(claims.get("status") == "confirmed", "not confirmed")
    need(order_ref and claims.get("order_ref") == order_ref, "of another order")
    need((claims.get("amount"), claims.get("currency")) == (amount, currency), "of another amount")
    need(claims.get("test") is False or test, "no real money has moved")
    return claims


def need(so, why):
    if not so:
        raise ValueError(f"receipt: {why}")


def unpack(part):
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))


def decode(part):
    try:
        value = json.loads(unpack(part))
    except (ValueError, RecursionError):
        value = None
    need(isinstance(value, dict), "cannot be read")
    return value
