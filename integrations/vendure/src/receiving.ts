import { Injectable, OnApplicationBootstrap } from "@nestjs/common"
import {
  ChannelService,
  ConfigService,
  EventBus,
  isGraphQlErrorResult,
  Logger,
  Order,
  OrderService,
  PaymentService,
  RefundEvent,
  RequestContext,
  RequestContextService,
  TransactionalConnection,
  UserInputError,
} from "@vendure/core"
import { Checkouts } from "./checkouts"
import { LoggedEvent, Session } from "./client"
import { CoinslotEvent } from "./event"
import { provenBy } from "./handler"
import { ORDER } from "./opening"
import { amountDue, lockOrder, priceIn, readOrder } from "./order"
import { priceText } from "./price"
import { CoinslotSession } from "./session.entity"

const CONFIRMED = "checkout.confirmed"

/** Does what webhooks ask for: pays orders, and notes what an operator has to know. */
@Injectable()
export class Receiving implements OnApplicationBootstrap {
  constructor(
    private readonly checkouts: Checkouts,
    private readonly connection: TransactionalConnection,
    private readonly orders: OrderService,
    private readonly payments: PaymentService,
    private readonly channels: ChannelService,
    private readonly contexts: RequestContextService,
    private readonly config: ConfigService,
    private readonly bus: EventBus,
  ) {}

  onApplicationBootstrap(): void {
    this.bus.ofType(RefundEvent).subscribe((event) => {
      this.noteRefund(event).catch((error) => {
        log("error", `the refund ${event.refund.id} could not be noted: ${error.message}`)
      })
    })
  }

  /**
   * Does what a verified webhook asks for. It throws if that failed: then the webhook must come
   * again.
   */
  async receive(checkout: string, { id, type, data }: LoggedEvent): Promise<void> {
    const row = await this.find(checkout, data)
    if (!row) {
      const code = data.metadata?.[ORDER] // absent: of another shop, or a test
      if (code && type === CONFIRMED) {
        log("error", `${data.id} was paid for ${code}, an unknown order: deliver or refund it`)
      }
      return
    }
    if (this.isRefusedPlayMoney(row, data)) return
    await (type === CONFIRMED ? this.confirm(row, data.id) : this.record(row, id, type, data))
  }

  /**
   * Pays an order before the webhook comes, if a session is confirmed. Throws if the order is not
   * paid by it.
   */
  async receiveAnswer(ctx: RequestContext, { id, status }: Session): Promise<void> {
    if (status !== "confirmed") return
    const row = await this.rows().findOneByOrFail({ sessionId: id })
    await this.confirm(row, id)
    const payments = await this.orders.getOrderPayments(ctx, row.orderId)
    if (!payments.some(({ transactionId }) => transactionId === id)) {
      throw new UserInputError("Your payment has arrived. Please contact the shop about this order")
    }
  }

  /** Pays an order with a session that Coinslot's API calls confirmed. */
  private async confirm(row: CoinslotSession, id: string) {
    const session = await this.checkouts.call(row.checkout, (api) => api.session(id))
    if (session.order_ref !== row.orderRef) {
      throw new Error(`${id} is of ${session.order_ref}, and pays nothing for ${row.orderRef}`)
    }
    if (this.isRefusedPlayMoney(row, session)) return
    await this.record(row, CONFIRMED, CONFIRMED, session) // a session is confirmed once
  }

  private async find(checkout: string, session: Session): Promise<CoinslotSession | null> {
    const row = await this.rows().findOneBy({ checkout, orderRef: session.order_ref ?? "" })
    const isOther = row?.sessionId && row.sessionId !== session.id
    return isOther ? null : row
  }

  private isRefusedPlayMoney({ checkout }: CoinslotSession, session: Session): boolean {
    if (!session.test || this.checkouts.get(checkout).acceptTestPayments) return false
    log("error", `${session.id} is play money, and acceptTestPayments is not set`)
    return true
  }

  /**
   * Does once what follows from an event, in one transaction. Events of one order are done one
   * after the other.
   */
  private async record(found: CoinslotSession, id: string, type: string, session: Session) {
    const channel = await this.channels.findOne(RequestContext.empty(), found.channelId)
    const context = await this.contexts.create({
      apiType: "admin",
      channelOrToken: channel,
      currencyCode: session.currency as Order["currencyCode"],
    })
    await this.connection.withTransaction(context, async (ctx) => {
      await lockOrder(this.connection, ctx, found.orderId)
      const lock = { mode: "pessimistic_write" } as const
      const row = await this.rows(ctx).findOneOrFail({ where: { id: found.id }, lock })
      if (isOld(row, id, type, session)) return

      const newest = row.version > session.version ? row : session
      await this.rows(ctx).update(row.id, {
        status: type === CONFIRMED ? "confirmed" : newest.status, // it stays so
        version: newest.version,
        events: [...row.events, id],
        sessionId: session.id,
      })
      const order = await readOrder(this.orders, ctx, row.orderId)
      const unmatched = type === CONFIRMED ? await this.pay(ctx, order, row, session) : ""

      const alarm = unmatched || doubt(session)
      const note = `Coinslot: ${describe(session)}${alarm && `. ${alarm}`}`
      if (order) await this.orders.addNoteToOrder(ctx, { id: order.id, note, isPublic: false })
      const level = alarm ? "error" : needsAttention(type, session) ? "warn" : "info"
      log(level, `${row.orderRef}, ${session.id}: ${note}`)
      await this.bus.publish(new CoinslotEvent(ctx, type, session, order, unmatched))
    })
  }

