<?php
defined( 'ABSPATH' ) || exit;

/**
 * Reports whether the checkout signed the raw body within five minutes of $now (seconds since 1970).
 * $secrets is COINSLOT_WEBHOOK_SECRET: "whsec_…", or "<new>,<old>" while it is changed.
 * Standard Webhooks 1.0.0, https://www.standardwebhooks.com.
 */
function coinslot_is_signed( string $secrets, array $headers, string $body, int $now ): bool {
	$id    = $headers['webhook-id'];
	$stamp = $headers['webhook-timestamp'];
	if ( '' === $id || ! preg_match( '/^\d{1,12}$/D', $stamp ) || abs( $now - (int) $stamp ) > 300 ) {
		return false;
	}
	foreach ( explode( ',', $secrets ) as $secret ) {
		$key = base64_decode( preg_replace( '/^whsec_/', '', trim( $secret ) ), true );
		if ( false === $key || strlen( $key ) < 24 ) {
			continue;
		}
		$want = 'v1,' . base64_encode( hash_hmac( 'sha256', "$id.$stamp.$body", $key, true ) );
		foreach ( explode( ' ', $headers['webhook-signature'] ) as $given ) {
			if ( hash_equals( $want, $given ) ) {
				return true;
			}
		}
	}
	return false;
}
