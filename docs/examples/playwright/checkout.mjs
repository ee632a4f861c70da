// A page object of the Coinslot checkout for Playwright, to be copied as it is. It uses the handles that are promised
// (data-part, data-status, the frame's name) and nothing else, so that it outlives new looks and other languages.
import { expect } from "@playwright/test";

/** @typedef {"open"|"preparing"|"pending"|"confirmed"|"expired"|"cancelled"|"review"} Status */
/** @typedef {"pay"|"half"|"over"|"parts"|"late"|"expire"|"cancel"} Kind */

export class Checkout {
  /**
   * The checkout in a shop's page, inline or as an open dialog. Where one page has several, name its element.
   * @param {import("@playwright/test").Page} page
   * @param {string} element selector of the <coinslot-checkout>
   */
  constructor(page, element = "coinslot-checkout") {
    this.element = page.locator(element);
    this.frame = this.element.frameLocator('iframe[name="coinslot-checkout"]');
    this.root = this.frame.locator("[data-status]").first();
  }

  /** One part of the checkout, by its data-part. */
  part(name) { return this.frame.locator(`[data-part="${name}"]`); }

  /** Waits until the checkout says this. @param {Status} status */
  async expectStatus(status, options = { timeout: 30_000 }) {
    await expect(this.root).toHaveAttribute("data-status", status, options);
  }

  /**
   * Chooses a coin and its network ("USDT", "trc20") and waits for the address to pay to. A coin with one network asks
   * for none: leave it out.
   */
  async choose(symbol, network) {
    await this.check("currency", symbol);
    if (network) await this.check("network", `${symbol}:${network}`);
    await this.part("continue").click();
    await this.expectStatus("pending");
  }

  /** Checks a radio button, which lies under its label, as soon as the page is laid out: force alone does not wait. */
  async check(name, value) {
    const button = this.part(name).and(this.frame.locator(`[value="${value}"]`));
    await button.waitFor();
    await button.check({ force: true });
  }

  /** The address to pay to, whole. */
  address() { return this.part("address").getAttribute("data-value"); }

  /** The amount to pay in the coin, as exact text. */
  amount() { return this.part("pay-amount").getAttribute("data-value"); }

  /**
   * Pretends a payment; only where the gateway is a sandbox (COINSLOT_SANDBOX=true, coinslot demo).
   * @param {Kind} kind
   */
  async simulate(kind) { await this.element.evaluate((element, kind) => element.simulate(kind), kind); }

  /** Calls the payment off. */
  async cancel() { await this.part("cancel").click(); }

  /** What the page's own script was told: {session, status, receipt}. Waits until the checkout has an outcome. */
  result() { return this.element.evaluate((element) => element.result); }
}
