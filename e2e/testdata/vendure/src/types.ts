// What the package's types promise. tsc checks it, and nothing runs it.
import { CoinslotEvent, CoinslotPlugin } from "@coinslot/vendure"
import type { EventBus, Order, VendureConfig } from "@vendure/core"

const main = { url: "https://pay.shop.example", secretKey: "", webhookSecret: "" }
const plugins: VendureConfig["plugins"] = [CoinslotPlugin.init({ checkouts: { main } })]

// @ts-expect-error: a checkout has a webhookSecret
CoinslotPlugin.init({ checkouts: { main: { url: main.url, secretKey: "" } } })

// @ts-expect-error: a misspelled option
CoinslotPlugin.init({ checkouts: { main: { ...main, acceptTestPayment: true } } })

export function subscribe(bus: EventBus): void {
  bus.ofType(CoinslotEvent).subscribe((event) => {
    const order: Order | undefined = event.order
    const late: boolean = event.session.late

    // @ts-expect-error: amounts are text
    const amount: number = event.session.amount
    console.log(plugins, order, late, amount, event.unmatched.length)
  })
}
