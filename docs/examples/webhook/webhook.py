import base64
import hashlib
import hmac
import json
import re
import time


def verify(secret, headers, body, now=None):
    """Return the event if body (bytes) was signed with secret ("whsec_…") within five minutes of now; raise ValueError otherwise.

    headers is a mapping; names have no case, and values may be lists of one.
    """
    lower = {name.lower(): value for name, value in headers.items()}

    def header(name):
        value = lower.get(name) or ""
        values = [value] if isinstance(value, str) else list(value)
        return values[0] if len(values) == 1 else ""

    event, stamp = header("webhook-id"), header("webhook-timestamp")
    if not event or not re.fullmatch(r"[0-9]{1,12}", stamp) or abs((now or time.time()) - int(stamp)) > 300:
        raise ValueError("webhook: missing headers or old timestamp")
    key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    if len(key) < 24:
        raise ValueError("webhook: the secret is too short")
    mac = hmac.new(key, f"{event}.{stamp}.".encode() + body, hashlib.sha256)
    want = b"v1," + base64.b64encode(mac.digest())
    signatures = header("webhook-signature").split(" ")  # several while the secret is changed
    if not any([hmac.compare_digest(got.encode(), want) for got in signatures]):
        raise ValueError("webhook: signature does not match")
    return json.loads(body)
