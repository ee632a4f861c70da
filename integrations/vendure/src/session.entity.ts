import { type DeepPartial, EntityId, type ID, VendureEntity } from "@vendure/core"
import { Column, Entity, Index } from "typeorm"

/** A session of Coinslot's that was opened for an order, and what has come of it. */
@Entity()
export class CoinslotSession extends VendureEntity {
  constructor(input?: DeepPartial<CoinslotSession>) {
    super(input)
  }

  @Index()
  @EntityId()
  orderId: ID

  @EntityId()
  channelId: ID

  /** The code of the payment method. */
  @Column()
  method: string

  /** The name of the checkout in the plugin's options. */
  @Column()
  checkout: string

  /**
   * The session's order_ref and idempotency key: the order's code, with a number behind it for each
   * further session.
   */
  @Column({ unique: true })
  orderRef: string

  /** The body of the request that opens the session, sent again as it is. */
  @Column("text")
  request: string

  /** The session's id, "cs_…"; empty until Coinslot has answered. */
  @Column({ default: "" })
  sessionId: string

  /** Shoppers get only an open one. A closing one is to be canceled, a closed one is. */
  @Column({ default: "open" })
  state: "open" | "closing" | "closed"

  /** The status and version of the newest event. */
  @Column({ default: "" })
  status: string

  @Column({ default: 0 })
  version: number

  /**
   * The ids of all webhooks that are done; "checkout.confirmed" for that one, of which there is
   * one.
   */
  @Column("simple-json")
  events: string[]
}
