// Every status of an order, and what a page does while it lasts. static/checkouttest compares
// the table with app/wire, so that a status that is added there has to be added here.

/** @typedef {'choosing' | 'waiting' | 'final'} Phase */

/** @type {Record<CoinslotStatus, Phase>} */
const PHASES = {
  open: 'choosing',
  preparing: 'waiting',
  pending: 'waiting',
  confirmed: 'final',
  expired: 'final',
  cancelled: 'final',
  review: 'waiting',
};

/**
 * What a page does while an order has a status: the shopper chooses how to pay, something is
 * expected to happen by itself, or nothing more happens.
 * @param {unknown} status
 * @returns {Phase | undefined} undefined for what is no status
 */
export const phaseOf = (status) =>
  typeof status === 'string' && Object.hasOwn(PHASES, status)
    ? PHASES[/** @type {CoinslotStatus} */ (status)]
    : undefined;