  /**
   * Pays the order with a confirmed session, once. Returns why the money is not the order's, for a
   * person to deliver or refund, or the empty text. Throws if the order can't be paid yet.
   */
  private async pay(
    ctx: RequestContext,
    order: Order | undefined,
    { method }: CoinslotSession,
    session: Session,
  ): Promise<string> {
    const metadata = provenBy(session)
    if (!order) return "The order was deleted. Deliver or refund it"
    if (order.payments.some(({ transactionId }) => transactionId === session.id)) return ""

    if (!["AddingItems", "ArrangingPayment", "Cancelled"].includes(order.state)) {
      return "The order was paid already. Refund it"
    }
    const due = amountDue(order)
    const [is, want] = [priceText(session), priceText(priceIn(order, due, this.config))]
    if (is !== want) return `${is} was paid, and ${want} is due. Deliver or refund it`

    if (order.state === "Cancelled") {
      const payment = await this.payments.createPayment(ctx, order, due, method, metadata)
      if (isGraphQlErrorResult(payment)) throw new Error(payment.message)
      return "The order was canceled before. Refund it"
    }

    const failed = `the order ${order.code} could not be paid: `
    if (order.state === "AddingItems") {
      const result = await this.orders.transitionToState(ctx, order.id, "ArrangingPayment")
      if (isGraphQlErrorResult(result)) throw new Error(failed + result.transitionError)
    }
    const paid = await this.orders.addPaymentToOrder(ctx, order.id, { method, metadata })
    if (!isGraphQlErrorResult(paid)) {
      if (paid.state !== "ArrangingPayment") return ""
      throw new Error(`${failed}it does not leave ArrangingPayment`)
    }
    if (paid.errorCode === "COUPON_REMOVED_DURING_CHECKOUT_ERROR") {
      return "A coupon is used up, and the order costs more. Deliver or refund it"
    }
    throw new Error(failed + paid.message)
  }

  private async noteRefund({ ctx, order, refund }: RefundEvent) {
    const sessionId = refund.payment?.transactionId
    const isOurs = sessionId && (await this.rows().countBy({ orderId: order.id, sessionId }))
    if (!isOurs) return
    const amount = priceText(priceIn(order, refund.total, this.config))
    const note =
      `Coinslot sends no coins. Send back what ${amount} are from your own wallet, ` +
      `then settle this refund with the transaction's id, ` +
      `and record it in Coinslot for the session ${sessionId}`
    await this.orders.addNoteToOrder(ctx, { id: order.id, note, isPublic: false })
  }

  /** The rows of sessions: in the caller's transaction, or in none. */
  private rows(ctx?: RequestContext) {
    return this.connection.getRepository(ctx, CoinslotSession)
  }
}

function log(level: "info" | "warn" | "error", line: string) {
  Logger[level](line, "Coinslot")
}

/**
 * Reports whether an event came before, or a newer one of its session did. Several events of one
 * change have one version. A payment counts even if its event comes late.
 */
function isOld(row: CoinslotSession, id: string, type: string, { version }: Session): boolean {
  return row.events.includes(id) || (version < row.version && type !== CONFIRMED)
}

/** Says what an operator has to know of a session. Amounts are in the coin. */
function describe(session: Session): string {
  const { status, late, missing_amount, overpaid_amount, review_reason, refunds } = session
  const facts: string[] = [status]
  if (late) facts.push("late")
  if (missing_amount) facts.push(`${missing_amount} is missing`)
  if (overpaid_amount) facts.push(`${overpaid_amount} too much`)
  for (const { amount, currency_symbol, tx_id } of refunds ?? []) {
    facts.push(`${amount} ${currency_symbol} sent back by ${tx_id}`)
  }
  return facts.join(", ") + (review_reason ? ` (${review_reason})` : "")
}

/** Says that a paid order may be unpaid after all; empty if it is not so. */
function doubt({ status, review_reason }: Session): string {
  const isTakenBack = status === "confirmed" && review_reason === "confirmation_taken_back"
  return isTakenBack ? "Do not ship: look the transaction up on the blockchain" : ""
}

function needsAttention(type: string, { overpaid_amount }: Session): boolean {
  return type === "checkout.review" || type === "checkout.partial" || overpaid_amount !== ""
}
