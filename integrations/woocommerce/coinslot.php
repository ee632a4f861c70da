<?php
/**
 * Plugin Name: Coinslot for WooCommerce
 * Description: Crypto payments by a Coinslot checkout that you host.
 * Version: 1.0.0
 * Requires at least: 6.4
 * Requires PHP: 8.1
 * Requires Plugins: woocommerce
 * WC requires at least: 8.2
 * Text Domain: coinslot
 */

defined( 'ABSPATH' ) || exit;

require_once __DIR__ . '/includes/signature.php';
require_once __DIR__ . '/includes/price.php';
require_once __DIR__ . '/includes/class-coinslot-webhook.php';

add_action( 'before_woocommerce_init', function () {
	$features = 'Automattic\WooCommerce\Utilities\FeaturesUtil';
	if ( class_exists( $features ) ) {
		$features::declare_compatibility( 'custom_order_tables', __FILE__, true );
		$features::declare_compatibility( 'cart_checkout_blocks', __FILE__, true );
	}
} );

add_filter( 'woocommerce_payment_gateways', function ( array $gateways ): array {
	require_once __DIR__ . '/includes/class-wc-gateway-coinslot.php';
	$gateways[] = 'WC_Gateway_Coinslot';
	return $gateways;
} );

add_action( 'woocommerce_blocks_loaded', function () {
	if ( ! class_exists( 'Automattic\WooCommerce\Blocks\Payments\Integrations\AbstractPaymentMethodType' ) ) {
		return;
	}
	require_once __DIR__ . '/includes/class-coinslot-blocks.php';
	add_action( 'woocommerce_blocks_payment_method_type_registration', function ( $registry ) {
		$registry->register( new Coinslot_Blocks() );
	} );
} );

add_action( 'rest_api_init', function () {
	register_rest_route( 'coinslot/v1', '/webhook', array(
		'methods'             => 'POST',
		'permission_callback' => '__return_true', // the signature decides
		'callback'            => function ( $request ) {
			$headers = array();
			foreach ( array( 'webhook-id', 'webhook-timestamp', 'webhook-signature' ) as $name ) {
				$headers[ $name ] = (string) $request->get_header( $name );
			}
			$webhook = new Coinslot_Webhook( (array) get_option( 'woocommerce_coinslot_settings', array() ) );
			return new WP_REST_Response( null, coinslot_alone(
				fn() => $webhook->receive( $headers, $request->get_body(), time() )
			) );
		},
	) );
} );

/**
 * Receives one webhook at a time, so that of two deliveries of an event only the first changes the order. Returns the HTTP
 * status, 503 if another webhook takes long.
 */
function coinslot_alone( callable $receive ): int {
	global $wpdb;
	$lock = $wpdb->prefix . 'coinslot_webhook';
	if ( '0' === $wpdb->get_var( $wpdb->prepare( 'SELECT GET_LOCK(%s, 10)', $lock ) ) ) {
		return 503;
	}
	try {
		return $receive();
	} finally {
		$wpdb->query( $wpdb->prepare( 'SELECT RELEASE_LOCK(%s)', $lock ) );
	}
}
