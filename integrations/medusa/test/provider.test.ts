// Tests of the provider that need neither Medusa nor Coinslot: amounts, signatures, and what it asks a small stand-in for
// Coinslot. With both it is tested by medusa.test.mjs.
import assert from "node:assert/strict"
import { createHmac } from "node:crypto"
import { createServer } from "node:http"
import { test } from "node:test"
import { checkOptions, dollars, Seen, type Event, verify } from "../src/modules/coinslot/coinslot"
import Provider from "../src/modules/coinslot/service"

const KEY = "secret-key-0123456789abcdef0123456789"
const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`
const OLD = `whsec_${Buffer.alloc(32, 8).toString("base64")}`

test("amounts are exact", () => {
  const raw = (value: string) => ({ raw: { value, precision: 20 }, numeric: Number(value) })
  for (const [amount, want] of [
    ["25", "25.00"], ["25.1", "25.10"], [25.1, "25.10"], [0.07, "0.07"], [1.005, "1.01"], [raw("59.970000000000000000"), "59.97"],
    [{ value: "12.345", precision: 20 }, "12.35"], ["12.344999", "12.34"], ["0.995", "1.00"], ["90071992547409.93", "90071992547409.93"],
    [raw("123456789012345678.99"), "123456789012345678.99"], [{ toFixed: () => "3.5" }, "3.50"], [19.99 * 3, "59.97"],
  ] as const) assert.equal(dollars(amount), want)
  for (const wrong of ["", "-1", "1e3", "0", "0.004", "1,5", "NaN", NaN, -5, 1e21, 90071992547409.93, null, undefined, {}, "0x1"]) {
    assert.throws(() => dollars(wrong), Error, String(wrong))
  }
})

function signed(body: string, secret = SECRET, stamp = "1000", id = "evt_1") {
  const mac = createHmac("sha256", Buffer.from(secret.slice(6), "base64")).update(`${id}.${stamp}.${body}`).digest("base64")
  return { "webhook-id": id, "webhook-timestamp": stamp, "webhook-signature": `v1,${mac}` }
}

test("only signed, recent and unchanged webhooks are accepted", () => {
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

type Call = { method: string; path: string; headers: Record<string, unknown>; body: Record<string, unknown> }

// A Coinslot of which a test says what it answers.
async function fake(t: { after(f: () => unknown): void }, answer: (call: Call, n: number) => [number, object] | "hang up", more = {}) {
  const calls: Call[] = []
  const server = createServer(async (request, response) => {
    let text = ""
    for await (const part of request) text += part
    const call = { method: request.method!, path: request.url!, headers: request.headers, body: text ? JSON.parse(text) : {} }
    calls.push(call)
    const said = answer(call, calls.length)
    if (said === "hang up") return request.socket.destroy()
    response.writeHead(said[0], { "Content-Type": "application/json", Location: "/elsewhere" }).end(JSON.stringify(said[1]))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  t.after(() => server.close())
  const log: string[] = []
  const logger = { warn: (line: string) => log.push(line), error: (line: string) => log.push(line) }
  const url = `http://127.0.0.1:${(server.address() as { port: number }).port}`
  const provider = new Provider({ logger } as never, { url, secretKey: KEY, webhookSecret: SECRET, ...more })
  return { calls, log, provider }
}

const session = (more = {}) => ({
  id: "cs_1", url: "https://pay.shop.example/checkout/cs_1", status: "open", version: 1, test: false, amount_usd: "59.97", order_ref: "payses_1",
  metadata: { medusa_payment_session: "payses_1", medusa_instance: "" }, late: false, missing_amount: "", overpaid_amount: "", review_reason: "", ...more,
})
const data = { id: "cs_1", session_id: "payses_1", opened: 0, amount_usd: "59.97", order_ref: "payses_1" }
const type = (want: string) => (error: { type: string }) => error.type === want

test("a session is opened once, for the exact amount", async (t) => {
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
    amount_usd: "59.97", order_ref: "payses_1", title: "Shop", currencies: ["USDT"],
    metadata: { medusa_payment_session: "payses_1", medusa_instance: "" },
  })
  await assert.rejects(initiate({ currency_code: "eur" }), type("invalid_data"))
  assert.equal(calls.length, 2)
  await initiate({ context: { coinslot_session: "cs_1" } }) // money that came for a session that is gone
  assert.equal(calls[2].method, "GET")
})

