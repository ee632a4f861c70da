import { defineConfig } from "@medusajs/framework/utils"

const shop = process.env.SHOP!

module.exports = defineConfig({
  projectConfig: {
    databaseUrl: process.env.DATABASE_URL,
    http: { storeCors: shop, adminCors: shop, authCors: shop, jwtSecret: "of a test", cookieSecret: "of a test" },
  },
  admin: { disable: true },
  modules: [
    {
      resolve: "@medusajs/medusa/payment",
      options: {
        providers: [
          {
            resolve: "./src/modules/coinslot",
            id: "coinslot",
            options: {
              url: process.env.COINSLOT_URL,
              secretKey: process.env.COINSLOT_SECRET_KEY,
              webhookSecret: process.env.COINSLOT_WEBHOOK_SECRET,
              acceptTestPayments: true,
            },
          },
        ],
      },
    },
  ],
})
