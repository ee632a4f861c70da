// Coinslot's API and webhooks, without anything of Medusa's.
import { createHmac, timingSafeEqual } from "node:crypto"

export type Options = {
  /** The checkout's COINSLOT_PUBLIC_URL, such as https://pay.shop.example. */
  url: string
  /** Its COINSLOT_SECRET_KEY. */
  secretKey: string
  /** Its COINSLOT_WEBHOOK_SECRET, "whsec_…". While you change it, "<new>,<old>". */
  webhookSecret: string
  /** Shown to the shopper as the order's title. */
  title?: string
  /** Allowed coins, such as "USDT" or "USDT_trc20"; absent = all. */
  currencies?: string[]
  /** Where the checkout's page leads after the payment. */
  successUrl?: string
  /** Tells apart several Medusas that share a checkout. */
  instance?: string
  /** Accepts play money of a sandbox. Never in production. */
  acceptTestPayments?: boolean
  /** Refunds succeed in Medusa. You send the coins yourself, as the log says. */
  recordRefunds?: boolean
}

/** Members of Coinslot's session object that the provider reads. Amounts are decimal text. */
export type Session = {
  id: string
  url: string
  status: "open" | "preparing" | "pending" | "confirmed" | "expired" | "cancelled" | "review"
  version: number
  test: boolean
  /** Absent while the session exists. */
  deleted?: boolean
  /** What is charged, in dollars. */
  amount_usd: string
  /** The price as it was sent, with all digits of its currency; absent = amount_usd, of before other currencies. */
  amount?: string
  currency?: string
  order_ref: string
  metadata: Record<string, string>
  late: boolean
  missing_amount: string
  overpaid_amount: string
  review_reason: string
}

/** A price: decimal text with all digits of its currency, whose ISO 4217 code is in capitals. */
export type Price = { amount: string; currency: string }

export type Event = { type: string; timestamp: string; data: Session }

/** Metadata of a Coinslot session: the payment session of Medusa that it pays, and of which Medusa. */
export const PAYMENT_SESSION = "medusa_payment_session"
export const INSTANCE = "medusa_instance"

/** An answer of Coinslot that is no success, or none: then status is 0. */
export class CoinslotError extends Error {
  constructor(readonly status: number, readonly code: string, message: string) {
    super(message)
  }
}

/** Throws an error that names the option that is missing or wrong. It never holds a secret. */
export function checkOptions(options: Partial<Options>): asserts options is Options {
  checkURL(options.url)
  if ((options.secretKey ?? "").length < 32) throw wrong("secretKey", "must be the checkout's COINSLOT_SECRET_KEY")
  for (const secret of (options.webhookSecret ?? "").split(",")) {
    if (signingKey(secret).length < 24) throw wrong("webhookSecret", "must be the checkout's COINSLOT_WEBHOOK_SECRET, whsec_…")
  }
}

const wrong = (name: string, why: string) => new Error(`Coinslot payment provider: the option ${name} ${why}`)

