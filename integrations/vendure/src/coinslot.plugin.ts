import { PluginCommonModule, VendurePlugin } from "@vendure/core"
import { CoinslotResolver, shopApi } from "./api"
import { Checkouts, COINSLOT_OPTIONS } from "./checkouts"
import { CoinslotController, HOOKS, keepBody } from "./controller"
import { coinslotPaymentHandler } from "./handler"
import { checkOptions, CoinslotOptions } from "./options"
import { Opening } from "./opening"
import { coinslotOrderProcess } from "./order-process"
import { Receiving } from "./receiving"
import { CoinslotSession } from "./session.entity"

/** Payments in coins by Coinslot. */
@VendurePlugin({
  compatibility: "^3.7.0",
  imports: [PluginCommonModule],
  entities: [CoinslotSession],
  controllers: [CoinslotController],
  providers: [
    Checkouts,
    Opening,
    Receiving,
    { provide: COINSLOT_OPTIONS, useFactory: () => CoinslotPlugin.options },
  ],
  shopApiExtensions: { schema: shopApi, resolvers: [CoinslotResolver] },
  configuration: (config) => {
    config.paymentOptions.paymentMethodHandlers.push(coinslotPaymentHandler)
    config.orderOptions.process.push(coinslotOrderProcess)
    config.apiOptions.middleware.push({ handler: keepBody, route: `/${HOOKS}`, beforeListen: true })
    return config
  },
})
export class CoinslotPlugin {
  /** @internal */
  static options: CoinslotOptions

  static init(options: CoinslotOptions): typeof CoinslotPlugin {
    checkOptions(options)
    this.options = options
    return CoinslotPlugin
  }
}
