// A page object of the Coinslot checkout for Playwright. Copy this file unchanged. It uses only stable handles (data-part,
// data-status, the frame's name), so it works with every release and language.
import { expect } from "@playwright/test";

/** @typedef {"open"|"preparing"|"pending"|"confirmed"|"expired"|"cancelled"|"review"} Status */
/** @typedef {"pay"|"half"|"over"|"parts"|"late"|"expire"|"cancel"} Kind */

export class Checkout {
  /**
   * The checkout in a shop's page, inline or as an open dialog. If a page has several, select one.
   * @param {import("@playwright/test").Page} page
   * @param {string} element selector of the <coinslot-checkout>
   */
  constructor(page, element = "coinslot-checkout") {
    this.element = page.locator(element);
    this.frame = this.element.frameLocator('iframe[name="coinslot-checkout"]');
    this.root = this.frame.locator("[data-status]").first();
  }

  /**
   * Opens a modal checkout by its link or button, and waits until it can be used. Without this, select the link as a child,
   * "coinslot-checkout > a": the element has links of its own after a failure.
   */
  async open() {
    await this.element.locator(":scope > :is(a, button)").first().click();
    await this.root.waitFor();
  }

  /** One part of the checkout, by its data-part. */
  part(name) { return this.frame.locator(`[data-part="${name}"]`); }

  /** Waits for the checkout to have a status. @param {Status} status */
  async expectStatus(status, options = { timeout: 30_000 }) {
    await expect(this.root).toHaveAttribute("data-status", status, options);
  }

  /**
   * Chooses a coin and its network ("USDT", "trc20") and waits for the address to pay to. Omit the network
   * of a coin with only one.
   */
  async choose(symbol, network) {
    await this.check("currency", symbol);
    if (network) await this.check("network", `${symbol}:${network}`);
    await this.part("continue").click();
    await this.expectStatus("pending");
  }

  /** Checks a radio button. It lies under its label, so this needs force, which does not wait for the layout. */
  async check(name, value) {
    const button = this.part(name).and(this.frame.locator(`[value="${value}"]`));
    await button.waitFor();
    await button.check({ force: true });
  }

  /** The complete address to pay to. */
  address() { return this.part("address").getAttribute("data-value"); }

  /** The amount to pay in the coin, as exact text. */
  amount() { return this.part("pay-amount").getAttribute("data-value"); }

  /**
   * Simulates a payment, with a sandbox gateway only (COINSLOT_SANDBOX=true, coinslot demo).
   * @param {Kind} kind
   */
  async simulate(kind) { await this.element.evaluate((element, kind) => element.simulate(kind), kind); }

  /** Cancels the payment. */
  async cancel() { await this.part("cancel").click(); }

  /** Waits for the outcome and returns the element's result: {session, status, receipt}. */
  result() { return this.element.evaluate((element) => element.result); }
}
