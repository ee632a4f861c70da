// Sells with Vendure and Coinslot as they run, in sandbox mode; the Go test e2e TestFullVendure
// starts both, and kills and starts them again when a test asks for it.
import assert from "node:assert/strict"
import fs from "node:fs"
import { test } from "node:test"
import { Checkout, ok, request, until } from "../../test/shop.mjs"

const { VENDURE, PROCESSES, HOLD, ...env } = process.env
const checkout = new Checkout({
  url: env.COINSLOT_URL,
  secretKey: env.COINSLOT_SECRET_KEY,
  webhookSecret: env.COINSLOT_WEBHOOK_SECRET,
  hook: `${VENDURE}/hooks/coinslot/main`,
})
const other = new Checkout({
  url: env.OTHER_COINSLOT_URL,
  secretKey: env.OTHER_COINSLOT_SECRET_KEY,
  webhookSecret: env.OTHER_COINSLOT_WEBHOOK_SECRET,
  hook: `${VENDURE}/hooks/coinslot/other`,
})
const processes = (path) => ok(PROCESSES + path, { method: "POST" })

// A GraphQL API, as a person who stays the same: the token of the first answer is kept.
class Api {
  headers = {}

  constructor(path) {
    this.path = path
  }

  async answer(query, variables = {}) {
    const { status, headers, data, text } = await request(VENDURE + this.path, {
      body: { query, variables },
      headers: this.headers,
    })
    assert.equal(status, 200, text.slice(0, 600))
    const token = headers.get("vendure-auth-token")
    if (token) this.headers.Authorization = `Bearer ${token}`
    return data
  }

  // Returns the one thing that a query asks for.
  async ask(query, variables) {
    const { data, errors } = await this.answer(query, variables)
    assert.ok(!errors, JSON.stringify(errors)?.slice(0, 600))
    const [result] = Object.values(data)
    assert.ok(!result?.errorCode, JSON.stringify(result))
    return result
  }
}

const admin = new Api("/admin-api")
await admin.ask(
  `mutation { login(username: "admin", password: "secret123") { __typename ... on CurrentUser { id } } }`,
)
// What a mutation answers that can be refused with words, which Api.ask throws.
const orError = (fields) => `... on ${fields} ... on ErrorResult { errorCode message }`
const create = (name, input, fields = "id") =>
  admin.ask(
    `mutation ($input: Create${name}Input!) { create${name}(input: $input) { ${fields} } }`,
    { input },
  )
// A mutation of an order, by a shopper or an operator.
const change = (api, call) => api.ask(`mutation { ${call} { ${orError("Order { code state }")} } }`)
const english = (name, more = {}) => [{ languageCode: "en", name, ...more }]
const operation = (code, args = {}) => ({
  code,
  arguments: Object.entries(args).map(([name, value]) => ({ name, value })),
})

// A shop with two channels, each with a checkout of its own. The first has rates for the euro and
// the yen, see TestFullVendure, and none for the pound.
const zone = await create("Zone", { name: "World" })
await create("Country", { code: "DE", enabled: true, translations: english("Germany") }).then(
  ({ id }) =>
    admin.ask(`mutation { addMembersToZone(zoneId: "${zone.id}", memberIds: ["${id}"]) { id } }`),
)
const {
  items: [channel],
} = await admin.ask(`{ channels { items { id defaultShippingZone { id } } } }`)
const zones = { defaultTaxZoneId: zone.id, defaultShippingZoneId: zone.id, pricesIncludeTax: true }
await admin.ask(
  `mutation ($input: UpdateChannelInput!) { updateChannel(input: $input) { ${orError("Channel { id }")} } }`,
  {
    input: {
      id: channel.id,
      ...zones,
      availableCurrencyCodes: ["USD", "EUR", "JPY", "GBP"],
      defaultCurrencyCode: "USD",
    },
  },
)
const tax = await create("TaxCategory", { name: "Standard" })
await create("TaxRate", {
  name: "Standard",
  enabled: true,
  value: 19,
  categoryId: tax.id,
  zoneId: zone.id,
})
const shipping = await create("ShippingMethod", {
  code: "mail",
  fulfillmentHandler: "manual-fulfillment",
  checker: operation("default-shipping-eligibility-checker", { orderMinimum: "0" }),
  calculator: operation("default-shipping-calculator", {
    rate: "0",
    taxRate: "0",
    includesTax: "auto",
  }),
  translations: english("Mail", { description: "" }),
})
const payable = (name) =>
  create("PaymentMethod", {
    code: "coins",
    enabled: true,
    handler: operation("coinslot", { checkout: name }),
    translations: english("Coins", { description: "" }),
  })
