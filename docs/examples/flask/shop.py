"""A shop with a Coinslot checkout, in Flask. ../README.md says how to start it and what to replace."""
import base64
import hashlib
import hmac
import json
import os
import re
import secrets
import threading
import time

import requests
from flask import Flask, abort, redirect, render_template, request

CHECKOUT = os.environ.get("COINSLOT_URL", "http://localhost:8080")
SECRET_KEY = os.environ["COINSLOT_SECRET_KEY"]
HOOK_KEY = base64.b64decode(os.environ["COINSLOT_WEBHOOK_SECRET"].removeprefix("whsec_"), validate=True)
assert len(HOOK_KEY) >= 24, "COINSLOT_WEBHOOK_SECRET is too short"
SHOP = os.environ.get("SHOP_URL", "http://127.0.0.1:3000")

# Prices are in US cents. Only the server's prices count.
GOODS = [("notebook", "Notebook", 1400), ("pencils", "Pencils", 950), ("postcards", "Postcards", 420)]
# In place of two tables: orders, and events with a unique index on their id.
orders, events, lock = {}, set(), threading.Lock()

app = Flask(__name__, static_url_path="")
app.config["MAX_CONTENT_LENGTH"] = 1 << 20


@app.template_global()
def dollars(cents):
    return f"{cents // 100}.{cents % 100:02}"


def open_session(order):
    """Return the id of an order's session. Called again with an idempotency key, it is the same session."""
    answer = requests.post(
        f"{CHECKOUT}/v1/sessions", timeout=10, allow_redirects=False,  # the key reaches only the checkout
        headers={"Authorization": f"Bearer {SECRET_KEY}", "Idempotency-Key": order["id"]},
        json={"amount_usd": order["amount"], "order_ref": order["id"], "title": order["title"],
              "success_url": f"{SHOP}/orders/{order['id']}/thanks"})
    return answer.json()["id"]


def signed(headers, body):
    """Report whether the checkout signed the raw body within five minutes of now."""
    event, stamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not event or not re.fullmatch("[0-9]{1,12}", stamp) or abs(time.time() - int(stamp)) > 300:
        return False
    mac = hmac.new(HOOK_KEY, f"{event}.{stamp}.".encode() + body, hashlib.sha256)
    want = b"v1," + base64.b64encode(mac.digest())
    signatures = headers.get("webhook-signature", "").split(" ")  # several while the secret is rotated
    return any([hmac.compare_digest(got.encode(), want) for got in signatures])


@app.get("/")
def show_goods():
    return render_template("shop.html", checkout=CHECKOUT, goods=GOODS, number=secrets.token_hex(8))


@app.post("/orders")
def buy():
    """Store an order, create its session, and lead to its page. A form that is sent twice is one order."""
    number = request.form.get("order", "")
    cart = [(int(n), name, cents) for key, name, cents in GOODS
            if re.fullmatch("[1-9]", n := request.form.get(key, ""))]
    if not cart or not re.fullmatch("[0-9a-f]{16}", number):
        return redirect("/", 303)
    title = ", ".join(f"{n} × {name}" for n, name, _ in cart)
    if number in orders and orders[number]["title"] != title:
        number = secrets.token_hex(8)  # another cart is another order
    amount = dollars(sum(n * cents for n, _, cents in cart))
    order = orders.setdefault(number, {"id": number, "title": title, "amount": amount, "paid": False})
    try:
        order["session"] = open_session(order)
    except (OSError, ValueError, KeyError) as error:
        app.logger.error("order %s: creating a session: %s", number, error)
        abort(502, "The checkout does not answer. Nothing was charged; please go back and try again.")
    return redirect(f"/orders/{number}", 303)


@app.get("/orders/<number>", defaults={"thanks": None})
@app.get("/orders/<number>/<any(thanks):thanks>")
def show_order(number, thanks):
    """Show an order by the shop's own records. The address proves nothing, even with status=confirmed."""
    order = orders.get(number) or abort(404)
    return render_template("shop.html", checkout=CHECKOUT, shop=SHOP, order=order, thanks=thanks)


@app.post("/hooks/coinslot")
def receive_webhook():
    """Verify an event of the checkout, which sends it again unless the status is 2xx."""
    body = request.get_data()
    event = json.loads(body) if signed(request.headers, body) else abort(401)
    paid = event["type"] == "checkout.confirmed"
    return "", record(request.headers["webhook-id"], event["data"]) if paid else 204


def record(event, data):
    """Mark an order as paid, once. Return the status for the checkout. Log money that fits no order."""
    ref, amount, order = data["order_ref"], data["amount_usd"], orders.get(data["order_ref"])
    if data["test"] and os.environ.get("SHOP_TEST") != "1":
        app.logger.error('order "%s", amount "%s": rejected play money; SHOP_TEST=1 accepts it', ref, amount)
    elif not order or order["amount"] != amount:
        app.logger.error('order "%s", amount "%s": the shop has no such order: needs review', ref, amount)
        return 503 if ref and not order else 204  # 503: it may not be stored yet
    else:
        with lock:
            if event not in events and not order["paid"]:
                app.logger.warning("order %s is paid: ship it", ref)
            events.add(event)
            order["paid"] = True
    return 204
