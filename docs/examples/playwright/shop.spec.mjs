// A shop tested with its checkout: the gateway is simulated, everything else is real. npx playwright test
import { test, expect } from "@playwright/test";
import { Checkout } from "./checkout.mjs";

test.beforeEach(async ({ page }) => {
  await page.goto("/");
  await page.getByLabel("Notebook").fill("2");
  await page.getByRole("button", { name: "Check out" }).click();
});

test("a paid order is shipped", async ({ page }) => {
  const checkout = new Checkout(page);
  await checkout.choose("USDT", "trc20");
  expect(await checkout.address()).toMatch(/^T[1-9A-HJ-NP-Za-km-z]{33}$/);
  expect(await checkout.amount()).toMatch(/^[0-9]+(\.[0-9]+)?$/);
  await checkout.simulate("pay");
  await expect(page.locator('[data-state="paid"]')).toBeVisible({ timeout: 30_000 }); // after a webhook
});

test("half of the money is not enough", async ({ page }) => {
  const checkout = new Checkout(page);
  await checkout.choose("USDT", "trc20");
  await checkout.simulate("half");
  await expect(checkout.part("missing")).toBeVisible({ timeout: 30_000 });
  await checkout.expectStatus("pending");
  await expect(page.locator('[data-state="paid"]')).toHaveCount(0);
  await checkout.simulate("pay");
  await expect(page.locator('[data-state="paid"]')).toBeVisible({ timeout: 30_000 });
});

test("a canceled payment leaves the order unpaid", async ({ page }) => {
  const checkout = new Checkout(page);
  await checkout.choose("USDT", "trc20");
  await checkout.simulate("cancel");
  await checkout.expectStatus("cancelled");
  await expect(page.locator('[data-state="open"]')).toBeVisible();
});
