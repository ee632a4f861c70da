<?php
namespace Coinslot\WordPress;

defined( 'ABSPATH' ) || exit;

/** The address of the settings page, and the name of its group. */
const SETTINGS = 'coinslot-settings';

/** Hooks the settings page in. */
function watch_settings(): void {
	add_action( 'admin_menu', __NAMESPACE__ . '\add_settings_page' );
	add_action( 'admin_init', __NAMESPACE__ . '\register_settings' );
	add_action( 'admin_notices', __NAMESPACE__ . '\warn_of_woocommerce' );
	$plugin = plugin_basename( dirname( __DIR__ ) . '/coinslot-wordpress.php' );
	add_filter( "plugin_action_links_$plugin", __NAMESPACE__ . '\link_settings' );
}

function add_settings_page(): void {
	add_submenu_page(
		'edit.php?post_type=' . POST_TYPE,
		__( 'Coinslot settings', 'coinslot-wordpress' ),
		__( 'Settings', 'coinslot-wordpress' ),
		'manage_options',
		SETTINGS,
		__NAMESPACE__ . '\show_settings'
	);
}

/** Returns the plugin's links in the list of plugins, with one to the settings. */
function link_settings( array $links ): array {
	$link = '<a href="' . esc_url( settings_url() ) . '">'
		. esc_html__( 'Settings', 'coinslot-wordpress' ) . '</a>';

	return array( $link, ...$links );
}

function settings_url(): string {
	return admin_url( 'edit.php?post_type=' . POST_TYPE . '&page=' . SETTINGS );
}

/** Says what both plugins together cannot do. */
function warn_of_woocommerce(): void {
	if ( ! is_taken_by_woocommerce() || ! current_user_can( 'manage_options' ) ) {
		return;
	}

	$text = __(
		'Coinslot and Coinslot for WooCommerce have the same webhook URL: deactivate one of them.',
		'coinslot-wordpress'
	);
	echo '<div class="notice notice-error"><p>' . esc_html( $text ) . '</p></div>';
}

/** Registers the fields. WordPress checks the nonce and the right to manage options. */
function register_settings(): void {
	register_setting(
		SETTINGS,
		OPTION,
		array( 'type' => 'array', 'sanitize_callback' => __NAMESPACE__ . '\sanitize_settings' )
	);

	$sections = array(
		'checkout' => __( 'Your checkout', 'coinslot-wordpress' ),
		'orders'   => __( 'Orders', 'coinslot-wordpress' ),
	);
	foreach ( $sections as $section => $title ) {
		add_settings_section( $section, $title, '__return_null', SETTINGS );
	}

	$fields = array(
		'url'            => array( 'checkout', __( 'Checkout URL', 'coinslot-wordpress' ) ),
		'webhook_url'    => array( 'checkout', __( 'Webhook URL', 'coinslot-wordpress' ) ),
		'webhook_secret' => array( 'checkout', __( 'Webhook secret', 'coinslot-wordpress' ) ),
		'send_mail'      => array( 'orders', __( 'Mail', 'coinslot-wordpress' ) ),
		'mail_to'        => array( 'orders', __( 'Mail to', 'coinslot-wordpress' ) ),
		'accept_test'    => array( 'orders', __( 'Play money', 'coinslot-wordpress' ) ),
		'delete_orders'  => array( 'orders', __( 'Uninstall', 'coinslot-wordpress' ) ),
	);
	foreach ( $fields as $name => list( $section, $title ) ) {
		add_settings_field(
			$name,
			$title,
			__NAMESPACE__ . "\\show_$name",
			SETTINGS,
			$section,
			array( 'label_for' => "coinslot-$name" )
		);
	}
}

/** Returns what is stored of a form. What cannot be right stays as it was, with a message. */
function sanitize_settings( $given ): array {
	$given = array_map( fn( $value ) => trim( (string) $value ), (array) $given );
	$given = $given + array_fill_keys( array_keys( DEFAULTS ), '' );
	$kept  = array(
		'url'            => setting( 'url' ),
		'webhook_secret' => setting( 'webhook_secret' ),
		'mail_to'        => setting( 'mail_to' ),
	);

	foreach ( array( 'send_mail', 'accept_test', 'delete_orders' ) as $checkbox ) {
		$kept[ $checkbox ] = '1' === $given[ $checkbox ] ? '1' : '';
	}

	$url = rtrim( $given['url'], '/' );
	if ( '' === $url || is_checkout_url( $url ) ) {
		$kept['url'] = $url;
	} else {
		$why = __(
			'The checkout URL must be https, except on this machine: https://pay.shop.example.',
			'coinslot-wordpress'
		);
		refuse( 'url', $why );
	}

	$secret = $given['webhook_secret']; // empty = the stored one
	if ( is_webhook_secret( $secret ) ) {
		$kept['webhook_secret'] = $secret;
	} elseif ( '' !== $secret ) {
		$why = __(
			'The webhook secret must be "whsec_" and 24 to 64 bytes in base64.',
			'coinslot-wordpress'
		);
		refuse( 'webhook_secret', $why );
	}

	if ( '' === $given['mail_to'] || is_email( $given['mail_to'] ) ) {
		$kept['mail_to'] = $given['mail_to'];
	} else {
		refuse( 'mail_to', __( 'Mail to must be an email address.', 'coinslot-wordpress' ) );
	}

	return $kept;
}

