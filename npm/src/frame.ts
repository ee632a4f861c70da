// The address of a frame. @coinslot/server has the same function; client/testdata/frames.json is the table of both.
import type { Options } from './checkout.js';

/** What the frame of an inline checkout shows, and how: attributes of the element around it, which needs the same values. */
export interface FrameOptions extends Pick<Options, 'session' | 'order' | 'item' | 'amount' | 'quantity' | 'lang' | 'theme'> {
  /**
   * Your page's own origin, `https://shop.example`. Without it, the server takes the one that the browser sends, and a
   * Referrer-Policy of your page may keep it from that.
   */
  origin?: string;
}

/**
 * The address of a checkout's frame, for the `src` of the `<iframe>` inside the element. Nothing is sent and nothing is
 * validated: the frame says what is wrong.
 * @param url the checkout, `https://pay.shop.example`
 */
export function checkoutFrame(url: string, options: FrameOptions): string {
  const { origin, lang, theme } = options;
  return append(checkoutPage(url, options), { embed: 'inline', origin, lang, theme });
}

/** The checkout's own page of what is sold. checkout.js knows a frame by it: the frame's address begins with it. */
export function checkoutPage(url: string, { session, order, item, amount, quantity }: FrameOptions): string {
  const page = `${url.replace(/\/+$/, '')}/checkout`;
  return session ? `${page}/${encodeURIComponent(session)}` : append(page, { order, item, amount, quantity });
}

/** The address with those parameters that have a value, in their order. */
function append(address: string, parameters: Record<string, string | number | undefined>): string {
  for (const [name, value] of Object.entries(parameters)) {
    if (!value) continue;
    address += `${address.includes('?') ? '&' : '?'}${name}=${encodeURIComponent(value)}`;
  }
  return address;
}
