import { Injectable } from "@nestjs/common"
import {
  ConfigService,
  Logger,
  Order,
  OrderService,
  PaymentMethodService,
  RequestContext,
  TransactionalConnection,
  TransactionSubscriber,
  UserInputError,
} from "@vendure/core"
import { Not } from "typeorm"
import { Checkouts } from "./checkouts"
import { CoinslotError, NewSession, Session } from "./client"
import { HANDLER } from "./handler"
import { amountDue, lockOrder, priceIn } from "./order"
import { Price, priceText } from "./price"
import { CoinslotSession } from "./session.entity"

/** Metadata of a Coinslot session: the code of its order. */
export const ORDER = "vendure_order"

/** What an order is to be paid with. */
type Wanted = { method: string; checkout: string; price: Price }

/** Opens and cancels sessions. An order has at most one that can be paid. */
@Injectable()
export class Opening {
  constructor(
    private readonly checkouts: Checkouts,
    private readonly connection: TransactionalConnection,
    private readonly orders: OrderService,
    private readonly methods: PaymentMethodService,
    private readonly config: ConfigService,
    private readonly transactions: TransactionSubscriber,
  ) {}

  /** What is stored once more, one after the other. */
  private undone: Promise<void> = Promise.resolve()

  /**
   * Opens the session of an order, or asks for it again, so that it can be paid. If the price or
   * the method is another one than before, it cancels the older session first, unless money is on
   * its way.
   */
  async open(ctx: RequestContext, order: Order, method: string): Promise<Session> {
    const wanted = await this.wantedFor(ctx, order, method)
    for (const row of await this.unclosed(ctx, order)) {
      if (row.state === "closing" || !fits(row, wanted)) await this.close(ctx, row)
    }
    const row = await this.keepRequest(ctx, order, wanted)
    const session = await this.ask(ctx, row)

    if (session.deleted) {
      await this.update(ctx, row, { state: "closed" })
      return this.open(ctx, order, method)
    }
    if (session.test && !this.checkouts.get(row.checkout).acceptTestPayments) {
      throw new Error(
        `the checkout "${row.checkout}" takes play money only: see acceptTestPayments`,
      )
    }
    if (session.status === "cancelled") {
      throw new UserInputError("This order was canceled in Coinslot, and stays so")
    }
    if (session.status === "expired") {
      throw new UserInputError("The time is over, and a part was paid. Please contact the shop")
    }
    return session
  }

  /**
   * Locks an order that has sessions, and reports whether it has left a state by now: a webhook may
   * have paid it since the caller has read it.
   */
  async hasLeft(ctx: RequestContext, order: Order, state: string): Promise<boolean> {
    if ((await this.unclosed(ctx, order)).length === 0) return false
    return (await lockOrder(this.connection, ctx, order.id)) !== state
  }

  /**
   * Cancels what can be paid of an order's sessions. Throws if money is there or on its way, or if
   * no answer comes.
   */
  async cancelSessions(ctx: RequestContext, order: Order): Promise<void> {
    for (const row of await this.unclosed(ctx, order)) {
      if (row.status !== "confirmed") await this.close(ctx, row)
    }
  }

  private async wantedFor(ctx: RequestContext, order: Order, method: string): Promise<Wanted> {
    const { paymentMethod, handler } = await this.methods.getMethodAndOperations(ctx, method)
    if (handler.code !== HANDLER) {
      throw new UserInputError(`The payment method ${method} is not one of Coinslot`)
    }
    const listed = await this.orders.getEligiblePaymentMethods(ctx, order.id)
    const found = listed.find(({ code }) => code === method)
    if (!found?.isEligible) {
      throw new UserInputError(found?.eligibilityMessage || `${method} is not eligible`)
    }

    order.payments = await this.orders.getOrderPayments(ctx, order.id)
    const due = amountDue(order)
    if (due === 0) throw new UserInputError("Nothing is due for this order")
    const checkout = paymentMethod.handler.args.find(({ name }) => name === "checkout")?.value ?? ""
    this.checkouts.get(checkout)
    return { method, checkout, price: priceIn(order, due, this.config) }
  }

