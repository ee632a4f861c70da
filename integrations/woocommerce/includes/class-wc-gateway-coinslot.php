<?php
defined( 'ABSPATH' ) || exit;

/** Sends shoppers to a Coinslot checkout. Orders are paid by its webhooks only, see Coinslot_Webhook. */
class WC_Gateway_Coinslot extends WC_Payment_Gateway {
	public function __construct() {
		$this->id                 = 'coinslot';
		$this->method_title       = 'Coinslot';
		$this->method_description = sprintf(
			/* translators: %s: a URL */
			__( 'Crypto payments by a checkout that you host. Set its COINSLOT_WEBHOOK_URL to %s', 'coinslot' ),
			rest_url( 'coinslot/v1/webhook' )
		);
		$this->has_fields = false;
		$this->init_form_fields();
		$this->init_settings();
		$this->title       = $this->get_option( 'title' );
		$this->description = $this->get_option( 'description' );
		add_action( 'woocommerce_update_options_payment_gateways_coinslot', array( $this, 'process_admin_options' ) );
	}

	public function init_form_fields() {
		$secret            = array( 'type' => 'password', 'default' => '', 'custom_attributes' => array( 'autocomplete' => 'off' ) );
		$this->form_fields = array(
			'enabled'        => array( 'title' => __( 'Enable', 'coinslot' ), 'type' => 'checkbox', 'default' => 'no' ),
			'title'          => array( 'title' => __( 'Title', 'coinslot' ), 'type' => 'text', 'default' => __( 'Crypto', 'coinslot' ) ),
			'description'    => array( 'title' => __( 'Description', 'coinslot' ), 'type' => 'textarea', 'default' => __( 'Pay with USDT, ETH and other coins.', 'coinslot' ) ),
			'url'            => array( 'title' => 'COINSLOT_PUBLIC_URL', 'type' => 'url', 'default' => '', 'placeholder' => 'https://pay.shop.example' ),
			'secret_key'     => array( 'title' => 'COINSLOT_SECRET_KEY' ) + $secret,
			'webhook_secret' => array( 'title' => 'COINSLOT_WEBHOOK_SECRET' ) + $secret,
			'accept_test'    => array( 'title' => __( 'Accept play money', 'coinslot' ), 'type' => 'checkbox', 'default' => 'no', 'description' => __( 'For tests with a sandbox. Never in production.', 'coinslot' ) ),
		);
	}

	/** Refuses to save a URL by which the secret key would travel without https. WooCommerce calls it. */
	public function validate_url_field( $key, $value ) {
		$url = trim( (string) $value );
		if ( '' === $url || self::keeps_key( $url ) ) {
			return $url;
		}
		WC_Admin_Settings::add_error( self::insecure() );
		return $this->get_option( $key );
	}

	/** Reports whether a URL is https, or leads to this machine: the secret key travels with each request. */
	private static function keeps_key( string $url ): bool {
		return 1 === preg_match( '~^(?:https://[^/?#@\\\\\s]+|http://(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?)(?:/[^?#\\\\\s]*)?$~iD', $url );
	}

	private static function insecure(): string {
		return __( 'COINSLOT_PUBLIC_URL must be https, like https://pay.shop.example (http only for localhost): the secret key travels with each request.', 'coinslot' );
	}

	/** Coinslot's orders are in US dollars. */
	public function is_available() {
		return parent::is_available() && 'USD' === get_woocommerce_currency() && self::keeps_key( $this->get_option( 'url' ) ) && $this->get_option( 'secret_key' );
	}

	/** Leads to the page on which an order can be paid, or on which a shopper sees what has become of a payment. */
	public function process_payment( $order_id ) {
		$order   = wc_get_order( $order_id );
		$session = 'USD' === $order->get_currency() ? $this->session_of( $order ) : null;
		if ( ! $session ) {
			wc_add_notice( __( 'The crypto checkout cannot be reached. Nothing was charged; please try again.', 'coinslot' ), 'error' );
			return array( 'result' => 'failure' );
		}
		if ( in_array( $session['status'], array( 'expired', 'cancelled' ), true ) ) { // for good: see docs/api.md
			$this->log( $order, "session {$session['id']} is {$session['status']} for good: look at it in Coinslot's console" );
			wc_add_notice( __( 'This order cannot be paid by crypto any more. Please contact the shop.', 'coinslot' ), 'error' );
			return array( 'result' => 'failure' );
		}
		return array( 'result' => 'success', 'redirect' => $session['url'] );
	}

