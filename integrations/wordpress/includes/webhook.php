<?php
namespace Coinslot\WordPress;

defined( 'ABSPATH' ) || exit;

/** Registers POST /wp-json/coinslot/v1/webhook. The plugin for WooCommerce has the same address. */
function register_webhook(): void {
	if ( is_taken_by_woocommerce() ) {
		return;
	}

	register_rest_route(
		'coinslot/v1',
		'/webhook',
		array(
			'methods'             => 'POST',
			'permission_callback' => '__return_true', // the signature decides
			'callback'            => __NAMESPACE__ . '\answer_webhook',
		)
	);
}

/** Reports whether the plugin for WooCommerce is active, which receives the webhooks then. */
function is_taken_by_woocommerce(): bool {
	return class_exists( '\Coinslot_Webhook', false );
}

/** Answers a request of the route. */
function answer_webhook( \WP_REST_Request $request ): \WP_REST_Response {
	$headers = array();
	foreach ( array( 'webhook-id', 'webhook-timestamp', 'webhook-signature' ) as $name ) {
		$headers[ $name ] = (string) $request->get_header( $name );
	}

	list( $status, $message ) = receive( $headers, $request->get_body(), time() );

	return new \WP_REST_Response( array( 'message' => $message ), $status );
}

/**
 * Receives a webhook. Returns the HTTP status and what Coinslot's console shows of it. Coinslot
 * sends the webhook again unless the status is 2xx, so it is that only when all is done.
 */
function receive( array $headers, string $body, int $now ): array {
	if ( '' === webhook_secret() ) {
		return array( 401, 'no webhook secret is set here' );
	}
	if ( ! is_signed( webhook_secret(), $headers, $body, $now ) ) {
		return array( 401, 'the signature is wrong, or too old for the clock here' );
	}

	$event = json_decode( $body, true );
	update_option( OPTION_SEEN, array( 'at' => $now, 'type' => $event['type'] ?? '' ), false );

	$session = $event['data'] ?? array();
	if ( ! preg_match( '/^cs_[a-z0-9]+$/D', $session['id'] ?? '' ) ) {
		return array( 200, 'this tells of no payment' ); // a test, or what is not known yet
	}
	if ( $session['test'] && '1' !== setting( 'accept_test' ) ) {
		return array( 200, 'play money is not accepted here' );
	}

	try {
		return alone( fn() => array( 200, keep( $headers['webhook-id'], $event ) ) );
	} catch ( \Exception $e ) {
		$why = $e->getMessage();
		error_log( "Coinslot: {$event['type']} of {$session['id']} comes again: $why" );

		return array( 503, $why );
	}
}

/**
 * Stores an event with its order, and mails the owner. Nothing is done twice if the event comes
 * again; what could not be done is. Returns what was done.
 */
function keep( string $id, array $event ): string {
	$post  = find_post( $event['data']['id'] );
	$order = $post ? order_of( $post ) : Order::fresh();
	$is_new = $order->apply( $id, $event );
	if ( ! $post && ! $order->has_money() ) {
		return 'not stored, because nothing was paid';
	}

	$number = $is_new ? save_order( $order, $post?->ID ) : $post->ID;
	if ( '1' === setting( 'send_mail' ) && $order->owes_mail( $id ) ) {
		mail_order( $order, $number, $event['type'] );
		$order->mailed( $id );
		save_order( $order, $number );
	}

	return 'stored';
}

/**
 * Calls a function while no other process does. Errors: another one takes longer than ten seconds.
 */
function alone( callable $receive ): array {
	global $wpdb;
	$lock = $wpdb->prefix . 'coinslot_webhook';
	if ( '0' === $wpdb->get_var( $wpdb->prepare( 'SELECT GET_LOCK(%s, 10)', $lock ) ) ) {
		throw new \RuntimeException( 'another webhook takes long' );
	}

	try {
		return $receive();
	} finally {
		$wpdb->query( $wpdb->prepare( 'SELECT RELEASE_LOCK(%s)', $lock ) );
	}
}