/** Refuses a URL by which the secret key would leave this machine without https. */
function checkURL(url: string | undefined) {
  const host = /^(https?):\/\/([^/?#@\\\s]+?)(?::\d+)?\/?$/i.exec(url ?? "")
  if (!host) throw wrong("url", "must be like https://pay.shop.example")
  const local = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i.test(host[2])
  if (host[1].toLowerCase() !== "https" && !local) {
    throw wrong("url", "must be https (http only for localhost): the secret key travels with each request")
  }
}

const signingKey = (secret: string) =>
  /^whsec_[A-Za-z0-9+/]+=*$/.test(secret.trim()) ? Buffer.from(secret.trim().slice(6), "base64") : Buffer.alloc(0)

// Currencies with another number of digits after the point than two. Source: ISO 4217.
const NO_DIGITS = "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF"
const THREE_DIGITS = "BHD IQD JOD KWD LYD OMR TND"

function digitsOf(currency: string): number {
  if (NO_DIGITS.split(" ").includes(currency)) return 0
  return THREE_DIGITS.split(" ").includes(currency) ? 3 : 2
}

/**
 * Returns an amount of Medusa's as a price, rounded half up to the digits of its currency. It calculates with digits only.
 * Medusa's BigNumber, its raw value, text and numbers are accepted; a number that is not exact is an error.
 */
export function priceOf(amount: unknown, code: string): Price {
  const currency = code.toUpperCase()
  const text = amountText(amount)
  const parts = /^(\d+)(?:\.(\d*))?$/.exec(text)
  if (!parts) throw new Error(`the amount ${text} is not a positive decimal number`)

  const digits = digitsOf(currency)
  const fraction = (parts[2] ?? "").padEnd(digits + 1, "0")
  let units = BigInt(parts[1] + fraction.slice(0, digits))
  if (fraction[digits] >= "5") units += 1n
  if (units === 0n) throw new Error(`the amount ${text} is less than the least of ${currency}`)

  const padded = units.toString().padStart(digits + 1, "0")
  const point = padded.length - digits
  return { amount: digits === 0 ? padded : `${padded.slice(0, point)}.${padded.slice(point)}`, currency }
}

/** Returns what a session is to pay. */
export function sessionPrice({ amount, currency, amount_usd }: Pick<Session, "amount" | "currency" | "amount_usd">): Price {
  return { amount: amount ?? amount_usd, currency: currency ?? "USD" }
}

/** Returns a price as text, such as "25.00 EUR". Two prices are equal if their texts are. */
export function priceText({ amount, currency }: Price): string {
  return `${amount} ${currency}`
}

function amountText(amount: unknown): string {
  if (typeof amount === "string") return amount.trim()
  if (typeof amount === "number") {
    // A number keeps 15 digits of the decimal number that was meant: twelve, and three after the point.
    if (Math.abs(amount) >= 1e12) throw new Error(`the number ${amount} is not exact: pass text`)
    return String(amount)
  }
  const number = amount as { raw?: { value: unknown }; value?: unknown; toFixed?: () => string }
  if (number?.raw?.value !== undefined) return amountText(number.raw.value)
  if (number?.value !== undefined) return amountText(number.value)
  return number?.toFixed?.() ?? String(amount)
}

/** Returns the event if rawBody was signed by the checkout within five minutes of now (in seconds). Throws otherwise. */
export function verify(secrets: string, headers: Record<string, unknown>, rawBody: Buffer | string, now = Date.now() / 1000): Event {
  const header = (name: string) => {
    const values = Object.entries(headers).filter(([key]) => key.toLowerCase() === name).flatMap(([, value]) => value)
    return values.length === 1 && typeof values[0] === "string" ? values[0] : ""
  }
  const [id, stamp] = [header("webhook-id"), header("webhook-timestamp")]
  if (!id || !/^\d{1,12}$/.test(stamp) || Math.abs(now - Number(stamp)) > 300) {
    throw new Error("the webhook's headers are missing or its timestamp is old")
  }
  const given = header("webhook-signature").split(" ").map((signature) => Buffer.from(signature))
  const signed = secrets.split(",").some((secret) => {
    const mac = createHmac("sha256", signingKey(secret)).update(`${id}.${stamp}.`).update(rawBody).digest("base64")
    const want = Buffer.from(`v1,${mac}`)
    return given.some((there) => there.length === want.length && timingSafeEqual(there, want))
  })
  if (!signed) throw new Error("the webhook's signature does not match")
  return JSON.parse(rawBody.toString())
}

/** A client of the merchant's API. */
export class Client {
  constructor(private readonly options: Options) {
    checkURL(options.url)
  }

  /**
   * Opens a session for a payment session of Medusa's. The reference is Coinslot's idempotency key, too: a repeated call
   * returns the same session, which can be paid again if it has ended unpaid. This one repeats a call that got no answer.
   * Fails with the code currency_unsupported or rate_unavailable if the checkout has no exchange rate that serves now.
   */
  async open({ amount, currency }: Price, paymentSession: string, reference: string): Promise<Session> {
    const { title, currencies, successUrl, instance } = this.options
    const body = {
      amount, currency, order_ref: reference, title, currencies, success_url: successUrl,
      metadata: { [PAYMENT_SESSION]: paymentSession, [INSTANCE]: instance ?? "" },
    }
    try {
      return await this.call("POST", "/v1/sessions", body, reference)
    } catch (error: any) {
      const answered = error.status !== 0 && error.status < 500
      if (answered || error.code === "rate_unavailable") throw error
      return this.call("POST", "/v1/sessions", body, reference)
    }
  }

  read(id: string): Promise<Session> {
    return this.call("GET", `/v1/sessions/${encodeURIComponent(id)}`)
  }

  /** Cancels for good. Fails with status 409 once it is paid or money is on its way. */
  cancel(id: string): Promise<Session> {
    return this.call("POST", `/v1/sessions/${encodeURIComponent(id)}/cancel`, {})
  }

  private async call(method: string, path: string, body?: object, key?: string): Promise<Session> {
    const headers: Record<string, string> = { Authorization: `Bearer ${this.options.secretKey}` }
    if (body) headers["Content-Type"] = "application/json"
    if (key) headers["Idempotency-Key"] = key
    let status = 0
    try {
      const response = await fetch(this.options.url.replace(/\/$/, "") + path, {
        // a redirect must not get the key; the checkout waits for its gateway for up to 25 s
        method, headers, redirect: "error", signal: AbortSignal.timeout(30_000), body: body && JSON.stringify(body),
      })
      status = response.status
      const answer = await response.json()
      if (response.ok && answer?.id) return answer as Session
      const code = String(answer?.code ?? "unavailable")
      throw new CoinslotError(status, code, `Coinslot answered ${status} ${code}: ${answer?.detail ?? answer?.title}`)
    } catch (error: any) {
      if (error instanceof CoinslotError) throw error
      throw new CoinslotError(status, "unavailable", `Coinslot could not be reached or understood: ${error.cause?.message ?? error.message}`)
    }
  }
}
