<?php
defined( 'ABSPATH' ) || exit;

// Currencies with another number of digits after the point than two. Source: ISO 4217.
const COINSLOT_NO_DIGITS    = 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF';
const COINSLOT_THREE_DIGITS = 'BHD IQD JOD KWD LYD OMR TND';

/** Returns how many digits an amount of a currency has after the point. */
function coinslot_digits( string $currency ): int {
	if ( in_array( $currency, explode( ' ', COINSLOT_NO_DIGITS ), true ) ) {
		return 0;
	}
	return in_array( $currency, explode( ' ', COINSLOT_THREE_DIGITS ), true ) ? 3 : 2;
}

/**
 * Returns a decimal number rounded half up to some digits after the point, as text. It calculates with whole numbers only.
 * Text that is no positive number, or has more than 15 digits before the point, stays as it is: the checkout refuses it.
 */
function coinslot_decimal( string $number, int $digits ): string {
	if ( ! preg_match( '/^(\d{1,15})(?:\.(\d*))?$/D', $number, $parts ) ) {
		return $number;
	}
	$fraction = str_pad( $parts[2] ?? '', $digits + 1, '0' );
	$units    = (int) ( $parts[1] . substr( $fraction, 0, $digits ) );
	if ( (int) $fraction[ $digits ] >= 5 ) {
		++$units;
	}
	$padded = str_pad( (string) $units, $digits + 1, '0', STR_PAD_LEFT );
	return 0 === $digits ? $padded : substr( $padded, 0, -$digits ) . '.' . substr( $padded, -$digits );
}

/** Returns the order's total as the checkout has it: decimal text with all digits of the order's currency. */
function coinslot_amount( $order ): string {
	return coinslot_decimal( (string) $order->get_total(), coinslot_digits( $order->get_currency() ) );
}

/**
 * Returns what a session or a stored request is to pay, such as "25.00 EUR". It has amount and currency; those of before
 * there were other currencies than the dollar have no currency, and sessions have amount_usd.
 */
function coinslot_price( array $session ): string {
	return ( $session['amount'] ?? $session['amount_usd'] ) . ' ' . ( $session['currency'] ?? 'USD' );
}
