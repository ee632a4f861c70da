// What the plugin asks of an order.
import {
  ConfigService,
  ID,
  Order,
  OrderService,
  OrderState,
  RequestContext,
  totalCoveredByPayments,
  TransactionalConnection,
} from "@vendure/core"
import { Price, priceOf } from "./price"

/**
 * Keeps others from changing an order until the transaction ends. Returns its state, or undefined
 * if it was deleted.
 */
export async function lockOrder(
  connection: TransactionalConnection,
  ctx: RequestContext,
  id: ID,
): Promise<OrderState | undefined> {
  const order = await connection
    .getRepository(ctx, Order)
    .createQueryBuilder("locked")
    .select(["locked.id", "locked.state"])
    .where("locked.id = :id", { id })
    .setLock("pessimistic_write")
    .getOne()
  return order?.state
}

/** Returns an order with its payments, or undefined if it was deleted. */
export async function readOrder(
  orders: OrderService,
  ctx: RequestContext,
  id: ID,
): Promise<Order | undefined> {
  const order = await orders.findOne(ctx, id)
  if (order) order.payments = await orders.getOrderPayments(ctx, id)
  return order
}

/** Returns what the payments of an order do not cover yet, in Vendure's unit. */
export function amountDue(order: Order): number {
  return Math.max(0, order.totalWithTax - totalCoveredByPayments(order))
}

/** Returns an amount of an order as a price. */
export function priceIn(order: Order, amount: number, config: ConfigService): Price {
  const { precision = 2 } = config.entityOptions.moneyStrategy
  return priceOf(amount, precision, order.currencyCode)
}