await payable("main")
await create("PaymentMethod", {
  code: "card",
  enabled: true,
  handler: operation("dummy-payment-handler", { automaticSettle: "true" }),
  translations: english("Card", { description: "" }),
})
const product = await create("Product", {
  enabled: true,
  translations: english("Notebook", { slug: "notebook", description: "" }),
})
const [variant] = await admin.ask(
  `mutation ($input: [CreateProductVariantInput!]!) { createProductVariants(input: $input) { id } }`,
  {
    input: [
      {
        productId: product.id,
        sku: "notebook",
        stockOnHand: 10_000,
        trackInventory: "TRUE",
        taxCategoryId: tax.id,
        translations: english("Notebook"),
        price: 1999,
      },
    ],
  },
)
const update = (input) =>
  admin.ask(
    `mutation ($input: [UpdateProductVariantInput!]!) { updateProductVariants(input: $input) { id } }`,
    { input: [{ id: variant.id, ...input }] },
  )
await update({
  prices: Object.entries({ EUR: 1850, JPY: 298000, GBP: 1600 }).map(([currencyCode, price]) => ({
    currencyCode,
    price,
  })),
})
const {
  items: [seller],
} = await admin.ask(`{ sellers { items { id } } }`)
const channel2 = await create(
  "Channel",
  {
    code: "europe",
    token: "europe",
    sellerId: seller.id,
    defaultLanguageCode: "en",
    defaultCurrencyCode: "EUR",
    ...zones,
  },
  orError("Channel { id }"),
)
await admin.ask(
  `mutation { assignProductsToChannel(input: { channelId: "${channel2.id}", productIds: ["${product.id}"], priceFactor: 1 }) { id } }`,
)
await admin.ask(
  `mutation { assignShippingMethodsToChannel(input: { channelId: "${channel2.id}", shippingMethodIds: ["${shipping.id}"] }) { id } }`,
)
const {
  items: [shelf],
} = await admin.ask(`{ stockLocations { items { id } } }`)
await admin.ask(
  `mutation { assignStockLocationsToChannel(input: { channelId: "${channel2.id}", stockLocationIds: ["${shelf.id}"] }) { id } }`,
)
admin.headers["vendure-token"] = "europe"
await payable("other")
delete admin.headers["vendure-token"]

// A shopper whose order waits for its payment. In a currency that is not the channel's, the API's
// address says so.
async function shopper({ quantity = 1, currency, channel: token } = {}) {
  const api = new Api(`/shop-api${currency ? `?currencyCode=${currency}` : ""}`)
  if (token) api.headers["vendure-token"] = token
  await addItem({ api }, quantity)
  await change(
    api,
    `setCustomerForOrder(input: { firstName: "B", lastName: "B", emailAddress: "b@example.com" })`,
  )
  await change(api, `setOrderShippingAddress(input: { streetLine1: "1", countryCode: "DE" })`)
  await change(api, `setOrderShippingMethod(shippingMethodId: ["${shipping.id}"])`)
  const { code } = await go(api, "ArrangingPayment")
  return { api, code }
}

const addItem = ({ api }, quantity) =>
  change(api, `addItemToOrder(productVariantId: "${variant.id}", quantity: ${quantity})`)
const go = (api, state) =>
  api.ask(`mutation { transitionOrderToState(state: "${state}") {
  ... on Order { code state } ... on OrderStateTransitionError { errorCode transitionError } } }`)
const OPEN = `mutation { createCoinslotSession(method: "coins") { id url status } }`
const open = ({ api }) => api.ask(OPEN)
const refused = async ({ api }) =>
  (await api.answer(OPEN)).errors?.[0].message ?? "it was not refused"
