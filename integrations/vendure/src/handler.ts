import {
  ConfigService,
  Injector,
  LanguageCode,
  PaymentMethodHandler,
  UserInputError,
} from "@vendure/core"
import type { Session } from "./client"
import { priceIn } from "./order"
import { priceText } from "./price"

export const HANDLER = "coinslot"

/**
 * Sessions that Coinslot's API has just called confirmed. No request of a shopper's can add one.
 */
const proven = new WeakSet<Session>()

/**
 * Returns the metadata with which createPayment takes a session for paid. Only for what the API has
 * answered.
 */
export function provenBy(session: Session): { session: Session } {
  if (session.status !== "confirmed") {
    throw new Error(`session ${session.id} is ${session.status}, and pays nothing`)
  }
  proven.add(session)
  return { session }
}

const text = (value: string) => [{ languageCode: LanguageCode.en, value }]

let config: ConfigService

/**
 * Settles a payment at once, or makes none: there is a payment only when Coinslot has proven it.
 */
export const coinslotPaymentHandler: PaymentMethodHandler = new PaymentMethodHandler({
  code: HANDLER,
  description: text("Coinslot: payment in coins"),
  args: {
    checkout: {
      type: "string",
      defaultValue: "main",
      label: text("Checkout"),
      description: text("The name of a checkout in the options of the plugin"),
    },
  },

  init(injector: Injector) {
    config = injector.get(ConfigService)
  },

  createPayment: (ctx, order, amount, args, metadata) => {
    const session = metadata.session as Session
    if (!proven.has(session)) {
      throw new UserInputError("Call createCoinslotSession: it adds the payment once it is proven")
    }
    const [is, want] = [priceText(session), priceText(priceIn(order, amount, config))]
    if (is !== want) throw new Error(`session ${session.id} is for ${is}, not for ${want}`)

    const { id, url, amount_usd, late, overpaid_amount, attempts } = session
    const transactions = attempts.flatMap((attempt) =>
      attempt.transactions.map(({ tx_id }) => tx_id),
    )
    return {
      amount,
      state: "Settled",
      transactionId: id,
      metadata: { url, amount_usd, late, overpaid_amount, transactions },
    }
  },

  settlePayment: (ctx, order, payment) => {
    if (payment.state === "Settled") return { success: true }
    return { success: false, errorMessage: "Only Coinslot's word settles a payment by Coinslot" }
  },

  cancelPayment: () => {
    throw new UserInputError(
      "Coins cannot be called back: refund the payment, and send them from your own wallet",
    )
  },

  // Without createRefund, a refund is pending until the operator settles it with the transaction
  // that they have sent.
})
