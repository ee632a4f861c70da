import {
  AuthorizePaymentInput, AuthorizePaymentOutput, CancelPaymentInput, CancelPaymentOutput, CapturePaymentInput,
  CapturePaymentOutput, DeletePaymentInput, DeletePaymentOutput, GetPaymentStatusInput, GetPaymentStatusOutput,
  InitiatePaymentInput, InitiatePaymentOutput, Logger, ProviderWebhookPayload, RefundPaymentInput, RefundPaymentOutput,
  RetrievePaymentInput, RetrievePaymentOutput, UpdatePaymentInput, UpdatePaymentOutput, WebhookActionResult,
} from "@medusajs/framework/types"
import { AbstractPaymentProvider, BigNumber, MedusaError } from "@medusajs/framework/utils"
import {
  checkOptions, Client, CoinslotError, Event, INSTANCE, Options, PAYMENT_SESSION, Price, priceOf, priceText, Session,
  sessionPrice, verify,
} from "./coinslot"

/** What a payment session and a payment of Medusa's keep in `data`. Storefronts can read it. */
type Data = Pick<Session, "id" | "url" | "status" | "test" | "amount" | "currency" | "amount_usd" | "order_ref" | "late" | "missing_amount" |
  "overpaid_amount" | "review_reason"> & { session_id: string; opened: number }

/**
 * Returns what a session is in Medusa. Only a confirmed one is paid. Money that has come without being proven, as a part or in
 * a review, is authorized later: Medusa may place the order, which awaits its payment. Without any money there is no order.
 */
function statusOf({ status, missing_amount }: Session): "captured" | "pending_authorization" | "canceled" | "pending" {
  if (status === "confirmed") return "captured"
  if (status === "review" || missing_amount) return "pending_authorization"
  return status === "expired" || status === "cancelled" ? "canceled" : "pending" // a late payment still becomes confirmed
}

const notAllowed = (message: string) => new MedusaError(MedusaError.Types.NOT_ALLOWED, message)

class CoinslotPaymentProvider extends AbstractPaymentProvider<Options> {
  static identifier = "coinslot"

  private readonly client: Client
  private readonly logger: Logger

  static validateOptions(options: Record<string, unknown>) {
    checkOptions(options)
  }

  constructor(container: { logger: Logger }, options: Options) {
    super(container, options)
    this.client = new Client(options)
    this.logger = container.logger
  }

  /** Opens a Coinslot session for Medusa's payment session. With `coinslot_session` in the context, keeps that one. */
  async initiatePayment({ amount, currency_code, data, context }: InitiatePaymentInput): Promise<InitiatePaymentOutput> {
    const paymentSession = String(data?.session_id)
    const paid = (context as { coinslot_session?: string })?.coinslot_session // by the webhook's route; storefronts set no context
    const kept = paid
      ? keep(await this.call((client) => client.read(paid)), paymentSession, 0)
      : await this.open(readPrice(amount, currency_code), paymentSession, 0)
    return { id: kept.id, status: "pending", data: kept }
  }

  /**
   * Asks for the session again while its price is right, so that it can be paid. Otherwise cancels it, unless money is on
   * its way, and opens another one.
   */
  async updatePayment({ amount, currency_code, data }: UpdatePaymentInput): Promise<UpdatePaymentOutput> {
    const before = data as Data
    const price = readPrice(amount, currency_code)
    const same = priceText(price) === priceText(sessionPrice(before))
    if (!same) await this.cancel(before)
    const opened = same ? before.opened : before.opened + 1
    return { status: "pending", data: await this.open(price, before.session_id, opened) }
  }

  async authorizePayment(input: AuthorizePaymentInput): Promise<AuthorizePaymentOutput> {
    return this.getPaymentStatus(input)
  }

  async getPaymentStatus({ data }: GetPaymentStatusInput): Promise<Required<GetPaymentStatusOutput>> {
    const session = await this.read(data as Data)
    if (session.test && !this.config.acceptTestPayments) {
      throw notAllowed(`Coinslot session ${session.id} is play money, and acceptTestPayments is not set`)
    }
    const { session_id, opened } = data as Data
    checkPrice(session, sessionPrice(data as Data))
    return { status: statusOf(session), data: keep(session, session_id, opened) }
  }

  async retrievePayment(input: RetrievePaymentInput): Promise<RetrievePaymentOutput> {
    return { data: (await this.getPaymentStatus(input)).data }
  }

  /** A confirmed payment is captured already; others cannot be. */
  async capturePayment(input: CapturePaymentInput): Promise<CapturePaymentOutput> {
    const { status, data } = await this.getPaymentStatus(input)
    if (status !== "captured") throw notAllowed(`Coinslot session ${data.id} is ${data.status}: only a confirmed one can be captured`)
    return { data }
  }

  async cancelPayment({ data }: CancelPaymentInput): Promise<CancelPaymentOutput> {
    return { data: await this.cancel(data as Data) }
  }

  async deletePayment({ data }: DeletePaymentInput): Promise<DeletePaymentOutput> {
    return { data: await this.cancel(data as Data) }
  }