// What an operator sees of an order.
async function orderOf({ code }) {
  const {
    items: [order],
  } = await admin.ask(
    `query ($code: String!) { orders(options: { filter: { code: { eq: $code } } }) { items {
    id code state active totalWithTax currencyCode payments { id state amount transactionId method metadata refunds { id state total transactionId } }
    history(options: { take: 100 }) { items { type data } } } } }`,
    { code },
  )
  return {
    ...order,
    notes: order.history.items
      .filter(({ type }) => type === "ORDER_NOTE")
      .map(({ data }) => data.note),
  }
}
const state = (buyer, want) =>
  until(`the order ${buyer.code} to become ${want}`, async () => {
    const order = await orderOf(buyer)
    return order.state === want && order
  })
// An operator reads it in the order, once.
async function noted(buyer, want) {
  const order = await until(`the note ${want}`, async () => {
    const order = await orderOf(buyer)
    return order.notes.some((note) => note.includes(want)) && order
  })
  assert.equal(order.notes.filter((note) => note.includes(want)).length, 1, order.notes.join("\n"))
  return order
}

// The order was paid once, with exactly what it costs.
async function assertPaid(buyer, session, amount, total, from = checkout) {
  const order = await state(buyer, "PaymentSettled")
  const paid = await from.read(session)
  assert.deepEqual([paid.status, `${paid.amount} ${paid.currency}`], ["confirmed", amount])
  assert.deepEqual(
    order.payments.map((payment) => [
      payment.state,
      payment.amount,
      payment.transactionId,
      payment.method,
    ]),
    [["Settled", total, session.id, "coins"]],
  )
  assert.deepEqual(
    [order.totalWithTax, order.currencyCode, order.active],
    [total, paid.currency, false],
  )
  return order
}

// Has Vendure wait in the middle of the payment that act begins, until the file HOLD is removed.
async function holdPayments(act) {
  fs.rmSync(`${HOLD}.reached`, { force: true })
  fs.writeFileSync(HOLD, "")
  await act()
  await until("Vendure to settle the order", () => fs.existsSync(`${HOLD}.reached`))
}

const pay = async (session, from = checkout) => {
  await from.address(session)
  await from.simulate(session, "pay")
}
const hasEnded = (session, status) =>
  checkout.becomes(session, status, (now) => now.status === status)

test("1, 2, 3, 9, 11, 12: an order is paid by all of it", async () => {
  const buyer = await shopper({ quantity: 3 })
  const session = await open(buyer)
  const opened = await checkout.read(session)
  assert.deepEqual(
    [opened.amount, opened.currency, opened.order_ref, opened.metadata.vendure_order],
    ["59.97", "USD", buyer.code, buyer.code],
  )
  assert.deepEqual(await open(buyer), session) // a reload of the page
  await checkout.address(session)
  await noted(buyer, "Coinslot: pending")
  assert.deepEqual(
    [(await orderOf(buyer)).state, (await orderOf(buyer)).payments],
    ["ArrangingPayment", []],
  )

  const forged = { ...(await checkout.read(session)), status: "confirmed" }
  await checkout.assertRefusesForged(forged)
  // signed, but the API knows better
  assert.equal((await checkout.webhook("checkout.confirmed", forged)).status, 503)
  assert.equal((await request(`${VENDURE}/hooks/coinslot/unknown`, { body: forged })).status, 404)
  const metadata = `{ session: { id: "${session.id}", status: "confirmed" } }`
  const { errors } = await buyer.api.answer(
    `mutation { addPaymentToOrder(input: { method: "coins", metadata: ${metadata} }) { __typename } }`,
  )
  assert.match(errors[0].message, /Call createCoinslotSession/)

  await checkout.simulate(session, "half")
  const { missing_amount: missing } = await checkout.becomes(
    session,
    "a part",
    ({ missing_amount }) => missing_amount,
  )
  await noted(buyer, `Coinslot: pending, ${missing} is missing`)
  assert.deepEqual(
    [(await orderOf(buyer)).state, (await orderOf(buyer)).payments],
    ["ArrangingPayment", []],
  )
  await checkout.simulate(session, "pay")
  const order = await assertPaid(buyer, session, "59.97 USD", 5997)
  const [payment] = order.payments
  assert.equal(payment.metadata.transactions.length, 2)

  // again, by Coinslot and at once
  const { deliveries } = await checkout.api("/v1/events/replay", {
    body: { from: "2020-01-01T00:00:00Z", to: "2099-01-01T00:00:00Z", session: session.id },
  })
  assert.ok(deliveries >= 3)
  const confirmed = await checkout.read(session)
  const answers = await Promise.all(
    [1, 2, 3].map(() => checkout.webhook("checkout.confirmed", confirmed)),
  )
  assert.deepEqual(
    answers.map(({ status }) => status),
    [204, 204, 204],
  )
  await assertPaid(buyer, session, "59.97 USD", 5997)

  // Coinslot sends nothing back: the refund waits for the transaction that the operator sends
  const refund = await admin.ask(
    `mutation ($input: RefundOrderInput!) { refundOrder(input: $input) { ${orError("Refund { id state total }")} } }`,
    {
      input: {
        paymentId: payment.id,
        amount: 1000,
        lines: [],
        shipping: 0,
        adjustment: 0,
        reason: "returned",
      },
    },
  )
  assert.deepEqual([refund.state, refund.total], ["Pending", 1000])
  await noted(buyer, "Send back what 10.00 USD are from your own wallet")
  const settled = await admin.ask(
    `mutation { settleRefund(input: { id: "${refund.id}", transactionId: "7f2b" }) { ${orError("Refund { state }")} } }`,
  )
  assert.equal(settled.state, "Settled")
  const { errors: kept } = await admin.answer(
    `mutation { cancelPayment(id: "${payment.id}") { __typename } }`,
  )
  assert.match(kept[0].message, /cannot be called back/)
})

