import { Order, RequestContext, VendureEvent } from "@vendure/core"
import type { Session } from "./client"

/**
 * Something happened to a session. It is published once, when all that follows from it is stored.
 */
export class CoinslotEvent extends VendureEvent {
  constructor(
    public ctx: RequestContext,
    /** The webhook's type, such as "checkout.partial". */
    public type: string,
    public session: Session,
    /** Undefined if the order was deleted. */
    public order: Order | undefined,
    /**
     * Why confirmed money has not paid its order; otherwise empty. A person has to deliver or
     * refund it.
     */
    public unmatched: string,
  ) {
    super()
  }
}
