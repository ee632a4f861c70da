// Sells with Medusa and Coinslot as they run, in sandbox mode; the Go test e2e TestFullMedusa starts both.
import assert from "node:assert/strict"
import { test } from "node:test"
import { Checkout, ok, request, until } from "../../test/shop.mjs"

const { MEDUSA, COINSLOT_URL, COINSLOT_SECRET_KEY, COINSLOT_WEBHOOK_SECRET } = process.env
const PROVIDER = "pp_coinslot_coinslot"
const checkout = new Checkout({
  url: COINSLOT_URL, secretKey: COINSLOT_SECRET_KEY, webhookSecret: COINSLOT_WEBHOOK_SECRET, hook: `${MEDUSA}/hooks/payment/coinslot_coinslot`,
})

const { token } = await ok(`${MEDUSA}/auth/user/emailpass`, { body: { email: "a@example.com", password: "secret123" } })
const admin = (path, options = {}) => ok(`${MEDUSA}/admin/${path}`, { ...options, headers: { Authorization: `Bearer ${token}` } })

// A shop with one thing to sell, of which there are many, and another, of which there is one. It has a region for each
// currency. The checkout has fixed rates for the euro and the yen, see TestFullMedusa, and none for the pound.
const REGIONS = { usd: "us", eur: "de", jpy: "jp", gbp: "gb" }
const { sales_channel: channel } = await admin("sales-channels", { body: { name: "Shop" } })
const { stock_location: location } = await admin("stock-locations", { body: { name: "Shelf" } })
await admin(`stock-locations/${location.id}/sales-channels`, { body: { add: [channel.id] } })
await admin("stores").then(({ stores: [store] }) => admin(`stores/${store.id}`, {
  body: { supported_currencies: Object.keys(REGIONS).map((currency_code) => ({ currency_code, is_default: currency_code === "usd" })) },
}))
const regions = {}
for (const [currency_code, country] of Object.entries(REGIONS)) {
  const { region } = await admin("regions", {
    body: { name: country, currency_code, countries: [country], payment_providers: [PROVIDER, "pp_system_default"] },
  })
  regions[currency_code] = region.id
}
const { api_key: key } = await admin("api-keys", { body: { title: "Storefront", type: "publishable" } })
await admin(`api-keys/${key.id}/sales-channels`, { body: { add: [channel.id] } })
const store = (path, options = {}) => ok(`${MEDUSA}/store/${path}`, { ...options, headers: { "x-publishable-api-key": key.token } })

async function sellable(title, prices, stock) {
  const { inventory_item: item } = await admin("inventory-items", { body: { sku: title, requires_shipping: false } })
  await admin(`inventory-items/${item.id}/location-levels`, { body: { location_id: location.id, stocked_quantity: stock } })
  const { product } = await admin("products", {
    body: {
      title, status: "published", sales_channels: [{ id: channel.id }], options: [{ title: "Size", values: ["One"] }],
      variants: [{
        title, sku: title, manage_inventory: true, options: { Size: "One" }, inventory_items: [{ inventory_item_id: item.id, required_quantity: 1 }],
        prices: Object.entries(prices).map(([currency_code, amount]) => ({ currency_code, amount })),
      }],
    },
  })
  return { variant: product.variants[0].id, item: item.id }
}
const notebook = await sellable("Notebook", { usd: 19.99, eur: 18.5, jpy: 2980, gbp: 16 }, 1000)
const etching = await sellable("Etching", { usd: 120.1 }, 1)

async function cartWith(variant, quantity = 1, currency = "usd") {
  const { cart } = await store("carts", {
    body: { region_id: regions[currency], email: "b@example.com", sales_channel_id: channel.id, items: [{ variant_id: variant, quantity }] },
  })
  const { payment_collection: collection } = await store("payment-collections", { body: { cart_id: cart.id } })
  return { id: cart.id, collection: collection.id }
}

// Opens a payment session and returns what the storefront gets: the data for the checkout element.
async function choose(cart, provider = PROVIDER) {
  const { payment_collection } = await store(`payment-collections/${cart.collection}/payment-sessions`, { body: { provider_id: provider } })
  assert.equal(payment_collection.payment_sessions.length, 1)
  return payment_collection.payment_sessions[0].data
}