test("9: a refund that is recorded in Coinslot is noted", async () => {
  const buyer = await shopper()
  const session = await open(buyer)
  await checkout.address(session)
  await checkout.simulate(session, "over")
  await assertPaid(buyer, session, "19.99 USD", 1999)
  const { overpaid_amount: amount } = await checkout.read(session)
  await checkout.api(`/v1/sessions/${session.id}/refunds`, {
    body: {
      amount,
      currency_symbol: "USDT",
      network_code: "trc20",
      tx_id: "7f2b6c1d9e0a4835b7c6d1e2f3a4958677b8c9d0e1f2a3b4c5d6e7f8091a2b3c",
    },
  })
  await noted(buyer, `${amount} USDT sent back by 7f2b6c1d`)
  assert.equal((await orderOf(buyer)).state, "PaymentSettled")
})

test("3: the shopper's page may come before the webhook", async () => {
  const buyer = await shopper()
  const session = await open(buyer)
  await checkout.address(session)
  await checkout.simulate(session, "pay")
  await until("the order to be paid", async () => {
    const answers = await Promise.all([1, 2].map(() => buyer.api.answer(OPEN)))
    return answers.some(
      ({ data, errors }) => errors || data.createCoinslotSession.status === "confirmed",
    )
  })
  await assertPaid(buyer, session, "19.99 USD", 1999)
  await noted(buyer, "Coinslot: confirmed")
})

test("3: an order that is paid at this moment can't be changed", async () => {
  const buyer = await shopper()
  const session = await open(buyer)
  await checkout.address(session)
  await holdPayments(() => checkout.simulate(session, "pay"))
  const changes = Promise.allSettled([go(buyer.api, "AddingItems"), go(buyer.api, "AddingItems")])
  fs.rmSync(HOLD)
  for (const { status } of await changes) assert.equal(status, "rejected")
  await assertPaid(buyer, session, "19.99 USD", 1999)
})

test("4: a payment after its time is late, and pays", async () => {
  const buyer = await shopper({ quantity: 2 })
  const session = await open(buyer)
  await checkout.address(session)
  await checkout.simulate(session, "expire")
  await hasEnded(session, "expired")
  await noted(buyer, "Coinslot: expired")
  assert.equal((await orderOf(buyer)).state, "ArrangingPayment")
  await checkout.simulate(session, "pay")
  await checkout.recheck(session)
  const {
    payments: [payment],
  } = await assertPaid(buyer, session, "39.98 USD", 3998)
  assert.equal(payment.metadata.late, true)
  await noted(buyer, "Coinslot: confirmed, late")
})

