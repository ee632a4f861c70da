<?php
namespace Coinslot\WordPress;

defined( 'ABSPATH' ) || exit;

/** The option with all settings. Each of them is text; a checkbox is '1' or ''. */
const OPTION = 'coinslot_settings';

/** The option that says when the last signed webhook came, and of which type. */
const OPTION_SEEN = 'coinslot_last_webhook';

const DEFAULTS = array(
	'url'            => '', // the checkout's COINSLOT_PUBLIC_URL, without a slash at its end
	'webhook_secret' => '',
	'send_mail'      => '1',
	'mail_to'        => '', // empty = the site's administrator
	'accept_test'    => '',
	'delete_orders'  => '',
);

/** Returns one setting. */
function setting( string $name ): string {
	$stored = (array) get_option( OPTION, array() );

	return (string) ( $stored[ $name ] ?? DEFAULTS[ $name ] );
}

/**
 * Returns the webhook secret: "whsec_…", or "<new>,<old>" while it is changed. The constant in
 * wp-config.php wins over the stored one.
 */
function webhook_secret(): string {
	return secret_is_constant() ? (string) COINSLOT_WEBHOOK_SECRET : setting( 'webhook_secret' );
}

/** Reports whether wp-config.php sets the webhook secret. */
function secret_is_constant(): bool {
	return defined( 'COINSLOT_WEBHOOK_SECRET' );
}

/**
 * Reports whether a text is the address of a checkout: https, or http on this machine. Shoppers
 * would otherwise see addresses that anyone on the network can change.
 */
function is_checkout_url( string $url ): bool {
	$https = 'https://[^/?#@\\\\\s]+';
	$local = 'http://(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?';

	return 1 === preg_match( "~^(?:$https|$local)(?:/[^?#\\\\\\\\\s]*)?$~iD", $url );
}

/** Reports whether each of a comma-separated list is "whsec_" and 24 to 64 bytes in base64. */
function is_webhook_secret( string $secrets ): bool {
	foreach ( explode( ',', $secrets ) as $secret ) {
		$secret = trim( $secret );
		$key    = base64_decode( substr( $secret, strlen( 'whsec_' ) ), true );
		if ( ! str_starts_with( $secret, 'whsec_' ) || false === $key ) {
			return false;
		}
		if ( strlen( $key ) < 24 || strlen( $key ) > 64 ) {
			return false;
		}
	}

	return true;
}
