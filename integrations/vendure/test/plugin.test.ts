// Tests of the plugin that need neither Vendure nor Coinslot: amounts, options, what it asks a
// small stand-in for Coinslot, and what webhooks do in a small stand-in for Vendure. Names are
// those of ../../README.md where it has one. With both it is tested by vendure.test.mjs.
import assert from "node:assert/strict"
import { Readable } from "node:stream"
import { test } from "node:test"
import { Call, KEY, OLD, SECRET, signed, startCoinslot } from "../../test/coinslot"
import type { Session } from "../src/client"
import { CoinslotResolver } from "../src/api"
import { Checkouts } from "../src/checkouts"
import { CoinslotController, keepBody } from "../src/controller"
import { coinslotPaymentHandler } from "../src/handler"
import { checkOptions } from "../src/options"
import { Opening } from "../src/opening"
import { coinslotOrderProcess } from "../src/order-process"
import { priceOf, priceText } from "../src/price"
import { Receiving } from "../src/receiving"
import { logged } from "./vendure"

test("amounts are exact", () => {
  for (const [amount, precision, currency, want] of [
    [5997, 2, "USD", "59.97 USD"],
    [7, 2, "USD", "0.07 USD"],
    [2500, 2, "EUR", "25.00 EUR"],
    [9007199254740991, 2, "USD", "90071992547409.91 USD"],
    [298000, 2, "JPY", "2980 JPY"],
    [298049, 2, "JPY", "2980 JPY"],
    [298050, 2, "JPY", "2981 JPY"],
    [2980, 0, "JPY", "2980 JPY"],
    [1230, 2, "KWD", "12.300 KWD"],
    [12345, 3, "KWD", "12.345 KWD"],
    [12345, 3, "EUR", "12.35 EUR"],
    [123449, 4, "EUR", "12.34 EUR"],
    [25, 0, "EUR", "25.00 EUR"],
    [0, 2, "EUR", "0.00 EUR"],
    [999999, 4, "EUR", "100.00 EUR"],
  ] as const)
    assert.equal(priceText(priceOf(amount, precision, currency)), want)
  for (const wrong of [-1, 0.5, NaN, 2 ** 53, Infinity])
    assert.throws(() => priceOf(wrong, 2, "USD"), /no whole number/)
})

const all = { url: "https://pay.shop.example", secretKey: KEY, webhookSecret: SECRET }
const check = (more: object, name = "main") =>
  checkOptions({ checkouts: { [name]: { ...all, ...more } } })

test("21: keeps the secret key on https", async (t) => {
  assert.throws(
    () => check({ url: "http://pay.shop.example" }),
    /option url of the checkout "main" .*must be https/,
  )
  for (const url of [
    "http://localhost:8080",
    "http://127.0.0.1:8080/",
    "http://[::1]:8080",
    "https://pay.shop.example:8443/",
  ])
    check({ url })
  const shop = await vendure(t, () => [302, {}])
  await assert.rejects(shop.open(), /status 302/)
  assert.ok(
    shop.calls.every(({ path }) => path === "/v1/sessions"),
    "a redirect was followed",
  )
})

