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
  amount_usd: string
  /** The price, if it is not in dollars. */
  amount?: string
  currency?: string
  order_ref: string
  metadata: Record<string, string>
  late: boolean
  missing_amount: string
  overpaid_amount: string
  review_reason: string
}

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

/**
 * Returns an amount of Medusa's as decimal text with two digits, rounded half up as a price is. It calculates with digits
 * only. Medusa's BigNumber, its raw value, text and numbers are accepted; a number that is not exact is an error.
 */
export function dollars(amount: unknown): string {
  const text = amountText(amount)
  const parts = /^(\d+)(?:\.(\d*))?$/.exec(text)
  if (!parts) throw new Error(`the amount ${text} is not a positive decimal number`)
  const digits = (parts[2] ?? "").padEnd(3, "0")
  let cents = BigInt(parts[1] + digits.slice(0, 2))
  if (digits[2] >= "5") cents += 1n
  if (cents === 0n) throw new Error(`the amount ${text} is less than a cent`)
  return cents.toString().padStart(3, "0").replace(/(..)$/, ".$1")
}

/** Returns what a session's order costs, such as "25.00 USD". */
export function price(session: Session): string {
  return `${session.amount ?? session.amount_usd} ${session.currency ?? "USD"}`
}

function amountText(amount: unknown): string {
  if (typeof amount === "string") return amount.trim()
  if (typeof amount === "number") {
    // Beyond 15 digits, a number is not the decimal number that was meant.
    if (Math.abs(amount) >= 1e13) throw new Error(`the number ${amount} is not exact: pass text`)
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
   */
  async open(amount: string, paymentSession: string, reference: string): Promise<Session> {
    const { title, currencies, successUrl, instance } = this.options
    const body = {
      amount_usd: amount, order_ref: reference, title, currencies, success_url: successUrl,
      metadata: { [PAYMENT_SESSION]: paymentSession, [INSTANCE]: instance ?? "" },
    }
    try {
      return await this.call("POST", "/v1/sessions", body, reference)
    } catch (error: any) {
      if (error.status !== 0 && error.status < 500) throw error
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
      throw new CoinslotError(status, String(answer?.code ?? "unavailable"), `Coinslot answered ${status}: ${answer?.detail ?? answer?.title}`)
    } catch (error: any) {
      if (error instanceof CoinslotError) throw error
      throw new CoinslotError(status, "unavailable", `Coinslot could not be reached or understood: ${error.cause?.message ?? error.message}`)
    }
  }
}
