// Tests of the provider that need neither Medusa nor Coinslot: amounts, signatures, what it asks a small stand-in for
// Coinslot, and what webhooks do in a small stand-in for Medusa. Names are those of ../../README.md where it has one. With both it is tested by medusa.test.mjs.
import assert from "node:assert/strict"
import { test } from "node:test"
import { Call, KEY, OLD, SECRET, signed, startCoinslot } from "../../test/coinslot"
import { checkOptions, Event, priceOf, priceText, Session, verify } from "../src/modules/coinslot/coinslot"
import { receive } from "../src/modules/coinslot/receive"
import Provider from "../src/modules/coinslot/service"

test("amounts are exact", () => {
  const raw = (value: string) => ({ raw: { value, precision: 20 }, numeric: Number(value) })
  for (const [amount, code, want] of [
    ["25", "usd", "25.00 USD"], ["25.1", "usd", "25.10 USD"], [25.1, "usd", "25.10 USD"], [0.07, "usd", "0.07 USD"], [1.005, "usd", "1.01 USD"],
    [raw("59.970000000000000000"), "usd", "59.97 USD"], [{ value: "12.345", precision: 20 }, "usd", "12.35 USD"],
    ["12.344999", "usd", "12.34 USD"], ["0.995", "usd", "1.00 USD"], ["90071992547409.93", "usd", "90071992547409.93 USD"],
    [raw("123456789012345678.99"), "usd", "123456789012345678.99 USD"], [{ toFixed: () => "3.5" }, "usd", "3.50 USD"],
    [19.99 * 3, "usd", "59.97 USD"], [raw("12.34499999999999999999"), "eur", "12.34 EUR"], [999999.99, "EUR", "999999.99 EUR"],
    ["1000", "jpy", "1000 JPY"], [raw("2980.000000"), "jpy", "2980 JPY"], ["999.5", "jpy", "1000 JPY"], ["1", "jpy", "1 JPY"],
    ["12.3", "kwd", "12.300 KWD"], ["0.0005", "kwd", "0.001 KWD"], [12.345, "kwd", "12.345 KWD"], ["9990", "huf", "9990.00 HUF"],
  ] as const) assert.equal(priceText(priceOf(amount, code)), want)
  for (const wrong of ["", "-1", "1e3", "0", "0.004", "1,5", "NaN", NaN, -5, 1e21, 90071992547409.93, null, undefined, {}, "0x1"]) {
    assert.throws(() => priceOf(wrong, "usd"), Error, String(wrong))
  }
  assert.throws(() => priceOf("0.4", "jpy"), /less than the least of JPY/)
  assert.throws(() => priceOf("0.0004", "kwd"), /less than the least of KWD/)
})

test("11: verifies the signature", () => {
  const body = JSON.stringify({ type: "checkout.confirmed", data: { title: "Zwölf Äpfel" } })
  const accepts = (headers: object, now = 1000, sent: string | Buffer = body, secrets = SECRET) => {
    try {
      return verify(secrets, headers as Record<string, unknown>, sent, now).type === "checkout.confirmed"
    } catch {
      return false
    }
  }
  const good = signed(body)
  for (const [name, got, want] of [
    ["good", accepts(good), true], ["bytes", accepts(good, 1000, Buffer.from(body)), true],
    ["five minutes ago", accepts(good, 1300), true], ["older", accepts(good, 1301), false],
    ["in five minutes", accepts(good, 700), true], ["later", accepts(good, 699), false],
    ["changed", accepts(good, 1000, body + " "), false], ["another secret", accepts(signed(body, OLD)), false],
    ["the old secret", accepts(signed(body, OLD), 1000, body, `${SECRET},${OLD}`), true],
    ["one of several signatures", accepts({ ...good, "webhook-signature": `v2,x v1,AAAA ${good["webhook-signature"]}` }), true],
    ["another id", accepts({ ...good, "webhook-id": "evt_2" }), false],
    ["another time", accepts({ ...good, "webhook-timestamp": "1001" }), false],
    ["no time", accepts({ ...good, "webhook-timestamp": "" }), false], ["a time that is no number", accepts({ ...signed(body, SECRET, "1e3") }), false],
    ["no signature", accepts({ ...good, "webhook-signature": undefined }), false], ["nothing", accepts({}), false],
    ["two headers", accepts({ ...good, "webhook-id": ["evt_1", "evt_1"] }), false],
  ] as const) assert.equal(got, want, name)
})