const complete = (cart) => request(`${MEDUSA}/store/carts/${cart.id}/complete`, { method: "POST", headers: { "x-publishable-api-key": key.token } })
const orders = async () => (await admin("orders?limit=100&fields=id,total,currency_code,status,payment_status,metadata,*payment_collections,*payment_collections.payments," +
  "*payment_collections.payments.captures")).orders
const orderOf = async (cart) => (await orders()).find((order) => order.payment_collections.some(({ id }) => id === cart.collection))
// What Medusa's admin shows of a session in the metadata of its order.
const noted = (cart, session, want) => until(`the note ${want}`, async () => (await orderOf(cart))?.metadata?.[`coinslot_${session.id}`] === want)
const cancelOrder = (order) => request(`${MEDUSA}/admin/orders/${order.id}/cancel`, { method: "POST", headers: { Authorization: `Bearer ${token}` } })
const payments = async (session) => (await admin("payments?limit=100&fields=*captures,*refunds,data,amount,currency_code,captured_at,canceled_at,payment_collection_id"))
  .payments.filter(({ data }) => data.id === session.id)

// assertPaid waits for the order of a cart, and compares it with what was to be paid.
async function assertPaid(cart, session, amount, currency = "USD") {
  const order = await until(`the order of ${cart.id}`, () => orderOf(cart))
  const captured = await until(`the capture of ${session.id}`, async () => (await payments(session)).find(({ captured_at }) => captured_at))
  const paid = await checkout.read(session)
  assert.deepEqual([paid.amount, paid.currency], [amount, currency])
  assert.equal(captured.currency_code, currency.toLowerCase())
  assert.equal(captured.captures.length, 1)
  assert.equal(captured.captures[0].amount, Number(amount))
  assert.equal(captured.amount, Number(amount))
  assert.equal(captured.canceled_at, null)
  // Medusa adds the capture to the order's summary in a step of its own, after the capture
  const shown = await until(`the summary of ${order.id} to show the payment`, async () => {
    const { order: now } = await admin(`orders/${order.id}`)
    return now.summary.pending_difference === 0 && now
  })
  assert.equal(shown.payment_status, "captured")
  assert.equal(shown.summary.paid_total, Number(amount))
  return order
}

test("1, 2, 3, 9, 11, 12: an order awaits its payment once a part has come, and is paid by all of it", async () => {
  const cart = await cartWith(notebook.variant, 3)
  const session = await choose(cart)
  assert.deepEqual([session.amount, session.currency, session.amount_usd], ["59.97", "USD", "59.97"])
  assert.equal((await checkout.read(session)).metadata.medusa_payment_session, session.session_id)
  assert.ok((await complete(cart)).status >= 400)
  await checkout.address(session)
  assert.ok((await complete(cart)).status >= 400)

  const forged = { ...(await checkout.read(session)), status: "confirmed" }
  await checkout.assertRefusesForged(forged)
  // signed, but the API knows better
  assert.equal((await checkout.webhook("checkout.confirmed", forged)).status, 503)
  assert.equal(await orderOf(cart), undefined)

  await checkout.simulate(session, "half")
  const missing = await until("a part to arrive", async () => (await checkout.read(session)).missing_amount)
  const { data: completed } = await complete(cart)
  assert.equal(completed.type, "order")
  await noted(cart, session, `pending, ${missing} is missing`)
  const awaiting = await orderOf(cart) // the note comes after it
  assert.deepEqual([awaiting.id, awaiting.payment_status], [completed.order.id, "awaiting"])
  assert.equal((await payments(session)).length, 0)
  await checkout.simulate(session, "pay")
  const order = await assertPaid(cart, session, "59.97")
  assert.equal(order.id, awaiting.id)
  await noted(cart, session, "confirmed")

  // again, by Coinslot and at once
  const { deliveries } = await checkout.api("/v1/events/replay", {
    body: { from: "2020-01-01T00:00:00Z", to: "2099-01-01T00:00:00Z", session: session.id },
  })
  assert.ok(deliveries >= 3)
  const confirmed = await checkout.read(session)
  const answers = await Promise.all([1, 2, 3].map(() => checkout.webhook("checkout.confirmed", confirmed)))
  assert.deepEqual(answers.map(({ status }) => status), [204, 204, 204])
  assert.equal((await complete(cart)).data.order.id, order.id)
  assert.equal((await orders()).filter(({ payment_collections: [{ id }] }) => id === cart.collection).length, 1)
  await assertPaid(cart, session, "59.97")

  // Coinslot sends nothing back
  const [payment] = await payments(session)
  const refund = await request(`${MEDUSA}/admin/payments/${payment.id}/refund`, { body: { amount: 10 }, headers: { Authorization: `Bearer ${token}` } })
  assert.equal(refund.status, 400)
  assert.match(refund.data.message, /Coinslot does not send refunds/)
  assert.equal((await payments(session))[0].refunds.length, 0)

  // Medusa cancels the order although the refund is refused: the payment stays captured, without a refund
  assert.equal((await cancelOrder(order)).status, 200)
  assert.equal((await orderOf(cart)).status, "canceled")
  const [left] = await payments(session)
  assert.deepEqual([left.refunds.length, left.captures.length, left.canceled_at], [0, 1, null])
})

