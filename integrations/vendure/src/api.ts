import { Args, Mutation, Resolver } from "@nestjs/graphql"
import {
  ActiveOrderService,
  Allow,
  Ctx,
  Permission,
  RequestContext,
  UserInputError,
} from "@vendure/core"
import type { DocumentNode } from "graphql"
import gql from "graphql-tag"
import type { Session } from "./client"
import { Opening } from "./opening"
import { Receiving } from "./receiving"

export const shopApi: DocumentNode = gql`
  "What the checkout element needs"
  type CoinslotCheckout {
    id: String!
    "The checkout's own page"
    url: String!
    "open, preparing, pending, review or confirmed"
    status: String!
  }

  extend type Mutation {
    """
    Opens the checkout for the active order, which must be in ArrangingPayment. Call it whenever the
    shopper is to pay: the same order and price have the same session. Once the status is confirmed,
    the order is paid.
    """
    createCoinslotSession("The code of the payment method" method: String!): CoinslotCheckout!
  }
`

@Resolver()
export class CoinslotResolver {
  constructor(
    private readonly activeOrders: ActiveOrderService,
    private readonly opening: Opening,
    private readonly receiving: Receiving,
  ) {}

  @Mutation()
  @Allow(Permission.Owner)
  async createCoinslotSession(
    @Ctx() ctx: RequestContext,
    @Args() { method }: { method: string },
  ): Promise<Session> {
    const order = await this.activeOrders.getActiveOrder(ctx, undefined)
    if (order?.state !== "ArrangingPayment") {
      const state = order?.state ?? "absent"
      throw new UserInputError(`The order has to be in ArrangingPayment, and is ${state}`)
    }
    const session = await this.opening.open(ctx, order, method)
    await this.receiving.receiveAnswer(ctx, session)
    return session
  }
}