test("4: money for an order that was canceled meanwhile is its payment, for a refund", async () => {
  const buyer = await shopper()
  const session = await open(buyer)
  await checkout.address(session)
  const { id } = await orderOf(buyer)
  await change(admin, `cancelOrder(input: { orderId: "${id}" })`)
  assert.equal((await checkout.read(session)).status, "cancelled")
  await checkout.simulate(session, "pay")
  await checkout.recheck(session)
  const order = await noted(buyer, "confirmed, late. The order was canceled before. Refund it")
  assert.equal(order.state, "Cancelled")
  assert.deepEqual(
    order.payments.map(({ state, amount, transactionId }) => [state, amount, transactionId]),
    [["Settled", 1999, session.id]],
  )
})

test("5: the order says what is too much", async () => {
  const buyer = await shopper()
  const session = await open(buyer)
  await checkout.address(session)
  await checkout.simulate(session, "over")
  await assertPaid(buyer, session, "19.99 USD", 1999)
  const { overpaid_amount } = await checkout.read(session)
  assert.ok(overpaid_amount)
  await noted(buyer, `Coinslot: confirmed, ${overpaid_amount} too much`)
})

test("6: the shopper comes back after the end, and pays", async () => {
  const buyer = await shopper()
  const session = await open(buyer)
  await checkout.address(session)
  await checkout.simulate(session, "expire")
  await hasEnded(session, "expired")
  assert.deepEqual(await open(buyer), { ...session, status: "open" })
  await pay(session)
  await assertPaid(buyer, session, "19.99 USD", 1999)
})

test("7: what is canceled in Coinslot stays so", async () => {
  const buyer = await shopper()
  const session = await open(buyer)
  await checkout.cancel(session)
  await noted(buyer, "Coinslot: cancelled")
  assert.match(await refused(buyer), /was canceled in Coinslot, and stays so/)
  assert.equal((await checkout.read(session)).status, "cancelled")
  assert.equal((await orderOf(buyer)).state, "ArrangingPayment")
})

test("8: an order awaits a review", async () => {
  const buyer = await shopper()
  const session = await open(buyer)
  await checkout.address(session)
  await checkout.simulate(session, "tenfold")
  const { review_reason } = await hasEnded(session, "review")
  await noted(buyer, `(${review_reason})`)
  assert.deepEqual(
    [(await orderOf(buyer)).state, (await orderOf(buyer)).payments],
    ["ArrangingPayment", []],
  )
  await checkout.api(`/v1/sessions/${session.id}/resolve`, {
    body: { as: "confirmed", reason: "seen in the explorer" },
  })
  await assertPaid(buyer, session, "19.99 USD", 1999)
})

test("10, 17: another way to pay cancels the session; its money is noted", async () => {
  const buyer = await shopper()
  const session = await open(buyer)
  await checkout.address(session)
  await change(buyer.api, `addPaymentToOrder(input: { method: "card", metadata: {} })`)
  assert.equal((await checkout.read(session)).status, "cancelled")
  await checkout.simulate(session, "pay")
  await checkout.recheck(session)
  const order = await noted(buyer, "confirmed, late. The order was paid already. Refund it")
  assert.deepEqual(
    [order.state, order.payments.map(({ method }) => method)],
    ["PaymentSettled", ["card"]],
  )
  const confirmed = await checkout.read(session)
  const answers = await Promise.all(
    [1, 2].map(() => checkout.webhook("checkout.confirmed", confirmed, {}, { id: "evt_again" })),
  )
  assert.deepEqual(
    answers.map(({ status }) => status),
    [204, 204],
  )
  assert.equal((await noted(buyer, "The order was paid already. Refund it")).payments.length, 1)
})

test("14, 17, 18: a changed order has another session; the older one pays nothing", async () => {
  const buyer = await shopper()
  const first = await open(buyer)
  await checkout.address(first)
  await go(buyer.api, "AddingItems")
  assert.equal((await checkout.read(first)).status, "cancelled")
  await addItem(buyer, 1)
  await go(buyer.api, "ArrangingPayment")
  const second = await open(buyer)
  assert.notEqual(second.id, first.id)
  assert.deepEqual(
    [(await checkout.read(second)).amount, (await checkout.read(second)).order_ref],
    ["39.98", `${buyer.code}-1`],
  )
  await checkout.simulate(first, "pay")
  await checkout.recheck(first)
  const order = await noted(buyer, "19.99 USD was paid, and 39.98 USD is due. Deliver or refund it")
  assert.deepEqual([order.state, order.payments], ["ArrangingPayment", []])
  await pay(second)
  await assertPaid(buyer, second, "39.98 USD", 3998)
})