  /**
   * Returns the open request of an order, storing it before it is sent: after a crash, the same one
   * is sent again.
   */
  private keepRequest(ctx: RequestContext, order: Order, wanted: Wanted): Promise<CoinslotSession> {
    return this.connection.withTransaction(ctx, async (tx) => {
      const state = await lockOrder(this.connection, tx, order.id)
      if (state !== "ArrangingPayment") {
        throw new UserInputError("The order was paid or changed just now")
      }
      const before = await this.rows(tx).findBy({ orderId: order.id })
      const open = before.find(({ state }) => state !== "closed")
      if (open && (open.state === "closing" || !fits(open, wanted))) {
        throw new Error("the order is changed at this moment: try again")
      }
      if (open) return open

      const { method, checkout, price } = wanted
      const { title, currencies, successUrl } = this.checkouts.get(checkout)
      const orderRef = before.length ? `${order.code}-${before.length}` : order.code
      const request: NewSession = {
        ...price,
        order_ref: orderRef,
        title,
        currencies,
        success_url: successUrl,
        metadata: { [ORDER]: order.code },
      }
      const row = new CoinslotSession({
        orderId: order.id,
        channelId: ctx.channelId,
        method,
        checkout,
        orderRef,
        request: JSON.stringify(request),
        events: [],
      })
      return this.rows(tx).save(row)
    })
  }

  /**
   * Sends the stored request, which opens a session, returns it, or reopens it if it has ended
   * unpaid. A request that Coinslot has never accepted is not sent again: what was wrong may be
   * another setting by then.
   */
  private async ask(ctx: RequestContext, row: CoinslotSession): Promise<Session> {
    const request = JSON.parse(row.request) as NewSession & Price
    const options = { idempotencyKey: row.orderRef }
    let session: Session
    try {
      session = await this.checkouts.call(row.checkout, (api) =>
        api.createSession(request, options),
      )
    } catch (error) {
      if (isRefused(error) && !row.sessionId) await this.update(ctx, row, { state: "closed" })
      throw error
    }
    const [is, want] = [priceText(session), priceText(request)]
    if (is !== want) throw new Error(`session ${session.id} is for ${is}, not for ${want}`)
    await this.update(ctx, row, { sessionId: session.id })
    return session
  }

  /**
   * Cancels a session for good. That it is to be canceled is stored before: what may be canceled in
   * Coinslot is not taken for open.
   */
  private async close(ctx: RequestContext, row: CoinslotSession) {
    await this.update(ctx, row, { state: "closing" })
    try {
      const id = row.sessionId || (await this.ask(ctx, row)).id
      await this.checkouts.call(row.checkout, (api) => api.cancel(id))
    } catch (error: any) {
      if (error.status === 409) await this.update(ctx, row, { state: "open" })
      const neverOpened = !row.sessionId && isRefused(error)
      if (error.code !== "session_unknown" && !neverOpened) throw error
    }
    await this.update(ctx, row, { state: "closed" })
  }

  private unclosed(ctx: RequestContext, { id }: Order): Promise<CoinslotSession[]> {
    return this.rows(ctx).findBy({ orderId: id, state: Not("closed") })
  }

  /**
   * Stores what Coinslot has done. If the caller's transaction is undone, it is stored once more
   * when that has ended: a second connection beside it could be the last one.
   */
  private async update(ctx: RequestContext, { id }: CoinslotSession, change: Change) {
    const rows = this.rows(ctx)
    await rows.update(id, change)
    const { queryRunner } = rows.manager
    if (!queryRunner?.isTransactionActive) return

    const again = async () => {
      await this.connection.getRepository(CoinslotSession).update(id, change)
    }
    const failed = (error: Error) => {
      const what = `${JSON.stringify(change)} could not be stored: ${error.message}`
      Logger.error(`session row ${id}: ${what}`, "Coinslot")
    }
    this.transactions.awaitRollback(queryRunner).then(
      () => (this.undone = this.undone.then(again).catch(failed)),
      () => {}, // it was committed
    )
  }

  private rows(ctx: RequestContext) {
    return this.connection.getRepository(ctx, CoinslotSession)
  }
}

type Change = Partial<Pick<CoinslotSession, "state" | "sessionId">>

/** Reports whether a stored request is what an order is to be paid with now. */
function fits(row: CoinslotSession, { method, checkout, price }: Wanted): boolean {
  const isSame = row.method === method && row.checkout === checkout
  return isSame && priceText(JSON.parse(row.request)) === priceText(price)
}

/** Reports whether Coinslot has refused a request for what is in it. */
function isRefused(error: unknown): boolean {
  const isAnswer = error instanceof CoinslotError && error.code !== ""
  return isAnswer && (error.status === 400 || error.status === 422)
}
