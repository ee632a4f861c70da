import { CoinslotPlugin } from "@coinslot/vendure"
import {
  defaultOrderProcess,
  dummyPaymentHandler,
  OrderProcess,
  VendureConfig,
} from "@vendure/core"
import fs from "node:fs"
import path from "node:path"

// While the file HOLD exists, no order becomes paid: a test kills Vendure in the middle of it.
const hold = process.env.HOLD!
const held: OrderProcess<string> = {
  async onTransitionStart(from, to) {
    while (to === "PaymentSettled" && fs.existsSync(hold)) {
      fs.writeFileSync(`${hold}.reached`, "")
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  },
}

export const config: VendureConfig = {
  apiOptions: {
    port: Number(process.env.PORT),
    hostname: "127.0.0.1",
    adminApiPath: "admin-api",
    shopApiPath: "shop-api",
  },
  authOptions: {
    tokenMethod: "bearer",
    superadminCredentials: { identifier: "admin", password: "secret123" },
    cookieOptions: { secret: "of a test" },
  },
  dbConnectionOptions: {
    type: "postgres",
    url: process.env.DATABASE_URL,
    synchronize: true,
    extra: { max: 1 }, // who holds a connection and wants another one waits forever
  },
  orderOptions: { process: [defaultOrderProcess, held] },
  paymentOptions: { paymentMethodHandlers: [dummyPaymentHandler] },
  plugins: [
    CoinslotPlugin.init({
      checkouts: {
        main: {
          url: process.env.COINSLOT_URL!,
          secretKey: process.env.COINSLOT_SECRET_KEY!,
          webhookSecret: process.env.COINSLOT_WEBHOOK_SECRET!,
          acceptTestPayments: true,
        },
        other: {
          url: process.env.OTHER_COINSLOT_URL!,
          secretKey: process.env.OTHER_COINSLOT_SECRET_KEY!,
          webhookSecret: process.env.OTHER_COINSLOT_WEBHOOK_SECRET!,
          acceptTestPayments: true,
        },
      },
    }),
  ],
}
