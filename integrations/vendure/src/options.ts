// What the merchant sets: the checkouts, each with its keys. None of it is in Vendure's database.
import { Coinslot } from "./client"

/** A checkout, which is one Coinslot server. */
export type Checkout = {
  /** Its COINSLOT_PUBLIC_URL, such as https://pay.shop.example. */
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
  /** Accepts play money of a sandbox. Never in production. */
  acceptTestPayments?: boolean
}

export type CoinslotOptions = {
  /**
   * By the name that payment methods and the webhook's URL have: small letters, digits and hyphens.
   */
  checkouts: Record<string, Checkout>
}

/** Throws an error that names the option that is missing or wrong. It never holds a secret. */
export function checkOptions(options: CoinslotOptions): void {
  const checkouts = Object.entries(options.checkouts ?? {})
  if (checkouts.length === 0) throw new Error("Coinslot: the option checkouts has none")
  for (const [name, checkout] of checkouts) {
    const wrong = (option: string, why: string) =>
      new Error(`Coinslot: the option ${option} of the checkout "${name}" ${why}`)
    if (!/^[a-z0-9-]{1,40}$/.test(name)) {
      throw wrong("name", "must be of small letters, digits and hyphens")
    }
    try {
      client(checkout)
    } catch (error: any) {
      throw wrong("url", `is refused: ${error.message}`)
    }
    if ((checkout.secretKey ?? "").length < 32) {
      throw wrong("secretKey", "must be the checkout's COINSLOT_SECRET_KEY")
    }
    const secrets = (checkout.webhookSecret ?? "").split(",")
    if (!secrets.every(isWebhookSecret)) {
      throw wrong("webhookSecret", "must be the checkout's COINSLOT_WEBHOOK_SECRET, whsec_…")
    }
  }
}

function isWebhookSecret(secret: string): boolean {
  const key = /^whsec_([A-Za-z0-9+/]+=*)$/.exec(secret)
  return key !== null && Buffer.from(key[1], "base64").length >= 24
}

/**
 * Returns a client of the checkout's API. Coinslot waits 20 seconds for the answer to a webhook,
 * and this must be less.
 */
export function client({ url, secretKey }: Checkout): Coinslot {
  return new Coinslot({ url: url ?? "", key: secretKey, timeout: 15_000 })
}