test("3: the shopper's page may complete the cart before the webhook comes", async () => {
  const cart = await cartWith(notebook.variant)
  const session = await choose(cart)
  await checkout.address(session)
  await checkout.simulate(session, "pay")
  const answers = await until("the order", async () => {
    const list = await Promise.all([complete(cart), complete(cart)])
    return list.some(({ data }) => data.type === "order") && list
  })
  assert.ok(answers.length)
  await assertPaid(cart, session, "19.99")
})

test("4: a payment after its time is late, and an order", async () => {
  const cart = await cartWith(notebook.variant, 2)
  const session = await choose(cart)
  await checkout.address(session)
  await checkout.simulate(session, "expire")
  await until("the session to expire", async () => (await checkout.read(session)).status === "expired")
  assert.ok((await complete(cart)).status >= 400)
  await checkout.simulate(session, "pay")
  await checkout.recheck(session)
  await assertPaid(cart, session, "39.98")
  assert.equal((await payments(session))[0].data.late, true)
  await noted(cart, session, "confirmed, late")
})

test("4: money for an order that was canceled meanwhile is captured, for a refund", async () => {
  const cart = await cartWith(notebook.variant)
  const session = await choose(cart)
  await checkout.address(session)
  await checkout.simulate(session, "half")
  const { missing_amount: missing } = await until("a part to arrive", async () => {
    const now = await checkout.read(session)
    return now.missing_amount && now
  })
  await noted(cart, session, `pending, ${missing} is missing`) // the webhook has placed the order
  const order = await orderOf(cart)
  assert.equal((await cancelOrder(order)).status, 200)
  await checkout.simulate(session, "pay")
  await until("the capture", async () => (await payments(session)).find(({ captured_at }) => captured_at))
  await noted(cart, session, "confirmed")
  assert.equal((await orderOf(cart)).status, "canceled")
})

test("5: the order says what is too much", async () => {
  const cart = await cartWith(notebook.variant)
  const session = await choose(cart)
  await checkout.address(session)
  await checkout.simulate(session, "over")
  await assertPaid(cart, session, "19.99")
  const { overpaid_amount } = await checkout.read(session)
  assert.ok(overpaid_amount)
  await noted(cart, session, `confirmed, ${overpaid_amount} too much`)
})

test("6: the shopper comes back after the end, and pays", async () => {
  const cart = await cartWith(notebook.variant)
  const first = await choose(cart)
  await checkout.address(first)
  await checkout.simulate(first, "expire")
  await until("the session to expire", async () => (await checkout.read(first)).status === "expired")
  const second = await choose(cart)
  await checkout.address(second)
  await checkout.simulate(second, "pay")
  await assertPaid(cart, second, "19.99")
})

test("7: what is canceled in Coinslot stays so", async () => {
  const cart = await cartWith(notebook.variant)
  const session = await choose(cart)
  await checkout.cancel(session)
  assert.ok((await complete(cart)).status >= 400)
  assert.notEqual((await choose(cart)).id, session.id)
  assert.equal((await checkout.read(session)).status, "cancelled")
  assert.equal(await orderOf(cart), undefined)
})

test("8: an order awaits a review", async () => {
  const cart = await cartWith(notebook.variant)
  const session = await choose(cart)
  await checkout.address(session)
  await checkout.simulate(session, "tenfold")
  const { review_reason } = await until("the review", async () => {
    const now = await checkout.read(session)
    return now.status === "review" && now
  })
  const order = await until("an order that awaits its payment", async () => {
    const now = await orderOf(cart)
    return now?.payment_status === "awaiting" && now // Medusa makes the order before it asks the provider
  })
  await until("the note", async () => (await orderOf(cart)).metadata?.[`coinslot_${session.id}`]?.endsWith(`(${review_reason})`))
  await checkout.api(`/v1/sessions/${session.id}/resolve`, { body: { as: "confirmed", reason: "seen in the explorer" } })
  assert.equal((await assertPaid(cart, session, "19.99")).id, order.id)
})