test("17: an order whose money is on its way can't be changed", async () => {
  const buyer = await shopper()
  const session = await open(buyer)
  await checkout.address(session)
  await checkout.simulate(session, "half")
  await checkout.becomes(session, "a part", ({ missing_amount }) => missing_amount)
  await assert.rejects(
    go(buyer.api, "AddingItems"),
    /may be on its way, so this order can't be changed now/,
  )
  await checkout.simulate(session, "pay")
  await assertPaid(buyer, session, "19.99 USD", 1999)
})

test("15: an order that can't be paid is tried again until it can", async () => {
  const buyer = await shopper()
  const session = await open(buyer)
  await checkout.address(session)
  // the shopper looks at the order again, and pays the address all the same
  await go(buyer.api, "AddingItems")
  await update({ stockOnHand: 0 })
  await checkout.simulate(session, "pay")
  await checkout.recheck(session)
  const confirmed = await hasEnded(session, "confirmed")
  assert.equal((await checkout.webhook("checkout.confirmed", confirmed)).status, 503)
  assert.deepEqual(
    [(await orderOf(buyer)).state, (await orderOf(buyer)).payments],
    ["AddingItems", []],
  )
  await update({ stockOnHand: 10_000 })
  await assertPaid(buyer, session, "19.99 USD", 1999) // Coinslot has sent it again
})

test("15: Vendure is killed while it takes a payment, and takes it once", async () => {
  const buyer = await shopper()
  const session = await open(buyer)
  await checkout.address(session)
  await noted(buyer, "Coinslot: pending")
  await holdPayments(() => checkout.simulate(session, "pay"))
  await processes("/shop/kill")
  fs.rmSync(HOLD)
  await processes("/shop/start")
  await assertPaid(buyer, session, "19.99 USD", 1999)
  await noted(buyer, "Coinslot: confirmed")
})

test("16: a checkout that is down opens nothing twice", async () => {
  const buyer = await shopper()
  await processes("/checkout/kill")
  assert.match(await refused(buyer), /the checkout "main" does not answer/)
  await processes("/checkout/start")
  const session = await open(buyer)
  const { data } = await checkout.api(`/v1/sessions?order_ref=${buyer.code}`)
  assert.deepEqual(
    data.map(({ id }) => id),
    [session.id],
  )
  await pay(session)
  await assertPaid(buyer, session, "19.99 USD", 1999)
})

test("a test webhook is accepted", async () => {
  for (const each of [checkout, other])
    assert.equal((await each.api("/v1/webhooks/test", { body: {} })).taken, true)
})

// The charges are worked out by hand from the rates of TestFullVendure.
for (const [currency, quantity, amount, total, charge] of [
  ["EUR", 3, "55.50", 5550, "60.61"],
  ["JPY", 1, "2980", 298000, "18.96"],
]) {
  test(`18: an order in ${currency} is paid in its currency`, async () => {
    const buyer = await shopper({ quantity, currency })
    const session = await open(buyer)
    assert.equal((await checkout.read(session)).amount_usd, charge)
    await pay(session)
    await assertPaid(buyer, session, `${amount} ${currency}`, total)
  })
}

test("18: each channel has its checkout and its currency", async () => {
  const buyer = await shopper({ channel: "europe" })
  const session = await open(buyer)
  assert.ok(session.url.startsWith(other.url))
  assert.equal(
    (
      await request(`${checkout.url}/v1/sessions/${session.id}`, {
        headers: { Authorization: `Bearer ${checkout.secretKey}` },
      })
    ).status,
    404,
  )
  const { amount, currency } = await other.read(session)
  assert.deepEqual([amount, currency], ["19.99", "EUR"])
  // the webhook of another checkout is of no session of this one
  const forged = { ...(await other.read(session)), status: "confirmed" }
  assert.equal((await checkout.webhook("checkout.confirmed", forged)).status, 204)
  assert.equal((await orderOf(buyer)).state, "ArrangingPayment")
  await pay(session, other)
  await assertPaid(buyer, session, "19.99 EUR", 1999, other)
})

test("19: an order whose currency has no rate is refused with words", async () => {
  assert.match(
    await refused(await shopper({ currency: "GBP" })),
    /currency_unsupported: supported currencies: EUR, JPY, USD/,
  )
})
