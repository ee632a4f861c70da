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

	/** Opens a session for an order and leads to its page. A repeated call gets the same session. */
	public function process_payment( $order_id ) {
		$order   = wc_get_order( $order_id );
		$session = 'USD' === $order->get_currency() ? $this->open( $order ) : null;
		if ( ! $session ) {
			wc_add_notice( __( 'The crypto checkout cannot be reached. Nothing was charged; please try again.', 'coinslot' ), 'error' );
			return array( 'result' => 'failure' );
		}
		$order->update_meta_data( '_coinslot_session', $session['id'] );
		$order->update_meta_data( '_coinslot_version', 0 );
		$order->save();
		return array( 'result' => 'success', 'redirect' => $session['url'] );
	}

	/** Returns the session of an order at its present total; null = failed, and logged. */
	private function open( $order ): ?array {
		if ( ! self::keeps_key( $this->get_option( 'url' ) ) ) {
			wc_get_logger()->error( "order {$order->get_id()}: opening a session: " . self::insecure(), array( 'source' => 'coinslot' ) );
			return null;
		}
		$amount = coinslot_amount( $order );
		$ref    = $order->get_order_key() . '~' . $amount;
		$answer = wp_remote_post( untrailingslashit( $this->get_option( 'url' ) ) . '/v1/sessions', array(
			'timeout'     => 20,
			'redirection' => 0, // the key reaches only the checkout
			'headers'     => array(
				'Authorization'   => 'Bearer ' . $this->get_option( 'secret_key' ),
				'Content-Type'    => 'application/json',
				'Idempotency-Key' => $ref,
			),
			'body'        => wp_json_encode( array(
				'amount_usd'  => $amount,
				'order_ref'   => $ref,
				/* translators: %s: an order number */
				'title'       => sprintf( __( 'Order %s', 'coinslot' ), $order->get_order_number() ),
				'success_url' => $this->get_return_url( $order ),
				'cancel_url'  => $order->get_checkout_payment_url(),
			) ),
		) );
		$session = is_wp_error( $answer ) ? null : json_decode( wp_remote_retrieve_body( $answer ), true );
		if ( is_array( $session ) && isset( $session['id'], $session['url'] ) ) {
			return $session;
		}
		$why = is_wp_error( $answer ) ? $answer->get_error_message() : wp_remote_retrieve_response_code( $answer ) . ' ' . ( $session['code'] ?? '' );
		wc_get_logger()->error( "order {$order->get_id()}: opening a session: $why", array( 'source' => 'coinslot' ) );
		return null;
	}
}
