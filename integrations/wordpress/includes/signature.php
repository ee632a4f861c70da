<?php
namespace Coinslot\WordPress;

defined( 'ABSPATH' ) || exit;

/** Seconds that a webhook's timestamp may differ from the clock here. */
const TOLERANCE = 300;

/**
 * Reports whether the checkout signed the raw body within five minutes of $now (seconds since
 * 1970). $secrets is a webhook_secret(). Standard Webhooks 1.0.0, https://www.standardwebhooks.com.
 */
function is_signed( string $secrets, array $headers, string $body, int $now ): bool {
	$id    = $headers['webhook-id'];
	$stamp = $headers['webhook-timestamp'];
	if ( '' === $id || ! preg_match( '/^\d{1,12}$/D', $stamp ) ) {
		return false;
	}
	if ( abs( $now - (int) $stamp ) > TOLERANCE ) {
		return false;
	}

	$given  = explode( ' ', $headers['webhook-signature'] );
	$signed = false;
	foreach ( explode( ',', $secrets ) as $secret ) {
		$secret = trim( $secret );
		if ( ! is_webhook_secret( $secret ) ) {
			continue;
		}

		$key  = base64_decode( substr( $secret, strlen( 'whsec_' ) ), true );
		$want = 'v1,' . base64_encode( hash_hmac( 'sha256', "$id.$stamp.$body", $key, true ) );
		foreach ( $given as $signature ) {
			$signed = hash_equals( $want, $signature ) || $signed;
		}
	}

	return $signed;
}
