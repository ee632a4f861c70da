<?php
/**
 * Plugin Name: Coinslot
 * Description: Crypto payments and donations by a Coinslot checkout that you host. Needs no shop.
 * Version: 1.0.0
 * Requires at least: 6.1
 * Requires PHP: 8.1
 * Text Domain: coinslot-wordpress
 */

namespace Coinslot\WordPress;

defined( 'ABSPATH' ) || exit;

require_once __DIR__ . '/includes/settings.php';
require_once __DIR__ . '/includes/checkout.php';
require_once __DIR__ . '/includes/signature.php';
require_once __DIR__ . '/includes/class-order.php';
require_once __DIR__ . '/includes/orders.php';
require_once __DIR__ . '/includes/mail.php';
require_once __DIR__ . '/includes/webhook.php';

add_action( 'init', __NAMESPACE__ . '\register_checkout' );
add_action( 'init', __NAMESPACE__ . '\register_orders' );
add_action( 'rest_api_init', __NAMESPACE__ . '\register_webhook' );
add_filter( 'script_loader_tag', __NAMESPACE__ . '\load_async', 10, 2 );

if ( is_admin() ) {
	require_once __DIR__ . '/includes/admin-settings.php';
	require_once __DIR__ . '/includes/admin-orders.php';
	require_once __DIR__ . '/includes/admin-order.php';

	watch_settings();
	watch_orders();
	watch_order();
}