test("10, 17: another way to pay cancels the session; money that comes all the same is kept", async () => {
  const cart = await cartWith(notebook.variant, 4, "eur")
  const session = await choose(cart)
  await checkout.address(session)
  await choose(cart, "pp_system_default")
  assert.equal((await checkout.read(session)).status, "cancelled")
  assert.equal((await complete(cart)).data.type, "order") // paid in another way
  await checkout.simulate(session, "pay").catch(() => {}) // the payment happens; the session is canceled for good
  await checkout.recheck(session)
  const kept = await until("the money to be kept", async () => (await payments(session)).find(({ captured_at }) => captured_at))
  assert.deepEqual([kept.captures[0].amount, kept.currency_code], [74, "eur"])
  assert.equal(kept.data.late, true)
  assert.notEqual(kept.payment_collection_id, cart.collection)
  const confirmed = await checkout.read(session)
  const answers = await Promise.all([1, 2].map(() => checkout.webhook("checkout.confirmed", confirmed)))
  assert.deepEqual(answers.map(({ status }) => status), [204, 204])
  assert.equal((await payments(session)).length, 1)
})

test("17: a session whose money is on its way is not replaced", async () => {
  const cart = await cartWith(notebook.variant, 5)
  const session = await choose(cart)
  await checkout.address(session)
  await checkout.simulate(session, "half")
  await until("a part to arrive", async () => (await checkout.read(session)).missing_amount)
  await assert.rejects(choose(cart, "pp_system_default"), /Could not delete all payment sessions/)
  await checkout.simulate(session, "pay")
  await assertPaid(cart, session, "99.95")
})

test("15: a cart that cannot become an order is tried again until it can", async () => {
  const carts = [await cartWith(etching.variant), await cartWith(etching.variant)]
  const sessions = []
  for (const cart of carts) sessions.push(await choose(cart))
  for (const session of sessions) await checkout.address(session)
  await checkout.simulate(sessions[0], "pay")
  await assertPaid(carts[0], sessions[0], "120.10")
  await checkout.simulate(sessions[1], "pay")
  const payment = await until("the second payment", async () => (await payments(sessions[1])).find(({ captured_at }) => captured_at))
  assert.equal((await checkout.webhook("checkout.confirmed", await checkout.read(sessions[1]))).status, 503)
  assert.equal(await orderOf(carts[1]), undefined)
  await admin(`inventory-items/${etching.item}/location-levels/${location.id}`, { body: { stocked_quantity: 2 } })
  await assertPaid(carts[1], sessions[1], "120.10") // Coinslot has sent it again
  assert.deepEqual((await payments(sessions[1])).map(({ id, refunds }) => [id, refunds.length]), [[payment.id, 0]])
})

test("a test webhook is accepted", async () => {
  assert.equal((await checkout.api("/v1/webhooks/test", { body: {} })).taken, true)
})

// Each of these is 3 notebooks or 1; the charges are worked out by hand from the rates of TestFullMedusa.
for (const [currency, quantity, amount, charge] of [["eur", 3, "55.50", "60.61"], ["jpy", 1, "2980", "18.96"]]) {
  test(`18: a region in ${currency} is paid in its currency`, async () => {
    const cart = await cartWith(notebook.variant, quantity, currency)
    const session = await choose(cart)
    assert.deepEqual([session.amount, session.currency, session.amount_usd], [amount, currency.toUpperCase(), charge])
    await checkout.address(session)
    await checkout.simulate(session, "pay")
    const order = await assertPaid(cart, session, amount, currency.toUpperCase())
    assert.equal(order.currency_code, currency)
    assert.equal(order.total, Number(amount))
  })
}

test("19: a region whose currency has no rate is refused with words", async () => {
  const cart = await cartWith(notebook.variant, 1, "gbp")
  await assert.rejects(choose(cart), /answered 400:.*opening a session for 16\.00 GBP.*currency_unsupported: supported currencies: EUR, JPY, USD/)
})