test("options that are missing are named, and secrets are not", () => {
  check({})
  check({ webhookSecret: `${SECRET},${OLD}` })
  assert.throws(() => checkOptions({ checkouts: {} }), /checkouts has none/)
  assert.throws(() => checkOptions({} as never), /checkouts has none/)
  assert.throws(() => check({}, "Main shop"), /must be of small letters/)
  for (const [name, value] of [
    ["url", "pay.shop.example"],
    ["url", undefined],
    ["url", "https://user:pw@pay.shop.example"],
    ["secretKey", "short-key"],
    ["secretKey", undefined],
    ["webhookSecret", "whsec_c2hvcnQ="],
    ["webhookSecret", undefined],
    ["webhookSecret", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLwAAAAAAAAAA"],
  ] as const) {
    assert.throws(
      () => check({ [name]: value }),
      (error: Error) =>
        error.message.includes(`option ${name} of the checkout "main"`) &&
        !(value && name !== "url" && error.message.includes(value)),
    )
  }
})

const session = (more = {}) =>
  ({
    id: "cs_1",
    url: "https://pay.shop.example/checkout/cs_1",
    status: "open",
    version: 1,
    test: false,
    amount: "59.97",
    currency: "USD",
    amount_usd: "59.97",
    order_ref: "ABC",
    metadata: { vendure_order: "ABC" },
    late: false,
    missing_amount: "",
    overpaid_amount: "",
    review_reason: "",
    attempts: [{ transactions: [{ tx_id: "7f2b" }] }],
    refunds: [],
    ...more,
  }) as unknown as Session

// What Coinslot answers to a new order: its price and reference as they were sent, and an id of its
// own.
function opened({ amount, currency, order_ref }: Record<string, unknown>, more = {}) {
  return session({
    amount,
    currency,
    order_ref,
    id: order_ref === "ABC" ? "cs_1" : `cs_of_${order_ref}`,
    ...more,
  })
}

type Row = Record<string, any>

/** The rows of one table. Only what the plugin asks for is there. */
class Table {
  rows: Row[] = []
  manager: { queryRunner?: { isTransactionActive: true; undone: Promise<void> } } = {}

  private matching = (where: Row) =>
    this.rows.filter((row) =>
      Object.entries(where).every(([name, want]) => {
        if (want?.not !== undefined) return row[name] !== want.not
        return row[name] === want
      }),
    )

  findBy = async (where: Row) => structuredClone(this.matching(where))
  findOneByOrFail = async (where: Row) => structuredClone(this.matching(where)[0])
  findOneBy = async (where: Row) => structuredClone(this.matching(where)[0] ?? null)
  findOneOrFail = async ({ where }: { where: Row }) => structuredClone(this.matching(where)[0])
  countBy = async (where: Row) => this.matching(where).length
  update = async (id: number, change: Row) =>
    void Object.assign(this.matching({ id })[0], structuredClone(change))

  async save(row: Row) {
    const stored = {
      id: this.rows.length + 1,
      sessionId: "",
      state: "open",
      status: "",
      version: 0,
      ...row,
    }
    this.rows.push(stored)
    return structuredClone(stored)
  }
}

/**
 * A Vendure with one order of 59.97 USD, whose code is ABC, and a Coinslot of which a test says
 * what it answers.
 */
async function vendure(
  t: { after(f: () => unknown): void },
  answer: (call: Call, n: number) => [number, object] | "hang up",
  more = {},
) {
  const { calls, url } = await startCoinslot(t, answer)
  const order: Row | undefined = {
    id: 1,
    code: "ABC",
    state: "ArrangingPayment",
    totalWithTax: 5997,
    currencyCode: "USD",
    payments: [],
  }
  const table = new Table()
  const notes: string[] = []
  const events: string[] = []
  const world: { order: Row | undefined; busy: Promise<unknown> } = {
    order,
    busy: Promise.resolve(),
  }
  const query: any = new Proxy(
    {},
    { get: (_, name) => (name === "getOne" ? async () => world.order : () => query) },
  )
  const connection = {
    // with a context and an entity, or, outside of all transactions, with an entity
    getRepository: (first: { name?: string }, entity = first) =>
      entity.name === "CoinslotSession" ? table : { createQueryBuilder: () => query },
    // one after the other, as the lock of the order has it; what failed is undone
    withTransaction: (ctx: object, work: (ctx: object) => Promise<unknown>) => {
      const next = world.busy
        .catch(() => {})
        .then(async () => {
          const before = structuredClone([world.order, table.rows, notes, events] as [
            Row,
            Row[],
            string[],
            string[],
          ])
          let end = { undo: () => {}, commit: () => {} }
          const undone = new Promise<void>((undo, commit) => (end = { undo, commit }))
          undone.catch(() => {}) // nothing has to wait for it
          table.manager = { queryRunner: { isTransactionActive: true, undone } }
          try {
            const result = await work(ctx)
            end.commit()
            return result
          } catch (error) {
            Object.assign(world.order ?? {}, before[0])
            table.rows = before[1]
            notes.splice(0, Infinity, ...before[2])
            events.splice(0, Infinity, ...before[3])
            end.undo()
            throw error
          } finally {
            table.manager = {}
          }
        })
      world.busy = next
      return next
    },
  }
  const config = { entityOptions: { moneyStrategy: {} } }
  const handler = coinslotPaymentHandler as any
  handler.init({ get: () => config })
  const pay = async (ctx: object, paid: Row, amount: number, method: string, metadata: object) => {
    const payment = { ...handler.createPayment(ctx, paid, amount, {}, metadata), method }
    paid.payments.push(payment)
    return payment
  }
  const orders = {
    findOne: async () => world.order,
    getOrderPayments: async () => world.order!.payments,
    getEligiblePaymentMethods: async () => [
      { code: "coins", isEligible: true },
      { code: "card", isEligible: true },
    ],
    addNoteToOrder: async (_: object, { note }: { note: string }) => void notes.push(note),
    transitionToState: async (_: object, id: number, state: string) =>
      Object.assign(world.order!, { state }),
    addPaymentToOrder: async (
      ctx: object,
      id: number,
      { method, metadata }: { method: string; metadata: object },
    ) => {
      await pay(ctx, world.order!, world.order!.totalWithTax, method, metadata)
      return Object.assign(world.order!, { state: "PaymentSettled" })
    },
  }
  const methods = {
    getMethodAndOperations: async (_: object, code: string) => ({
      handler: { code: code === "coins" ? "coinslot" : "dummy" },
      paymentMethod: { handler: { args: [{ name: "checkout", value: "main" }] } },
    }),
  }
  const options = { checkouts: { main: { ...all, url, ...more } } }
  const bus = {
    publish: async ({ type, unmatched }: { type: string; unmatched: string }) =>
      events.push(type + (unmatched && " unmatched")),
  }
  const checkouts = new Checkouts(options)
  const opening = new Opening(
    checkouts,
    connection as never,
    orders as never,
    methods as never,
    config as never,
    { awaitRollback: ({ undone }: { undone: Promise<void> }) => undone } as never,
  )
  const receiving = new Receiving(
    checkouts,
    connection as never,
    orders as never,
    { createPayment: pay } as never,
    { findOne: async () => ({}) } as never,
    { create: async () => ({}) } as never,
    config as never,
    bus as never,
  )
  const controller = new CoinslotController(checkouts, receiving)
  const activeOrders = { getActiveOrder: async () => world.order }
  const resolver = new CoinslotResolver(activeOrders as never, opening, receiving)

  /** Posts a body to the webhook's URL, and returns the status. */
  async function post(body: string, headers: object = signed(body, SECRET, now()), name = "main") {
    const request: any = Object.assign(Readable.from([Buffer.from(body)]), { headers })
    await new Promise<void>((resolve) => keepBody(request, {} as never, () => resolve()))
    let status = 0
    const response = { writeHead: (code: number) => ((status = code), { end: () => {} }) }
    await controller.receive(name, request, response as never)
    return status
  }

  const tell = (type: string, change = {}, id = "") => {
    const body = JSON.stringify({ type, timestamp: "", data: session(change) })
    return post(body, signed(body, SECRET, now(), id || `evt_${body.replace(/\W/g, "")}`))
  }
  const states = () => table.rows.map(({ orderRef, state }) => `${orderRef} ${state}`)
  return {
    calls,
    table,
    notes,
    events,
    orders,
    post,
    tell,
    states,
    opening,
    receiving,
    connection,
    world,
    order: order as Row,
    open: (method = "coins") =>
      resolver.createCoinslotSession({ channelId: 1 } as never, { method }),
  }
}

const now = () => String(Math.floor(Date.now() / 1000))

/** A Vendure whose order has a session. Coinslot calls it whatever `is` says. */
async function waiting(t: { after(f: () => unknown): void }, more = {}) {
  const is: Row = {}
  const shop = await vendure(
    t,
    ({ path, body }) => [
      200,
      path === "/v1/sessions" ? opened(body) : session({ status: "confirmed", version: 9, ...is }),
    ],
    more,
  )
  await shop.open()
  return { ...shop, is }
}

test("1: pending pays nothing", async (t) => {
  const { order, notes, tell } = await waiting(t)
  assert.equal(await tell("checkout.pending", { status: "pending" }), 204)
  assert.deepEqual(
    [order.state, order.payments, notes],
    ["ArrangingPayment", [], ["Coinslot: pending"]],
  )
})

test("2: partial never pays", async (t) => {
  const { order, notes, tell } = await waiting(t)
  assert.equal(
    await tell("checkout.partial", { status: "pending", version: 2, missing_amount: "0.01" }),
    204,
  )
  assert.deepEqual(notes, ["Coinslot: pending, 0.01 is missing"])
  for (const type of [
    "pending",
    "partial",
    "expired",
    "cancelled",
    "review",
    "refund",
    "of_a_later_version",
  ]) {
    await tell(`checkout.${type}`, { status: "confirmed", version: 3, missing_amount: "0.01" })
  }
  assert.deepEqual([order.state, order.payments], ["ArrangingPayment", []])
})

test("3: confirmed pays once", async (t) => {
  const { order, notes, events, tell, open } = await waiting(t)
  await tell("checkout.pending", { status: "pending", version: 1 })
  await Promise.all(
    [1, 2, 3].map((n) =>
      tell("checkout.confirmed", { status: "confirmed", version: 2 }, `evt_${n}`),
    ),
  )
  await tell("checkout.confirmed", { status: "confirmed", version: 2 })
  const want = { amount: 5997, state: "Settled", transactionId: "cs_1", method: "coins" }
  const [payment, ...others] = order.payments
  assert.deepEqual({ ...payment, metadata: undefined }, { ...want, metadata: undefined })
  assert.deepEqual(
    [others, order.state, notes],
    [[], "PaymentSettled", ["Coinslot: pending", "Coinslot: confirmed"]],
  )
  assert.deepEqual(payment.metadata.transactions, ["7f2b"])
  assert.deepEqual(events, ["checkout.pending", "checkout.confirmed"])
  await assert.rejects(open(), /has to be in ArrangingPayment, and is PaymentSettled/)
})

test("3: only what Coinslot's API calls confirmed pays", async (t) => {
  const { is, order, notes, tell } = await waiting(t)
  for (const status of [
    "open",
    "pending",
    "review",
    "expired",
    "cancelled",
    "of a later version",
  ]) {
    is.status = status
    assert.equal(await tell("checkout.confirmed", { status: "confirmed" }), 503, status)
  }
  assert.deepEqual([order.state, order.payments, notes], ["ArrangingPayment", [], []])
  const pay = (metadata: object) =>
    (coinslotPaymentHandler as any).createPayment({}, order, 5997, {}, metadata)
  for (const metadata of [{}, { session: session({ status: "confirmed" }) }, { session: "cs_1" }]) {
    assert.throws(() => pay(metadata), /Call createCoinslotSession/)
  }
})

test("4: late pays all the same", async (t) => {
  const { is, order, notes, tell } = await waiting(t)
  Object.assign(is, { late: true })
  await tell("checkout.expired", { status: "expired", version: 2 })
  await tell("checkout.confirmed", { status: "confirmed", version: 3, late: true })
  assert.deepEqual(
    [order.state, order.payments.length, notes],
    ["PaymentSettled", 1, ["Coinslot: expired", "Coinslot: confirmed, late"]],
  )

  const canceled = await waiting(t)
  canceled.order.state = "Cancelled"
  await canceled.tell("checkout.confirmed")
  assert.deepEqual([canceled.order.state, canceled.order.payments.length], ["Cancelled", 1])
  assert.deepEqual(canceled.notes, [
    "Coinslot: confirmed. The order was canceled before. Refund it",
  ])

  const gone = await waiting(t)
  gone.world.order = undefined
  assert.equal(await gone.tell("checkout.confirmed"), 204)
  assert.match(
    logged.join("\n"),
    /error: ABC, cs_1: Coinslot: confirmed\. The order was deleted\. Deliver or refund it/,
  )
})

test("5: over pays, and is noted", async (t) => {
  const { is, order, notes, tell } = await waiting(t)
  Object.assign(is, { overpaid_amount: "0.5" })
  await tell("checkout.confirmed", { overpaid_amount: "0.5" })
  assert.deepEqual([order.state, notes], ["PaymentSettled", ["Coinslot: confirmed, 0.5 too much"]])
})

test("6: expired asks again", async (t) => {
  let is: object = {}
  const { calls, open, tell, states } = await vendure(t, ({ body }) => [201, opened(body, is)])
  for (const status of ["open", "preparing", "pending", "review"]) {
    is = { status }
    assert.equal((await open()).status, status)
  }
  await tell("checkout.expired", { status: "expired", version: 3 })
  is = { status: "expired" } // reopened, unless a part was paid
  await assert.rejects(open(), /The time is over, and a part was paid/)
  assert.deepEqual(
    [...new Set(calls.map(({ path, headers }) => `${path} ${headers["idempotency-key"]}`))],
    ["/v1/sessions ABC"],
  )
  assert.equal(new Set(calls.map(({ body }) => JSON.stringify(body))).size, 1)

  const gone = await vendure(t, ({ body }, n) => [
    201,
    opened(body, n === 1 ? { status: "expired", deleted: true } : {}),
  ])
  assert.equal((await gone.open()).id, "cs_of_ABC-1")
  assert.deepEqual([gone.states(), states()], [["ABC closed", "ABC-1 open"], ["ABC open"]])
})

test("7: cancelled stays canceled", async (t) => {
  const { calls, open, order } = await vendure(t, ({ body }) => [
    201,
    opened(body, { status: "cancelled" }),
  ])
  for (let n = 0; n < 2; n++) await assert.rejects(open(), /was canceled in Coinslot, and stays so/)
  assert.deepEqual([...new Set(calls.map(({ headers }) => headers["idempotency-key"]))], ["ABC"])
  assert.equal(order.state, "ArrangingPayment")
})

test("8: review waits for a person", async (t) => {
  const { order, notes, tell } = await waiting(t)
  await tell("checkout.review", { status: "review", version: 2, review_reason: "amount_differs" })
  await tell("checkout.review", { status: "review", version: 2, review_reason: "amount_differs" })
  assert.deepEqual([order.payments, notes], [[], ["Coinslot: review (amount_differs)"]])
  await tell("checkout.confirmed")
  await tell("checkout.review", {
    status: "confirmed",
    version: 9,
    review_reason: "paid_after_confirmation",
  })
  assert.deepEqual(
    [order.payments.length, notes.slice(1)],
    [1, ["Coinslot: confirmed", "Coinslot: confirmed (paid_after_confirmation)"]],
  )
})

test("9: refund sends no coins", async (t) => {
  const { order, notes, receiving, tell } = await waiting(t)
  await tell("checkout.confirmed")
  const handler = coinslotPaymentHandler as any
  // so Vendure's refund is pending until the operator settles it
  assert.equal(handler.createRefund, undefined)
  assert.throws(() => handler.cancelPayment(), /cannot be called back/)
  assert.equal(handler.settlePayment({}, order, { state: "Settled" }).success, true)
  assert.equal(handler.settlePayment({}, order, { state: "Authorized" }).success, false)

  const refunded = (transactionId: string) =>
    (receiving as any).noteRefund({
      ctx: {},
      order,
      refund: { total: 1000, payment: { transactionId } },
    })
  await refunded("of a card")
  await refunded("cs_1")
  await tell("checkout.refund", {
    status: "confirmed",
    version: 9,
    refunds: [{ amount: "2.5", currency_symbol: "USDT", tx_id: "7f2b" }],
  })
  assert.match(notes[1], /sends no coins. Send back what 10\.00 USD are from your own wallet/)
  assert.deepEqual([notes.length, notes[2]], [3, "Coinslot: confirmed, 2.5 USDT sent back by 7f2b"])
})

test("10: a second payment is noted once", async (t) => {
  const { order, notes, events, tell } = await waiting(t)
  Object.assign(order, {
    state: "PaymentSettled",
    payments: [{ amount: 5997, transactionId: "of a card" }],
  })
  for (const id of ["evt_1", "evt_1", "evt_2"])
    assert.equal(await tell("checkout.confirmed", {}, id), 204)
  assert.equal(order.payments.length, 1)
  assert.deepEqual(
    [notes, events],
    [
      ["Coinslot: confirmed. The order was paid already. Refund it"],
      ["checkout.confirmed unmatched"],
    ],
  )
})

test("11: verifies the signature", async (t) => {
  const { order, post, notes } = await waiting(t)
  const body = JSON.stringify({ type: "checkout.confirmed", data: session() })
  const good = () => signed(body, SECRET, now())
  for (const [name, sent, headers] of [
    ["another secret", body, signed(body, OLD, now())],
    ["changed", `${body} `, good()],
    ["old", body, signed(body, SECRET, "1000")],
    ["another id", body, { ...good(), "webhook-id": "evt_2" }],
    ["nothing", body, {}],
    ["no JSON", "not signed", {}],
  ] as const)
    assert.equal(await post(sent, headers), 401, name)
  assert.equal(await post(body, good(), "another"), 404)
  assert.equal(await post(body, good(), "constructor"), 404)
  assert.deepEqual([order.payments, notes], [[], []])
  assert.equal(await post(body, good()), 204)
  assert.equal(order.payments.length, 1)
})

test("12: ignores repeated events", async (t) => {
  const { is, notes, events, tell } = await waiting(t)
  is.version = 6
  const each: [string, object][] = [
    ["checkout.pending", { version: 2, status: "pending" }],
    ["checkout.partial", { version: 3, missing_amount: "5" }],
    ["checkout.expired", { version: 4, status: "expired" }],
    ["checkout.review", { version: 5, status: "review" }],
    ["checkout.confirmed", { version: 6 }],
  ]
  for (const [type, more] of [...each, ...each]) await tell(type, more)
  for (const [type, more] of [...each].reverse()) await tell(type, more)
  await Promise.all([1, 2].map(() => tell("checkout.review", { version: 7, status: "confirmed" })))
  assert.deepEqual([events.length, notes.length], [6, 6])
})

test("13: ignores older versions", async (t) => {
  const { is, order, events, table, tell } = await waiting(t)
  is.version = 4
  await tell("checkout.expired", { version: 6, status: "expired" })
  await tell("checkout.partial", { version: 5, status: "pending" })
  await tell("checkout.partial", { version: 6, status: "expired" }) // of the same change
  assert.deepEqual(events, ["checkout.expired", "checkout.partial"])
  await tell("checkout.confirmed", { version: 4, status: "confirmed" })
  // a payment counts
  assert.deepEqual([events[2], order.state], ["checkout.confirmed", "PaymentSettled"])
  assert.deepEqual([table.rows[0].version, table.rows[0].status], [6, "confirmed"])
})

test("14: notes events of every session", async (t) => {
  const { order, notes, open, tell } = await waiting(t)
  order.totalWithTax = 1000
  await open()
  await tell("checkout.partial", { version: 3, missing_amount: "5" })
  await tell("checkout.review", {
    version: 4,
    status: "review",
    review_reason: "paid_amount_short",
  })
  await tell("checkout.pending", {
    id: "cs_of_ABC-1",
    order_ref: "ABC-1",
    status: "pending",
    amount: "10.00",
  })
  assert.deepEqual(notes, [
    "Coinslot: open, 5 is missing",
    "Coinslot: review (paid_amount_short)",
    "Coinslot: pending",
  ])
})

test("15: answers so that nothing is lost", async (t) => {
  const { order, orders, notes, events, tell } = await waiting(t)
  const { addPaymentToOrder, addNoteToOrder } = orders
  orders.addPaymentToOrder = async () =>
    ({ errorCode: "ORDER_PAYMENT_STATE_ERROR", message: "no" }) as never
  assert.equal(await tell("checkout.confirmed"), 503)
  orders.addPaymentToOrder = addPaymentToOrder
  orders.addNoteToOrder = () => Promise.reject(new Error("no database"))
  assert.equal(await tell("checkout.confirmed"), 503)
  assert.deepEqual([order.state, order.payments, events], ["ArrangingPayment", [], []])
  orders.addNoteToOrder = addNoteToOrder
  assert.equal(await tell("checkout.confirmed"), 204)
  assert.equal(await tell("checkout.confirmed"), 204)
  assert.deepEqual(
    [order.state, order.payments.length, notes],
    ["PaymentSettled", 1, ["Coinslot: confirmed"]],
  )
})

test("16: server down opens nothing twice", async (t) => {
  const { calls, open, order, states } = await vendure(
    t,
    ({ body }, n) => (n === 1 ? "hang up" : [201, opened(body)]),
    { title: "Shop", currencies: ["USDT"] },
  )
  await assert.rejects(open(), /the checkout "main" does not answer/)
  assert.equal(order.state, "ArrangingPayment")
  assert.equal((await open()).id, "cs_1")
  assert.deepEqual(calls[1], { ...calls[0], headers: calls[1].headers }) // sent again, the same
  assert.equal(calls[1].headers["idempotency-key"], "ABC")
  assert.equal(calls[1].headers.authorization, `Bearer ${KEY}`)
  assert.deepEqual(calls[1].body, {
    amount: "59.97",
    currency: "USD",
    order_ref: "ABC",
    title: "Shop",
    currencies: ["USDT"],
    metadata: { vendure_order: "ABC" },
  })
  assert.deepEqual(states(), ["ABC open"])
})

test("16: a request whose answer was lost is found before the price changes", async (t) => {
  const { calls, open, order, states } = await vendure(t, ({ path, body }, n) =>
    n === 1
      ? "hang up"
      : [200, path === "/v1/sessions" ? opened(body) : session({ status: "cancelled" })],
  )
  await assert.rejects(open())
  order.totalWithTax = 1000
  assert.equal((await open()).amount, "10.00")
  assert.deepEqual(
    calls.map(({ path, headers }) => `${path} ${headers["idempotency-key"] ?? ""}`),
    ["/v1/sessions ABC", "/v1/sessions ABC", "/v1/sessions/cs_1/cancel ", "/v1/sessions ABC-1"],
  )
  assert.deepEqual(states(), ["ABC closed", "ABC-1 open"])
})

test("17: cancels the older session first", async (t) => {
  for (const [refusal, state] of [
    [[409, { code: "payment_in_progress" }], "open"],
    [[409, { code: "session_paid" }], "open"],
    [[503, { code: "gateway_unavailable" }], "closing"],
    [[404, {}], "closing"],
    ["hang up", "closing"],
  ] as [[number, object] | "hang up", string][]) {
    let isBack = false
    const shop = await vendure(t, ({ path, body }) =>
      path === "/v1/sessions" ? [201, opened(body)] : isBack ? [200, session()] : refusal,
    )
    await shop.open()
    shop.order.totalWithTax = 1000
    await assert.rejects(shop.open())
    assert.deepEqual(
      [shop.calls.map(({ path }) => path), shop.states()],
      [["/v1/sessions", "/v1/sessions/cs_1/cancel"], [`ABC ${state}`]],
    )
    isBack = true
    assert.equal((await shop.open()).amount, "10.00")
    assert.deepEqual(shop.states(), ["ABC closed", "ABC-1 open"])
  }
})

test("17: a changed order has no session that can be paid", async (t) => {
  let status = 200
  const { calls, open, order, opening, states } = await vendure(t, ({ path, body }) =>
    path === "/v1/sessions"
      ? [201, opened(body)]
      : [status, status === 200 ? session() : { code: "payment_in_progress" }],
  )
  const process = coinslotOrderProcess as any
  process.init({ get: () => opening })
  const leave = (to: string, apiType = "shop", from = "ArrangingPayment") =>
    process.onTransitionStart(from, to, { ctx: { apiType }, order })
  await open()
  await leave("ArrangingPayment", "shop", "AddingItems")
  assert.equal(calls.length, 1)
  status = 409
  assert.match(await leave("AddingItems"), /may be on its way, so this order can't be changed now/)
  for (const [to, apiType] of [
    ["AddingItems", "admin"],
    ["Cancelled", "admin"],
    ["PaymentSettled", "shop"],
  ]) {
    assert.equal(await leave(to, apiType), undefined) // an operator decides, and a card has paid
  }
  assert.deepEqual(states(), ["ABC open"])
  status = 200
  order.state = "PaymentSettled" // by a webhook, since the caller has read the order
  for (const to of ["AddingItems", "Cancelled", "PaymentAuthorized"]) {
    assert.match(await leave(to, "admin"), /was paid or changed just now/)
  }
  order.state = "ArrangingPayment"
  assert.equal(await leave("AddingItems"), undefined)
  assert.deepEqual([calls.at(-1)!.path, states()], ["/v1/sessions/cs_1/cancel", ["ABC closed"]])
  assert.equal((await open()).id, "cs_of_ABC-1")
})

test("18: compares amount and currency", async (t) => {
  for (const change of [
    { amount: "59.96" },
    { amount: "5997" },
    { currency: "EUR" },
    { amount: "55.00", currency: "EUR" },
  ]) {
    const { is, order, events, notes, tell } = await waiting(t)
    Object.assign(is, change)
    await tell("checkout.confirmed", change)
    assert.deepEqual(
      [order.state, order.payments, events],
      ["ArrangingPayment", [], ["checkout.confirmed unmatched"]],
      JSON.stringify(change),
    )
    assert.match(notes[0], /was paid, and 59\.97 USD is due. Deliver or refund it/)
  }
  for (const [totalWithTax, currencyCode, want] of [
    [2500, "EUR", "25.00 EUR"],
    [298000, "JPY", "2980 JPY"],
    [1250, "KWD", "12.500 KWD"],
  ] as const) {
    const { calls, open, order } = await vendure(t, ({ body }) => [201, opened(body)])
    Object.assign(order, { totalWithTax, currencyCode })
    await open()
    assert.equal(`${calls[0].body.amount} ${calls[0].body.currency}`, want)
  }
  const part = await waiting(t) // the rest of an order that a voucher has paid in part
  part.order.payments.push({ amount: 997, transactionId: "of a voucher" })
  assert.equal((await part.open()).amount, "50.00")
  const other = await vendure(t, ({ body }) => [201, opened({ ...body, amount: "59.98" })])
  await assert.rejects(other.open(), /cs_1 is for 59\.98 USD, not for 59\.97 USD/)
})

test("19: no rate refuses with words", async (t) => {
  const refusals: [number, object][] = [
    [400, { code: "currency_unsupported", detail: "supported currencies: EUR, USD" }],
    [503, { code: "rate_unavailable", detail: "the rate of CHF is too old" }],
  ]
  const { calls, open, states } = await vendure(
    t,
    ({ body }, n) => refusals[n - 1] ?? [201, opened(body)],
  )
  await assert.rejects(open(), /currency_unsupported: supported currencies: EUR, USD/)
  await assert.rejects(open(), /rate_unavailable: the rate of CHF is too old/)
  assert.equal(calls.length, 2)
  // what was refused is not sent again: another setting may be right
  assert.deepEqual(states(), ["ABC closed", "ABC-1 open"])
  assert.equal((await open()).id, "cs_of_ABC-1")
})

test("20: refuses play money", async (t) => {
  const { open } = await vendure(t, ({ body }) => [201, opened(body, { test: true })])
  await assert.rejects(open(), /play money only: see acceptTestPayments/)
  const { is, order, notes, tell } = await waiting(t)
  assert.equal(await tell("checkout.confirmed", { test: true }), 204)
  is.test = true
  assert.equal(await tell("checkout.confirmed"), 204) // the API knows better
  assert.deepEqual([order.payments, notes], [[], []])
  assert.match(logged.join("\n"), /cs_1 is play money/)

  const sandbox = await waiting(t, { acceptTestPayments: true })
  sandbox.is.test = true
  await sandbox.tell("checkout.confirmed", { test: true })
  assert.equal(sandbox.order.state, "PaymentSettled")
})

test("9: a confirmation that was taken back is an error", async (t) => {
  const { notes, tell } = await waiting(t)
  await tell("checkout.confirmed", { status: "confirmed", version: 9 })
  const reason = "confirmation_taken_back"
  await tell("checkout.review", { status: "confirmed", version: 10, review_reason: reason })
  assert.match(notes.at(-1)!, /confirmed \(confirmation_taken_back\)\. Do not ship/)
  assert.match(logged.at(-1)!, /Do not ship/)
})

test("10: an order that was paid meanwhile gets no session", async (t) => {
  const { order, open, states, world } = await vendure(t, ({ body }) => [200, opened(body)])
  world.busy = new Promise<void>((done) =>
    setImmediate(() => {
      order.state = "PaymentSettled"
      done()
    }),
  )
  await assert.rejects(open(), /was paid or changed just now/)
  assert.deepEqual(states(), [])
})

test("17: a session that was canceled stays so if the order's change is undone", async (t) => {
  let canceled = false
  const { connection, open, opening, order, states } = await vendure(t, ({ path, body }) => {
    if (path.endsWith("/cancel")) canceled = true
    const isFirst = (body as Row).order_ref === "ABC"
    return [200, opened(body, canceled && isFirst ? { status: "cancelled" } : {})]
  })
  await open()
  coinslotOrderProcess.init!({ get: () => opening } as never)
  const change = connection.withTransaction({}, async (ctx: object) => {
    const asked = { ctx, order } as never
    await coinslotOrderProcess.onTransitionStart!("ArrangingPayment", "AddingItems", asked)
    throw new Error("undone")
  })
  await assert.rejects(change, /undone/)
  for (let n = 0; n < 1000 && states()[0] !== "ABC closed"; n++) {
    await new Promise(setImmediate)
  }
  assert.deepEqual(states(), ["ABC closed"])
  assert.equal((await open()).status, "open")
  assert.deepEqual(states(), ["ABC closed", "ABC-1 open"])
})

test("18: money that did not pay the order is not called a payment of it", async (t) => {
  let isPaid = false
  const confirmed = { status: "confirmed", version: 9 }
  const { open, order, tell } = await vendure(t, ({ path, body }) => {
    if (path !== "/v1/sessions") return [200, session(confirmed)]
    return [200, opened(body, isPaid ? confirmed : {})]
  })
  await open()
  isPaid = true
  order.totalWithTax = 9999
  await tell("checkout.confirmed", confirmed)
  order.totalWithTax = 5997
  await assert.rejects(open(), /contact the shop/)
  assert.equal(order.state, "ArrangingPayment")
})

test("18: a session of another order pays nothing", async (t) => {
  const other = session({ id: "cs_other", order_ref: "XYZ", status: "confirmed", version: 9 })
  const { open, order, tell } = await vendure(t, ({ path }) =>
    path === "/v1/sessions" ? "hang up" : [200, other],
  )
  await assert.rejects(open())
  const status = await tell("checkout.confirmed", { id: "cs_other", status: "confirmed" })
  assert.equal(status, 503)
  assert.deepEqual(order.payments, [])
})

test("the shopper's page may come before the webhook", async (t) => {
  const { order, notes, open, tell } = await vendure(t, ({ path, body }, n) => [
    200,
    path === "/v1/sessions"
      ? opened(body, n > 1 ? { status: "confirmed" } : {})
      : session({ status: "confirmed" }),
  ])
  await open()
  assert.equal((await open()).status, "confirmed")
  assert.equal(await tell("checkout.confirmed"), 204)
  assert.deepEqual(
    [order.state, order.payments.length, notes],
    ["PaymentSettled", 1, ["Coinslot: confirmed"]],
  )
})

test("events of other shops and of unknown orders change nothing", async (t) => {
  const { order, notes, calls, tell } = await waiting(t)
  for (const change of [
    { order_ref: "XYZ" },
    { id: "cs_2" },
    { order_ref: "XYZ", metadata: {} },
    { order_ref: undefined, id: undefined },
  ]) {
    assert.equal(await tell("checkout.confirmed", change), 204)
  }
  assert.deepEqual([order.payments, notes, calls.length], [[], [], 1])
  assert.match(
    logged.join("\n"),
    /cs_1 was paid for ABC, an unknown order: deliver or refund it/,
  )
})

test("a payment method of another handler is refused", async (t) => {
  const { calls, open } = await vendure(t, () => [500, {}])
  await assert.rejects(open("card"), /card is not one of Coinslot/)
  assert.equal(calls.length, 0)
})