  /** Coinslot sends no coins. With `recordRefunds`, Medusa records a refund that you send yourself. */
  async refundPayment({ data, amount }: RefundPaymentInput): Promise<RefundPaymentOutput> {
    const { id, order_ref } = data as Data
    const what = `${priceText(priceOf(amount, sessionPrice(data as Data).currency))} of ${id} (${order_ref})`
    if (!this.config.recordRefunds) {
      // Medusa shows the error if an operator refunds, but not if it cancels a paid order or gives up a cart.
      this.logger.error(`Coinslot: Medusa asked to refund ${what}, which was refused. If it is due, send it from your own wallet`)
      throw notAllowed(`Coinslot does not send refunds. Agree on an address with the shopper and send the coins of ${id} from your own wallet`)
    }
    this.logger.warn(`Coinslot: send back ${what} from your own wallet: Medusa has recorded the refund`)
    return { data }
  }

  /** Verifies a webhook and says what it means. Throws if it is forged or old. */
  async getWebhookActionAndData({ rawData, headers }: ProviderWebhookPayload["payload"]): Promise<WebhookActionResult> {
    let event: Event
    try {
      event = verify(this.config.webhookSecret, headers, rawData as Buffer)
    } catch (error: any) {
      throw new MedusaError(MedusaError.Types.UNAUTHORIZED, error.message)
    }
    const session = event.data
    const paymentSession = session.metadata?.[PAYMENT_SESSION]
    if (!paymentSession || session.metadata[INSTANCE] !== (this.config.instance ?? "")) return { action: "not_supported" }
    if (session.test && !this.config.acceptTestPayments) {
      this.logger.error(`Coinslot: ${event.type} of ${session.id} is play money, and acceptTestPayments is not set`)
      return { action: "not_supported" }
    }
    if (event.type === "checkout.review") this.logger.warn(`Coinslot: ${session.id} needs review: ${session.review_reason}`)
    const status = statusOf(session)
    const later = status === "captured" ? "pending" : status // what a confirmed session reports later is for a person
    return {
      action: event.type === "checkout.confirmed" ? "captured" : later,
      data: { session_id: paymentSession, amount: new BigNumber(sessionPrice(session).amount) },
    }
  }

  /** Opens the session of a payment session, or asks for it again. Throws if it cannot be paid any more. */
  private async open(price: Price, paymentSession: string, opened: number): Promise<Data> {
    const reference = opened ? `${paymentSession}-${opened}` : paymentSession
    const attempted = `opening a session for ${priceText(price)}: `
    const session = await this.call((client) => client.open(price, paymentSession, reference), attempted)
    if (session.test && !this.config.acceptTestPayments) {
      throw new MedusaError(
        MedusaError.Types.UNEXPECTED_STATE,
        `the checkout at ${this.config.url} takes play money only, and acceptTestPayments is not set`,
      )
    }
    if (session.deleted) return this.open(price, paymentSession, opened + 1)
    checkPrice(session, price)
    if (session.status === "cancelled") throw notAllowed(`Coinslot session ${session.id} was canceled in Coinslot, and stays so`)
    if (session.status === "expired") {
      throw notAllowed(`The time of Coinslot session ${session.id} is over, and a part was paid: refund it, or agree on the rest`)
    }
    return keep(session, paymentSession, opened)
  }

  private read(data: Data): Promise<Session> {
    return this.call((client) => client.read(data.id))
  }

  /** Cancels for good, so that a shopper pays once. Throws if money is there or on its way. */
  private async cancel(data: Data): Promise<Record<string, unknown>> {
    if (!data?.id) return { ...data } // it was never opened
    return this.call(async (client) => {
      try {
        return keep(await client.cancel(data.id), data.session_id, data.opened)
      } catch (error: any) {
        if (error.status === 404 && error.code !== "unavailable") return data // Coinslot does not know it
        throw error
      }
    })
  }

  private async call<T>(use: (client: Client) => Promise<T>, attempted = ""): Promise<T> {
    try {
      return await use(this.client)
    } catch (error: any) {
      const refused = error instanceof CoinslotError && error.status >= 400 && error.status < 500 && error.status !== 401
      throw new MedusaError(refused ? MedusaError.Types.NOT_ALLOWED : MedusaError.Types.UNEXPECTED_STATE, attempted + error.message)
    }
  }
}

function readPrice(amount: unknown, code: string): Price {
  try {
    return priceOf(amount, code)
  } catch (error: any) {
    throw new MedusaError(MedusaError.Types.INVALID_DATA, `Coinslot: ${error.message}`)
  }
}

/** Throws if a session is not for exactly this price. */
function checkPrice(session: Session, price: Price) {
  const [is, want] = [priceText(sessionPrice(session)), priceText(price)]
  if (is !== want) throw notAllowed(`Coinslot session ${session.id} is for ${is}, not for ${want}`)
}

function keep(session: Session, paymentSession: string, opened: number): Data {
  const { id, url, status, test, amount_usd, order_ref, late, missing_amount, overpaid_amount, review_reason } = session
  return {
    id, url, status, test, ...sessionPrice(session), amount_usd, order_ref, late, missing_amount, overpaid_amount, review_reason,
    session_id: paymentSession, opened,
  }
}

export default CoinslotPaymentProvider
