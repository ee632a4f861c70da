// Amounts of Vendure's as text, by calculating with digits only.

/** A price: decimal text with all digits of its currency, whose ISO 4217 code is in capitals. */
export type Price = { amount: string; currency: string }

// Currencies with another number of digits after the point than two. Source: ISO 4217.
const NO_DIGITS = "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF"
const THREE_DIGITS = "BHD IQD JOD KWD LYD OMR TND"

function digitsOf(currency: string): number {
  if (NO_DIGITS.split(" ").includes(currency)) return 0
  return THREE_DIGITS.split(" ").includes(currency) ? 3 : 2
}

/**
 * Returns an amount of Vendure's as a price, rounded half up to the digits of its currency.
 *
 * @param precision How many digits of the amount are behind the point, as the MoneyStrategy says:
 * Vendure has one for all currencies, so that 2980 yen are 298000 with a precision of 2.
 */
export function priceOf(amount: number, precision: number, currency: string): Price {
  if (!Number.isSafeInteger(amount) || amount < 0) {
    throw new Error(`the amount ${amount} is no whole number of the smallest unit`)
  }

  const digits = digitsOf(currency)
  const text = amount.toString().padStart(precision + 1, "0")
  const fraction = text.slice(text.length - precision).padEnd(digits + 1, "0")
  let units = BigInt(text.slice(0, text.length - precision) + fraction.slice(0, digits))
  if (fraction[digits] >= "5") units += BigInt(1)

  const padded = units.toString().padStart(digits + 1, "0")
  const point = padded.length - digits
  return {
    amount: digits === 0 ? padded : `${padded.slice(0, point)}.${padded.slice(point)}`,
    currency,
  }
}

/** Returns a price as text, such as "25.00 EUR". Two prices are equal if their texts are. */
export function priceText({ amount, currency }: Price): string {
  return `${amount} ${currency}`
}
