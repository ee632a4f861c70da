/**
 * A plugin for Vendure: shoppers pay an order in coins, and it is settled once Coinslot has
 * confirmed the payment.
 *
 * @module
 */
export type { Session } from "./client"
export { CoinslotPlugin } from "./coinslot.plugin"
export { CoinslotEvent } from "./event"
export type { Checkout, CoinslotOptions } from "./options"