test("21: keeps the secret key on https", () => {
  assert.throws(() => new Provider({} as never, { url: "http://pay.shop.example", secretKey: KEY, webhookSecret: SECRET }), /must be https/)
  new Provider({} as never, { url: "http://localhost:8080", secretKey: KEY, webhookSecret: SECRET })
})

test("options that are missing are named, and secrets are not", () => {
  const all = { url: "https://pay.shop.example", secretKey: KEY, webhookSecret: SECRET }
  checkOptions(all)
  for (const url of ["http://localhost:8080", "http://127.0.0.1:8080/", "http://[::1]:8080", "https://pay.shop.example:8443/"]) {
    checkOptions({ ...all, url })
  }
  assert.throws(() => checkOptions({ ...all, url: "http://pay.shop.example" }), /must be https/)
  checkOptions({ ...all, webhookSecret: `${SECRET},${OLD}` })
  for (const [name, value] of [
    ["url", "http://pay.shop.example"], ["url", "HTTP://10.0.0.7:8080"], ["url", "http://localhost.shop.example"],
    ["url", "http://localhost@pay.shop.example"], ["url", "http://coinslot:8080/"], ["url", "http://127.0.0.1.shop.example"],
    ["url", "http://localhost\\@pay.shop.example"], ["url", "pay.shop.example"], ["url", undefined], ["url", "https://user:pw@pay.shop.example"], ["secretKey", "short-key"], ["secretKey", undefined],
    ["webhookSecret", "whsec_c2hvcnQ="], ["webhookSecret", undefined], ["webhookSecret", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLwAAAAAAAAAA"],
  ] as const) {
    assert.throws(() => checkOptions({ ...all, [name]: value }), (error: Error) =>
      error.message.includes(`option ${name} `) && !(value && name !== "url" && error.message.includes(value)))
  }
})

// A provider with a Coinslot of which a test says what it answers.
async function fake(t: { after(f: () => unknown): void }, answer: (call: Call, n: number) => [number, object] | "hang up", more = {}) {
  const { calls, url } = await startCoinslot(t, answer)
  const log: string[] = []
  const logger = { warn: (line: string) => log.push(line), error: (line: string) => log.push(line) }
  const provider = new Provider({ logger } as never, { url, secretKey: KEY, webhookSecret: SECRET, ...more })
  return { calls, log, provider }
}

const session = (more = {}) => ({
  id: "cs_1", url: "https://pay.shop.example/checkout/cs_1", status: "open", version: 1, test: false,
  amount: "59.97", currency: "USD", amount_usd: "59.97", order_ref: "payses_1",
  metadata: { medusa_payment_session: "payses_1", medusa_instance: "" }, late: false, missing_amount: "", overpaid_amount: "", review_reason: "", ...more,
})
const data = { id: "cs_1", session_id: "payses_1", opened: 0, amount: "59.97", currency: "USD", amount_usd: "59.97", order_ref: "payses_1" }
// What Coinslot answers to a new order: its price as it was sent.
const opened = ({ amount, currency }: Record<string, unknown>, more = {}) => session({ amount, currency, ...more })
const type = (want: string) => (error: { type: string }) => error.type === want

test("16: server down opens nothing twice", async (t) => {
  const { calls, provider } = await fake(t, (_, n) => (n === 1 ? "hang up" : [201, session()]), { title: "Shop", currencies: ["USDT"] })
  const initiate = (more = {}) =>
    provider.initiatePayment({ amount: 59.97, currency_code: "usd", data: { session_id: "payses_1" }, context: {}, ...more })
  const got = await initiate()
  assert.equal(got.id, "cs_1")
  assert.equal(got.status, "pending")
  assert.deepEqual(calls[1], { ...calls[0], headers: calls[1].headers }) // sent again, the same
  assert.equal(calls[1].headers["idempotency-key"], "payses_1")
  assert.equal(calls[1].headers.authorization, `Bearer ${KEY}`)
  assert.deepEqual(calls[1].body, {
    amount: "59.97", currency: "USD", order_ref: "payses_1", title: "Shop", currencies: ["USDT"],
    metadata: { medusa_payment_session: "payses_1", medusa_instance: "" },
  })
  await assert.rejects(initiate({ amount: 0 }), type("invalid_data"))
  await assert.rejects(initiate({ amount: 1e15 }), type("invalid_data"))
  assert.equal(calls.length, 2)
  await initiate({ context: { coinslot_session: "cs_1" } }) // money that came for a session that is gone
  assert.equal(calls[2].method, "GET")
})

test("a session is opened in the region's currency", async (t) => {
  const { calls, provider } = await fake(t, ({ body }) => [201, opened(body)])
  for (const [amount, currency_code, want] of [[59.97, "usd", "59.97 USD"], ["25", "eur", "25.00 EUR"], [2980, "jpy", "2980 JPY"], ["12.5", "kwd", "12.500 KWD"]] as const) {
    const { data } = await provider.initiatePayment({ amount, currency_code, data: { session_id: "payses_1" } })
    const { amount: sent, currency } = calls.at(-1)!.body
    assert.deepEqual([`${sent} ${currency}`, `${data!.amount} ${data!.currency}`], [want, want])
  }
  const other = await fake(t, ({ body }) => [201, opened({ ...body, amount: "25.01" })])
  const initiate = () => other.provider.initiatePayment({ amount: "25", currency_code: "eur", data: { session_id: "payses_1" } })
  await assert.rejects(initiate(), /cs_1 is for 25\.01 EUR, not for 25\.00 EUR/)
})

test("19: no rate refuses with words", async (t) => {
  const refusals: [number, object][] = [
    [400, { code: "currency_unsupported", detail: "supported currencies: EUR, USD" }],
    [503, { code: "rate_unavailable", detail: "the rate of CHF is too old" }],
  ]
  const { calls, provider } = await fake(t, (_, n) => refusals[n - 1])
  const initiate = () => provider.initiatePayment({ amount: 25, currency_code: "chf", data: { session_id: "payses_1" } })
  const refused = (want: string, message: RegExp) => (error: { type: string; message: string }) => error.type === want && message.test(error.message)
  await assert.rejects(initiate(), refused("not_allowed", /opening a session for 25\.00 CHF: Coinslot answered 400 currency_unsupported: supported currencies: EUR, USD/))
  await assert.rejects(initiate(), refused("unexpected_state", /503 rate_unavailable: the rate of CHF is too old/))
  assert.equal(calls.length, 2) // a rate does not come back within a second: it was not asked for twice
})

test("20: refuses play money", async (t) => {
  const answers: [number, object][] = [
    [201, session({ test: true })], [422, { code: "invalid", detail: "no such coin" }], [401, { code: "unauthorized", title: "The key is wrong" }], [302, {}],
    [302, {}],
  ]
  const { calls, provider } = await fake(t, (_, n) => answers[n - 1])
  const initiate = () => provider.initiatePayment({ amount: "59.97", currency_code: "USD", data: { session_id: "payses_1" } })
  await assert.rejects(initiate(), /play money/)
  await assert.rejects(initiate(), (error: { type: string; message: string }) => error.type === "not_allowed" && error.message.includes("no such coin"))
  await assert.rejects(initiate(), type("unexpected_state"))
  await assert.rejects(initiate(), type("unexpected_state"))
  assert.ok(calls.every(({ path }) => path === "/v1/sessions"), "a redirect was followed")
})

test("each status has one of Medusa's", async (t) => {
  let now = session()
  const { provider } = await fake(t, () => [200, now])
  for (const [status, missing_amount, want] of [
    ["open", "", "pending"], ["preparing", "", "pending"], ["pending", "", "pending"], ["pending", "5", "pending_authorization"],
    ["review", "", "pending_authorization"], ["review", "5", "pending_authorization"], ["expired", "", "canceled"],
    ["expired", "5", "pending_authorization"], ["cancelled", "", "canceled"], ["confirmed", "", "captured"], ["of a later version", "", "pending"],
  ]) {
    now = session({ status, missing_amount, late: true })
    const got = await provider.authorizePayment({ data })
    assert.equal(got.status, want, `${status} ${missing_amount}`)
    assert.deepEqual([got.data!.status, got.data!.late, got.data!.session_id], [status, true, "payses_1"])
    if (status === "confirmed") await provider.capturePayment({ data })
    else await assert.rejects(provider.capturePayment({ data }), type("not_allowed"))
  }
  now = session({ status: "confirmed", test: true })
  await assert.rejects(provider.authorizePayment({ data }), type("not_allowed"))
})

test("a session is canceled unless money is on its way", async (t) => {
  let status = 200
  const { calls, provider } = await fake(t, () => [status, status === 200 ? session({ status: "cancelled" }) : { code: "payment_in_progress", title: "Money" }])
  assert.equal((await provider.cancelPayment({ data })).data!.status, "cancelled")
  assert.deepEqual([calls[0].method, calls[0].path], ["POST", "/v1/sessions/cs_1/cancel"])
  status = 409
  await assert.rejects(provider.deletePayment({ data }), type("not_allowed"))
  await assert.rejects(provider.updatePayment({ data, amount: 10, currency_code: "usd" }), type("not_allowed"))
  status = 404
  await provider.deletePayment({ data })
  const before = calls.length
  await provider.deletePayment({ data: {} })
  assert.equal(calls.length, before)
})

test("a new amount is a new session", async (t) => {
  const { calls, provider } = await fake(t, ({ path, body }) => [200, path === "/v1/sessions" ? opened(body, { id: "cs_2" }) : session()])
  const got = await provider.updatePayment({ data, amount: 10, currency_code: "usd" })
  assert.deepEqual(calls.map(({ path }) => path), ["/v1/sessions/cs_1/cancel", "/v1/sessions"])
  assert.equal(calls[1].headers["idempotency-key"], "payses_1-1")
  assert.deepEqual([got.data!.id, got.data!.amount, got.data!.opened], ["cs_2", "10.00", 1])
})

test("9: refund sends no coins", async (t) => {
  const refuses = await fake(t, () => [200, session()])
  await assert.rejects(refuses.provider.refundPayment({ data, amount: 10 }), /does not send refunds/)
  assert.match(refuses.log[0], /asked to refund 10\.00 USD of cs_1 \(payses_1\), which was refused/)
  const records = await fake(t, () => [200, session()], { recordRefunds: true })
  assert.deepEqual((await records.provider.refundPayment({ data, amount: "10.5" })).data, data)
  assert.match(records.log[0], /send back 10\.50 USD of cs_1 \(payses_1\)/)
  await records.provider.refundPayment({ data: { ...data, amount: "2980", currency: "JPY" }, amount: 1000 })
  assert.match(records.log[1], /send back 1000 JPY of cs_1/)
})

test("17: cancels the older session first", async (t) => {
  const refusals: [number, object | string][] = [
    [409, { code: "payment_in_progress" }], [409, { code: "session_paid" }], [503, { code: "gateway_unavailable" }], [200, "a page"], [404, "a page"],
  ]
  for (const refusal of refusals) {
    const { calls, provider } = await fake(t, () => refusal as [number, object])
    await assert.rejects(provider.updatePayment({ data, amount: 10, currency_code: "usd" }))
    assert.deepEqual(calls.map(({ path }) => path), ["/v1/sessions/cs_1/cancel"], JSON.stringify(refusal))
  }
  const { calls, provider } = await fake(t, ({ path, body }) => [200, path === "/v1/sessions" ? opened(body, { id: "cs_2" }) : session()])
  const { data: second } = await provider.updatePayment({ data, amount: 10, currency_code: "usd" })
  await provider.updatePayment({ data: second, amount: "10", currency_code: "eur" })
  assert.deepEqual(calls.map(({ path, headers }) => `${path} ${headers["idempotency-key"] ?? ""}`), [
    "/v1/sessions/cs_1/cancel ", "/v1/sessions payses_1-1", "/v1/sessions/cs_2/cancel ", "/v1/sessions payses_1-2",
  ])
})

test("6: expired asks again", async (t) => {
  let now: object = session()
  const { calls, provider } = await fake(t, () => [201, now])
  const initiate = () => provider.initiatePayment({ amount: "59.97", currency_code: "usd", data: { session_id: "payses_1" } })
  const update = () => provider.updatePayment({ data, amount: "59.970", currency_code: "usd" })
  for (const ask of [initiate, update]) {
    for (const status of ["open", "preparing", "pending", "review", "confirmed"]) {
      now = session({ status })
      assert.equal((await ask()).data!.status, status)
    }
    now = session({ status: "expired" }) // reopened, unless a part was paid
    await assert.rejects(ask(), /was paid: refund it, or agree on the rest/)
  }
  assert.deepEqual([...new Set(calls.map(({ path, headers }) => `${path} ${headers["idempotency-key"]}`))], ["/v1/sessions payses_1"])
  assert.equal(new Set(calls.map(({ body }) => JSON.stringify(body))).size, 1)

  const gone = await fake(t, (_, n) => [201, n === 1 ? session({ status: "expired", deleted: true }) : session({ id: "cs_2" })])
  const got = await gone.provider.updatePayment({ data, amount: "59.97", currency_code: "usd" })
  assert.deepEqual([got.data!.id, got.data!.opened, gone.calls[1].headers["idempotency-key"]], ["cs_2", 1, "payses_1-1"])
})

test("7: cancelled stays canceled", async (t) => {
  const { calls, provider } = await fake(t, () => [201, session({ status: "cancelled" })])
  const canceled = (error: { type: string; message: string }) => error.type === "not_allowed" && /was canceled in Coinslot, and stays so/.test(error.message)
  await assert.rejects(provider.initiatePayment({ amount: "59.97", currency_code: "usd", data: { session_id: "payses_1" } }), canceled)
  await assert.rejects(provider.updatePayment({ data, amount: "59.97", currency_code: "usd" }), canceled)
  assert.deepEqual([...new Set(calls.map(({ headers }) => headers["idempotency-key"]))], ["payses_1"])
  assert.equal((await provider.authorizePayment({ data })).status, "canceled")
})

/** Medusa's payments as far as webhooks use them, with the payment session of the session cs_1. */
function medusa() {
  const sessions: any[] = [{ id: "payses_1", amount: 59.97, currency_code: "usd", payment_collection_id: "pay_col_1", data: { id: "cs_1" } }]
  const collections: Record<string, any> = { pay_col_1: { id: "pay_col_1", metadata: { cart: "kept" } } }
  const did: string[] = []
  const log: string[] = []
  const lines: Record<string, string> = {} // of the order
  const payments = {
    listPaymentSessions: async ({ id: [id] }: { id: string[] }) => sessions.filter((session) => session.id === id),
    listPaymentCollections: async ({ id: [id] }: { id: string[] }) => (collections[id] ? [collections[id]] : []),
    retrievePaymentCollection: async (id: string) => collections[id],
    createPaymentCollections: async (made: { id: string }) => (collections[made.id] = made),
    updatePaymentCollections: async (id: string, change: object) => Object.assign(collections[id], structuredClone(change)),
    createPaymentSession: async (id: string, { amount, currency_code }: { amount: string; currency_code: string }) => {
      collections[id].payment_sessions = [{ id: `session of ${id}, ${amount} ${currency_code}` }]
      return collections[id].payment_sessions[0]
    },
    authorizePaymentSession: async (id: string) => did.push(`captured ${id}`),
  }
  const shop = {
    payments, logger: { warn: (line: string) => log.push(line), error: (line: string) => log.push(line) },
    lock: (_: string, job: () => Promise<void>) => job(),
    placeOrder: async ({ id }: { id: string }, { action }: { action: string }) =>
      void did.push(`${action === "captured" ? "paid" : "awaiting"} order of ${id}`),
    noteOrder: async (_: object, key: string, line: string) => void (lines[key] = line),
    emit: async (name: string, { id }: { id?: string }) => void did.push(`${name} ${id}`),
  }
  const tell = (type: string, more: Partial<Session> = {}, id = "") => {
    const event = { type, timestamp: "", data: session(more) } as Event
    const later = more.status === "review" || more.missing_amount ? "pending_authorization" : "pending"
    const action = type === "checkout.confirmed" ? "captured" : later
    return receive(shop as never, id || JSON.stringify(event), event, { action, data: { session_id: "payses_1", amount: 0 } } as never)
  }
  return { sessions, collections, did, lines, log, shop, tell }
}

test("1: pending pays nothing", async (t) => {
  const { did, lines, tell } = medusa()
  await tell("checkout.pending", { status: "pending" })
  assert.deepEqual([did, lines], [["coinslot.pending cs_1"], { coinslot_cs_1: "pending" }])
  const { provider } = await fake(t, () => [200, session({ status: "pending" })])
  assert.equal((await provider.authorizePayment({ data })).status, "pending") // there is no order yet
})

test("2: partial never pays", async (t) => {
  const { did, lines, log, tell } = medusa()
  await tell("checkout.partial", { status: "pending", version: 2, missing_amount: "0.01" })
  assert.deepEqual(did, ["awaiting order of payses_1", "coinslot.partial cs_1"])
  assert.deepEqual(lines, { coinslot_cs_1: "pending, 0.01 is missing" })
  assert.match(log.join(), /a part of cs_1 was paid; 0\.01 is missing/)
  for (const type of ["pending", "partial", "expired", "cancelled", "review", "of_a_later_version"]) {
    await tell(`checkout.${type}`, { status: "confirmed", version: 3, missing_amount: "0.01" })
  }
  assert.ok(!did.some((line) => /paid|captured/.test(line)), did.join())
  const { provider } = await fake(t, () => [200, session({ status: "pending", missing_amount: "0.01" })])
  assert.equal((await provider.authorizePayment({ data })).status, "pending_authorization")
})

test("3: confirmed pays once", async () => {
  const { did, lines, tell } = medusa()
  await tell("checkout.pending", { status: "pending", version: 1 })
  await tell("checkout.confirmed", { status: "confirmed", version: 2 })
  await tell("checkout.confirmed", { status: "confirmed", version: 2 })
  assert.deepEqual(did, ["coinslot.pending cs_1", "paid order of payses_1", "coinslot.confirmed cs_1"])
  assert.deepEqual(lines, { coinslot_cs_1: "confirmed" })
})

test("4: late pays all the same", async () => {
  const { did, lines, tell } = medusa()
  await tell("checkout.expired", { status: "expired", version: 2 })
  await tell("checkout.confirmed", { status: "confirmed", version: 3, late: true })
  assert.deepEqual(did, ["coinslot.expired cs_1", "paid order of payses_1", "coinslot.confirmed cs_1"])
  assert.deepEqual(lines, { coinslot_cs_1: "confirmed, late" })
})

test("5: over pays, and is noted", async () => {
  const { did, lines, log, tell } = medusa()
  await tell("checkout.confirmed", { status: "confirmed", overpaid_amount: "0.5" })
  assert.deepEqual(did, ["paid order of payses_1", "coinslot.confirmed cs_1"])
  assert.deepEqual(lines, { coinslot_cs_1: "confirmed, 0.5 too much" })
  assert.match(log.join(), /0\.5 too much was paid for cs_1, in the coin/)
})

test("8: review waits for a person", async () => {
  const { collections, did, lines, tell } = medusa()
  await tell("checkout.review", { status: "review", version: 2, review_reason: "amount_differs" })
  assert.deepEqual(did, ["awaiting order of payses_1", "coinslot.review cs_1"])
  assert.deepEqual(lines, { coinslot_cs_1: "review (amount_differs)" })
  await tell("checkout.confirmed", { status: "confirmed", version: 3 })
  await tell("checkout.review", { status: "confirmed", version: 7, review_reason: "paid_after_confirmation" })
  assert.deepEqual(did.slice(2), ["paid order of payses_1", "coinslot.confirmed cs_1", "coinslot.review cs_1"])
  assert.equal(collections.pay_col_1.metadata.coinslot.cs_1.review_reason, "paid_after_confirmation")
})

test("10: a second payment is noted once", async () => {
  const { did, lines, log, tell } = medusa()
  await tell("checkout.confirmed", { status: "confirmed" })
  await tell("checkout.confirmed", { id: "cs_0", status: "confirmed" })
  await tell("checkout.confirmed", { id: "cs_0", status: "confirmed" })
  assert.deepEqual(did.filter((line) => !line.startsWith("coinslot.confirmed")), [
    "paid order of payses_1", "captured session of pay_col_cs_0, 59.97 usd", "coinslot.unmatched cs_0",
  ])
  assert.deepEqual(lines, { coinslot_cs_1: "confirmed", coinslot_cs_0: "confirmed; see pay_col_cs_0" })
  assert.match(log.join(), /59\.97 USD of cs_0 came for payment session payses_1/)
})

test("12: ignores repeated events", async () => {
  const { did, tell, sessions, collections } = medusa()
  const all: [string, object][] = [
    ["checkout.pending", { version: 2 }], ["checkout.partial", { version: 3, missing_amount: "5" }], ["checkout.expired", { version: 4 }],
    ["checkout.review", { version: 5 }], ["checkout.confirmed", { version: 6 }],
  ]
  for (const [type, more] of [...all, ...all]) await tell(type, more)
  for (const [type, more] of [...all].reverse()) await tell(type, more)
  assert.deepEqual(did, [
    "coinslot.pending cs_1", "awaiting order of payses_1", "coinslot.partial cs_1", "coinslot.expired cs_1", "coinslot.review cs_1",
    "paid order of payses_1", "coinslot.confirmed cs_1",
  ])
  assert.equal(collections.pay_col_1.metadata.cart, "kept")

  did.length = sessions.length = 0 // the same without its payment session
  for (const [type, more] of [...all, ...all]) await tell(type, { ...more, id: "cs_2" })
  assert.deepEqual(did, [
    "coinslot.pending cs_2", "coinslot.partial cs_2", "coinslot.expired cs_2", "coinslot.review cs_2",
    "captured session of pay_col_cs_2, 59.97 usd", "coinslot.unmatched cs_2", "coinslot.confirmed cs_2",
  ])
})

test("13: ignores older versions", async () => {
  const { collections, did, tell } = medusa()
  await tell("checkout.expired", { version: 6, status: "expired" })
  await tell("checkout.partial", { version: 5, status: "pending" })
  await tell("checkout.partial", { version: 6, status: "expired" }) // of the same change
  await tell("checkout.pending", { version: 2, id: "cs_2" })
  assert.deepEqual(did, ["coinslot.expired cs_1", "coinslot.partial cs_1", "coinslot.pending cs_2"])
  await tell("checkout.confirmed", { version: 4, status: "confirmed" })
  assert.deepEqual(did.slice(3), ["paid order of payses_1", "coinslot.confirmed cs_1"]) // a payment counts
  assert.deepEqual([collections.pay_col_1.metadata.coinslot.cs_1.version, collections.pay_col_1.metadata.coinslot.cs_1.status], [6, "expired"])
})

test("18: compares amount and currency", async (t) => {
  for (const change of [{ amount: "59.96" }, { amount: "5997" }, { currency: "EUR" }, { amount: "55.00", currency: "EUR" }]) {
    const { did, log, tell } = medusa()
    await tell("checkout.confirmed", change)
    assert.ok(!did.includes("paid order of payses_1") && did.includes("coinslot.unmatched cs_1"), JSON.stringify(change))
    assert.match(log.join(), /has another price/)
  }

  const prices = [
    [{ amount: 25, currency_code: "eur" }, { amount: "25.00", currency: "EUR", amount_usd: "27.31" }, true],
    [{ amount: 27.31, currency_code: "eur" }, { amount: "25.00", currency: "EUR", amount_usd: "27.31" }, false],
    [{ amount: 2980, currency_code: "jpy" }, { amount: "2980", currency: "JPY", amount_usd: "19.94" }, true],
    [{ amount: 2981, currency_code: "jpy" }, { amount: "2980", currency: "JPY", amount_usd: "19.94" }, false],
    [{ amount: 12.5, currency_code: "kwd" }, { amount: "12.500", currency: "KWD", amount_usd: "40.74" }, true],
    [{ amount: 59.97, currency_code: "eur" }, {}, false],
    // the number is rounded, the raw amount is not
    [{ amount: 12.345, raw_amount: { value: "12.34499999999999999999" }, currency_code: "eur" }, { amount: "12.34", currency: "EUR" }, true],
    // of a checkout that knew only dollars
    [{ amount: 59.97, currency_code: "usd" }, { amount: undefined, currency: undefined }, true],
  ] as const
  for (const [payment, paid, fits] of prices) {
    const { collections, did, sessions, tell } = medusa()
    Object.assign(sessions[0], payment)
    await tell("checkout.confirmed", paid)
    assert.equal(did.includes("paid order of payses_1"), fits, JSON.stringify([payment, paid]))
    if (!fits) assert.equal(collections.pay_col_cs_1.currency_code, ("currency" in paid ? paid.currency : "USD").toLowerCase())
  }

  const { provider } = await fake(t, () => [200, session({ status: "confirmed", amount: "59.96" })])
  await assert.rejects(provider.authorizePayment({ data }), type("not_allowed"))
  await assert.rejects(provider.capturePayment({ data: { ...data, amount: "59.96", currency: "EUR" } }), type("not_allowed"))
  const before = { id: "cs_1", session_id: "payses_1", opened: 0, amount_usd: "59.96", order_ref: "payses_1" } // of before currencies
  assert.equal((await provider.authorizePayment({ data: before })).status, "captured")
})

test("14: notes events of every session", async () => {
  const { collections, did, lines, log, tell } = medusa()
  await tell("checkout.partial", { id: "cs_0", version: 3, missing_amount: "5" })
  await tell("checkout.review", { id: "cs_0", version: 4, missing_amount: "5", review_reason: "paid_amount_short", status: "review" })
  await tell("checkout.partial", { version: 2, missing_amount: "7" })
  assert.deepEqual(did, ["coinslot.partial cs_0", "coinslot.review cs_0", "awaiting order of payses_1", "coinslot.partial cs_1"])
  const { events, ...older } = collections.pay_col_cs_0.metadata.coinslot.cs_0
  assert.deepEqual(older, { version: 4, status: "review", late: false, missing_amount: "5", overpaid_amount: "", review_reason: "paid_amount_short" })
  assert.equal(events.length, 2)
  assert.equal(collections.pay_col_1.metadata.coinslot.cs_1.missing_amount, "7")
  assert.match(log.join(), /a part of cs_0 was paid; 5 is missing.*a part of cs_1 was paid/)
  assert.deepEqual(lines, {
    coinslot_cs_0: "review, 5 is missing (paid_amount_short); see pay_col_cs_0", coinslot_cs_1: "open, 7 is missing",
  })
})

test("15: answers so that nothing is lost", async () => {
  const { did, shop, tell } = medusa()
  const { placeOrder, emit } = shop
  shop.placeOrder = () => Promise.reject(new Error("sold out"))
  await assert.rejects(tell("checkout.confirmed"), /sold out/)
  shop.placeOrder = placeOrder
  shop.emit = () => Promise.reject(new Error("no bus"))
  await assert.rejects(tell("checkout.confirmed"), /no bus/)
  shop.emit = emit
  await tell("checkout.confirmed")
  await tell("checkout.confirmed")
  assert.deepEqual(did, ["paid order of payses_1", "paid order of payses_1", "coinslot.confirmed cs_1"]) // Medusa places it once
})

test("webhooks say what Medusa has to do", async (t) => {
  const { provider, log } = await fake(t, () => [200, session()], { instance: "" })
  const tell = (type: string, more = {}) => {
    const body = JSON.stringify({ type, data: session(more) })
    const stamp = String(Math.floor(Date.now() / 1000))
    return provider.getWebhookActionAndData({ data: {}, rawData: Buffer.from(body), headers: signed(body, SECRET, stamp) })
  }
  for (const [event, more, want] of [
    ["checkout.confirmed", { status: "confirmed" }, "captured"], ["checkout.expired", { status: "expired" }, "canceled"],
    ["checkout.expired", { status: "expired", missing_amount: "5" }, "pending_authorization"], ["checkout.cancelled", { status: "cancelled" }, "canceled"],
    ["checkout.pending", { status: "pending" }, "pending"], ["checkout.partial", { status: "pending", missing_amount: "5" }, "pending_authorization"],
    ["checkout.review", { status: "review", review_reason: "paid_amount_short" }, "pending_authorization"],
    ["checkout.review", { status: "confirmed", review_reason: "paid_after_confirmation" }, "pending"],
    ["checkout.of_a_later_version", { status: "confirmed" }, "pending"],
  ] as const) {
    const got = await tell(event, more)
    assert.deepEqual([got.action, got.data!.session_id, String(got.data!.amount)], [want, "payses_1", "59.97"], event)
  }
  assert.match(log.join(), /cs_1 needs review: paid_amount_short/)
  const inYen = await tell("checkout.confirmed", { amount: "2980", currency: "JPY", amount_usd: "19.94" })
  assert.equal(String(inYen.data!.amount), "2980") // what Medusa captures
  for (const more of [{ test: true }, { metadata: {} }, { metadata: undefined }, { metadata: { medusa_payment_session: "payses_1", medusa_instance: "another" } }]) {
    assert.deepEqual(await tell("checkout.confirmed", more), { action: "not_supported" })
  }
  await assert.rejects(provider.getWebhookActionAndData({ data: {}, rawData: Buffer.from("{}"), headers: {} }), type("unauthorized"))
})