test("play money, refusals and redirects are errors", async (t) => {
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
  for (const [status, want] of Object.entries({
    open: "pending", preparing: "pending", pending: "pending", review: "pending", expired: "canceled", cancelled: "canceled", confirmed: "captured",
    "of a later version": "pending",
  })) {
    now = session({ status, late: true })
    const got = await provider.authorizePayment({ data })
    assert.equal(got.status, want, status)
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
  const { calls, provider } = await fake(t, ({ path, body }) => [200, session(path === "/v1/sessions" ? { id: "cs_2", amount_usd: body.amount_usd } : {})])
  assert.equal((await provider.updatePayment({ data, amount: "59.970", currency_code: "usd" })).data!.opened, 0)
  const again = calls.splice(0)
  assert.deepEqual(again.map(({ path, headers }) => [path, headers["idempotency-key"]]), [["/v1/sessions", "payses_1"]]) // reopens it
  const got = await provider.updatePayment({ data, amount: 10, currency_code: "usd" })
  assert.deepEqual(calls.map(({ path }) => path), ["/v1/sessions/cs_1/cancel", "/v1/sessions"])
  assert.equal(calls[1].headers["idempotency-key"], "payses_1-1")
  assert.deepEqual([got.data!.id, got.data!.amount_usd, got.data!.opened], ["cs_2", "10.00", 1])
})

test("repeated and older webhooks change nothing", () => {
  const seen = new Seen()
  const event = (type: string, version: number, id = "cs_1") => ({ type, timestamp: "", data: session({ id, version }) }) as Event
  const isNew = (id: string, said: Event) => {
    const isNext = seen.isNew(id, said)
    if (isNext) seen.keep(id, said)
    return isNext
  }
  assert.deepEqual([
    isNew("evt_1", event("checkout.partial", 4)), isNew("evt_1", event("checkout.partial", 4)), isNew("evt_2", event("checkout.pending", 3)),
    isNew("evt_3", event("checkout.pending", 3, "cs_2")), isNew("evt_4", event("checkout.confirmed", 2)), isNew("evt_4", event("checkout.confirmed", 2)),
    isNew("evt_5", event("checkout.expired", 5)),
  ], [true, false, false, true, true, false, true])
})

test("refunds are refused, or recorded with what to send", async (t) => {
  const refuses = await fake(t, () => [200, session()])
  await assert.rejects(refuses.provider.refundPayment({ data, amount: 10 }), /does not send refunds/)
  const records = await fake(t, () => [200, session()], { recordRefunds: true })
  assert.deepEqual((await records.provider.refundPayment({ data, amount: "10.5" })).data, data)
  assert.match(records.log[0], /send back 10\.50 USD of cs_1 \(payses_1\)/)
})

test("webhooks say what Medusa has to do", async (t) => {
  const { provider, log } = await fake(t, () => [200, session()], { instance: "" })
  const tell = (type: string, more = {}) => {
    const body = JSON.stringify({ type, data: session(more) })
    const stamp = String(Math.floor(Date.now() / 1000))
    return provider.getWebhookActionAndData({ data: {}, rawData: Buffer.from(body), headers: signed(body, SECRET, stamp) })
  }
  for (const [event, want] of Object.entries({
    "checkout.confirmed": "captured", "checkout.expired": "canceled", "checkout.cancelled": "canceled", "checkout.pending": "pending",
    "checkout.partial": "pending", "checkout.review": "pending", "checkout.of_a_later_version": "pending",
  })) {
    const got = await tell(event, { status: "confirmed", review_reason: "paid_amount_short" })
    assert.deepEqual([got.action, got.data!.session_id, String(got.data!.amount)], [want, "payses_1", "59.97"])
  }
  assert.match(log.join(), /cs_1 needs review: paid_amount_short/)
  for (const more of [{ test: true }, { metadata: {} }, { metadata: undefined }, { metadata: { medusa_payment_session: "payses_1", medusa_instance: "another" } }]) {
    assert.deepEqual(await tell("checkout.confirmed", more), { action: "not_supported" })
  }
  await assert.rejects(provider.getWebhookActionAndData({ data: {}, rawData: Buffer.from("{}"), headers: {} }), type("unauthorized"))
})
