// Starts a sandbox gateway, the checkout and a shop (docs/examples/express), and then runs the tests. Replace the shop with
// your own. You need no account. docs/testing.md has the commands.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig } from "@playwright/test";

// A new database for each run. Playwright's workers read this file too, and inherit the variable.
process.env.CHECKOUT_DATA ??= mkdtempSync(join(tmpdir(), "coinslot-"));

const {
  COINSLOT = "coinslot", SHOP = "npm --prefix ../express install && npm --prefix ../express start", CHROMIUM,
  CHECKOUT_PORT = "8080", SHOP_PORT = "3000", GATEWAY_PORT = "8082",
} = process.env;
const checkout = `http://localhost:${CHECKOUT_PORT}`, gateway = `http://127.0.0.1:${GATEWAY_PORT}`, shop = `http://127.0.0.1:${SHOP_PORT}`;
const both = { // keys that the shop and the checkout share, for tests only
  COINSLOT_SECRET_KEY: "a-key-for-tests-0123456789abcdef0123456789",
  COINSLOT_WEBHOOK_SECRET: "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz",
};

export default defineConfig({
  use: { baseURL: shop, launchOptions: CHROMIUM ? { executablePath: CHROMIUM, args: ["--no-sandbox"] } : {} },
  webServer: [
    { name: "gateway", command: `${COINSLOT} sandbox -listen 127.0.0.1:${GATEWAY_PORT}`, url: `${gateway}/sandbox/` },
    {
      name: "checkout", command: `${COINSLOT} serve`, url: `${checkout}/checkout.js`,
      env: {
        ...both, COINSLOT_SANDBOX: "true", COINSLOT_GATEWAY_URL: gateway, COINSLOT_GATEWAY_PAGE_URL: `${gateway}/pay`,
        COINSLOT_GATEWAY_KEY: "sandbox-key-2f9c1d7be4a86053", // the key of every coinslot sandbox
        COINSLOT_LISTEN: `127.0.0.1:${CHECKOUT_PORT}`, COINSLOT_PUBLIC_URL: checkout, COINSLOT_OPS_LISTEN: "-",
        COINSLOT_DATABASE: join(process.env.CHECKOUT_DATA, "coinslot.db"), COINSLOT_POLL_INTERVAL: "500ms",
        COINSLOT_ORIGINS: shop, COINSLOT_WEBHOOK_URL: `${shop}/hooks/coinslot`, COINSLOT_ALLOW_PRIVATE_WEBHOOKS: "true",
      },
    },
    { name: "shop", command: SHOP, url: shop, timeout: 180_000, env: { ...both, COINSLOT_URL: checkout, SHOP_URL: shop, SHOP_LISTEN: `127.0.0.1:${SHOP_PORT}`, SHOP_TEST: "1" } },
  ],
});
