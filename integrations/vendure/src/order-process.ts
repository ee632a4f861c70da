import { Injector, Logger, OrderProcess } from "@vendure/core"
import { Opening } from "./opening"

let opening: Opening

/**
 * Cancels an order's open session when the order is no longer to be paid by it: the shopper changes
 * the order, chooses another way to pay, or an operator cancels it. While money is on its way, the
 * shopper can't change the order. An order that was paid meanwhile stays so.
 */
export const coinslotOrderProcess: OrderProcess<string> = {
  init(injector: Injector) {
    opening = injector.get(Opening)
  },

  async onTransitionStart(from, to, { ctx, order }) {
    if (from !== "ArrangingPayment") return
    if (await opening.hasLeft(ctx, order, from)) return "The order was paid or changed just now"
    try {
      await opening.cancelSessions(ctx, order)
    } catch (error: any) {
      const change = `order ${order.code}, from ${from} to ${to}`
      Logger.warn(`${change}: its session is not canceled: ${error.message}`, "Coinslot")
      // Operators, and payments that were made in another way, go on: money that comes all the same
      // is noted.
      if (to === "AddingItems" && ctx.apiType === "shop") {
        return "A payment may be on its way, so this order can't be changed now"
      }
    }
  },
}