	/**
	 * Returns the session of an order at its present total; null = failed, and logged. The same total is the same request,
	 * which reopens what has ended unpaid. Another total cancels the session before, so that a shopper pays once; while money
	 * for that one may be on its way, it stays the order's session.
	 */
	private function session_of( $order ): ?array {
		$amount   = coinslot_amount( $order );
		$sessions = array_filter( coinslot_sessions( $order ), fn ( $known ) => isset( $known['ref'] ) );
		$last     = end( $sessions );
		$ref      = $order->get_order_key() . '~' . $amount;
		if ( $last && $last['amount'] === $amount ) {
			$ref = $last['ref'];
		} elseif ( $last ) {
			$id = array_key_last( $sessions );
			if ( ! $this->cancel( $order, $id ) ) {
				$order->add_order_note( "The order's total is $amount USD now, and Coinslot session $id of {$last['amount']} USD cannot be canceled: money may be on its way." );
				return array( 'id' => $id, 'url' => $last['url'], 'status' => 'pending' );
			}
			$ref .= '~' . ( count( $sessions ) + 1 ); // a canceled session of this total, too, is canceled for good
		}

		$session = $this->open( $order, $amount, $ref );
		if ( ! empty( $session['deleted'] ) ) { // after COINSLOT_RETENTION
			$ref     = $order->get_order_key() . '~' . $amount . '~' . ( count( $sessions ) + 1 );
			$session = $this->open( $order, $amount, $ref );
		}
		if ( $session ) {
			$all   = coinslot_sessions( $order );
			$known = array( 'ref' => $ref, 'amount' => $amount, 'url' => $session['url'] );
			$all[ $session['id'] ] = $known + ( $all[ $session['id'] ] ?? array( 'version' => 0, 'paid' => false ) );
			$order->update_meta_data( '_coinslot_sessions', $all );
			$order->save();
		}
		return $session;
	}

	/** Opens a session, or gets the one that the same request has opened before. */
	private function open( $order, string $amount, string $ref ): ?array {
		$session = $this->request( $order, '/v1/sessions', array(
			'amount_usd'  => $amount,
			'order_ref'   => $ref,
			/* translators: %s: an order number */
			'title'       => sprintf( __( 'Order %s', 'coinslot' ), $order->get_order_number() ),
			'success_url' => $this->get_return_url( $order ),
			'cancel_url'  => $order->get_checkout_payment_url(),
		), $ref );
		return isset( $session['id'], $session['url'], $session['status'] ) ? $session : null;
	}

	/** Cancels a session for good; false if money may be there or on its way, or nobody knows. */
	private function cancel( $order, string $id ): bool {
		$session = $this->request( $order, "/v1/sessions/$id/cancel", null, '' );
		return 'cancelled' === ( $session['status'] ?? '' ) || 'session_unknown' === ( $session['code'] ?? '' );
	}

	/** Sends a POST to the checkout and returns what it answers; null = nothing that can be read. Failures are logged. */
	private function request( $order, string $path, ?array $body, string $key ): ?array {
		if ( ! self::keeps_key( $this->get_option( 'url' ) ) ) {
			$this->log( $order, self::insecure() );
			return null;
		}
		$headers = array( 'Authorization' => 'Bearer ' . $this->get_option( 'secret_key' ) );
		if ( null !== $body ) {
			$headers += array( 'Content-Type' => 'application/json', 'Idempotency-Key' => $key );
		}
		$answer = wp_remote_post( untrailingslashit( $this->get_option( 'url' ) ) . $path, array(
			'timeout'     => 30, // the checkout waits for a busy gateway for up to 25 s
			'redirection' => 0, // the key reaches only the checkout
			'headers'     => $headers,
			'body'        => null === $body ? '' : wp_json_encode( $body ),
		) );
		if ( is_wp_error( $answer ) ) {
			$this->log( $order, "$path: " . $answer->get_error_message() );
			return null;
		}
		$said = json_decode( wp_remote_retrieve_body( $answer ), true );
		$code = wp_remote_retrieve_response_code( $answer );
		if ( $code >= 300 ) {
			$this->log( $order, "$path: $code " . ( $said['code'] ?? '' ) );
		}
		return is_array( $said ) ? $said : null;
	}

	private function log( $order, string $line ): void {
		wc_get_logger()->error( "order {$order->get_id()}: $line", array( 'source' => 'coinslot' ) );
	}
}