/** Has the settings page show why a field was not stored. */
function refuse( string $field, string $why ): void {
	add_settings_error( OPTION, $field, $why );
}

/** Prints the settings page. */
function show_settings(): void {
	if ( ! current_user_can( 'manage_options' ) ) {
		return;
	}

	echo '<div class="wrap coinslot-settings"><h1>'
		. esc_html__( 'Coinslot settings', 'coinslot-wordpress' ) . '</h1>';
	settings_errors(); // other pages than those below Settings print them by themselves
	echo '<form method="post" action="options.php">';
	settings_fields( SETTINGS );
	do_settings_sections( SETTINGS );
	submit_button();
	echo '</form></div>';
}

function show_url(): void {
	show_input( 'url', 'url', setting( 'url' ), 'https://pay.shop.example' );
	show_help( __( 'COINSLOT_PUBLIC_URL of your checkout.', 'coinslot-wordpress' ) );

	$help = sprintf(
		/* translators: %s: a setting with a value */
		__( 'Allow the pages of this site there: %s', 'coinslot-wordpress' ),
		'COINSLOT_ORIGINS=' . site_origin()
	);
	show_help( $help );
}

function show_webhook_url(): void {
	$url = rest_url( 'coinslot/v1/webhook' );
	echo '<input id="coinslot-webhook_url" type="text" readonly class="large-text code" value="'
		. esc_attr( $url ) . '">';
	show_help( __( 'Set COINSLOT_WEBHOOK_URL of your checkout to it.', 'coinslot-wordpress' ) );

	$seen = get_option( OPTION_SEEN );
	if ( ! is_array( $seen ) ) {
		show_help( __( 'No signed webhook has come yet.', 'coinslot-wordpress' ) );
		return;
	}

	$help = sprintf(
		/* translators: 1: a type, such as checkout.confirmed; 2: a time span, such as 2 minutes */
		__( 'The last signed webhook, %1$s, came %2$s ago.', 'coinslot-wordpress' ),
		$seen['type'],
		human_time_diff( $seen['at'] )
	);
	show_help( $help );
}

/** Prints the field of the secret, and never the secret. */
function show_webhook_secret(): void {
	if ( secret_is_constant() ) {
		$help = __( 'COINSLOT_WEBHOOK_SECRET in wp-config.php sets it.', 'coinslot-wordpress' );
		show_help( $help );
		return;
	}

	$placeholder = 'whsec_…';
	if ( '' !== setting( 'webhook_secret' ) ) {
		$placeholder = __( 'stored; leave empty to keep it', 'coinslot-wordpress' );
	}
	show_input( 'webhook_secret', 'password', '', $placeholder );

	show_help( __( 'COINSLOT_WEBHOOK_SECRET of your checkout.', 'coinslot-wordpress' ) );
	$help = __( 'While you change it: the new one, a comma, the old one.', 'coinslot-wordpress' );
	show_help( $help );
}

function show_send_mail(): void {
	$label = __(
		'Send a mail when an order is paid, and when a payment needs review.',
		'coinslot-wordpress'
	);
	show_checkbox( 'send_mail', $label );

	$help = __(
		'If WordPress cannot send it, the webhook counts as not delivered, and comes again.',
		'coinslot-wordpress'
	);
	show_help( $help );
}

function show_mail_to(): void {
	show_input( 'mail_to', 'email', setting( 'mail_to' ), (string) get_option( 'admin_email' ) );
}

function show_accept_test(): void {
	$label = __(
		'Accept payments of a sandbox, for tests. Never in production.',
		'coinslot-wordpress'
	);
	show_checkbox( 'accept_test', $label );
}

function show_delete_orders(): void {
	$label = __( 'Also delete all orders when this plugin is deleted.', 'coinslot-wordpress' );
	show_checkbox( 'delete_orders', $label );
}

function show_input( string $name, string $type, string $value, string $placeholder ): void {
	printf(
		'<input id="coinslot-%1$s" name="%2$s[%1$s]" type="%3$s" value="%4$s" placeholder="%5$s"'
			. ' class="regular-text code" autocomplete="off" spellcheck="false">',
		esc_attr( $name ),
		esc_attr( OPTION ),
		esc_attr( $type ),
		esc_attr( $value ),
		esc_attr( $placeholder )
	);
}

function show_checkbox( string $name, string $label ): void {
	printf(
		'<label><input id="coinslot-%1$s" name="%2$s[%1$s]" type="checkbox" value="1" %3$s>'
			. ' %4$s</label>',
		esc_attr( $name ),
		esc_attr( OPTION ),
		checked( '1', setting( $name ), false ),
		esc_html( $label )
	);
}

function show_help( string $text ): void {
	echo '<p class="description">' . esc_html( $text ) . '</p>';
}
