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

	/** Every currency is offered: only the checkout knows which it has a rate for now. It refuses an order in another. */
	public function is_available() {
		return parent::is_available() && self::keeps_key( $this->get_option( 'url' ) ) && $this->get_option( 'secret_key' );
	}

	/** Leads to the payment page of an order. A repeated call leads to the same one. */
	public function process_payment( $order_id ) {
		$order = wc_get_order( $order_id );
		try {
			return array( 'result' => 'success', 'redirect' => $this->page( $order ) );
		} catch ( RuntimeException $e ) {
			wc_add_notice( $e->getMessage(), 'error' );
			return array( 'result' => 'failure' );
		}
	}

	/**
	 * Returns where the shopper pays the order's total. At most one session of an order can be paid: if the total or its
	 * currency has changed, the older session is canceled first. Throws what the shopper is told.
	 */
	private function page( $order ): string {
		if ( ! self::keeps_key( $this->get_option( 'url' ) ) ) {
			throw $this->failed( $order, self::insecure() );
		}

		$price    = array( 'amount' => coinslot_amount( $order ), 'currency' => $order->get_currency() );
		$requests = coinslot_requests( $order );
		$request  = end( $requests ) ?: null;
		if ( $request && ( $request['over'] || coinslot_price( $request ) !== coinslot_price( $price ) ) ) {
			// Stored first: if no answer comes, the session may be canceled, and must be left behind.
			$request = $this->store( $order, array( 'over' => true ) + $request );
			if ( '' === $request['id'] ) {
				$this->ask( $order, $request );
				$requests = coinslot_requests( $order );
				$request  = end( $requests );
			}
			if ( ! $this->cancel( $order, $request ) ) {
				return $request['url'];
			}
			$request = null;
		}

		$session = $this->ask( $order, $request ?? $this->begin( $order, $price ) );
		if ( $session['deleted'] ?? false ) {
			$session = $this->ask( $order, $this->begin( $order, $price ) );
		}
		return $this->page_of( $order, $session );
	}

	/** Returns where a shopper goes who was given a session. Throws if it cannot be paid any more. */
	private function page_of( $order, array $session ): string {
		switch ( $session['status'] ?? '' ) {
			case 'confirmed': // its webhook is on its way
				return $this->get_return_url( $order );
			case 'cancelled':
				coinslot_note_once( $order, "The shopper asked to pay, but Coinslot session {$session['id']} was canceled in Coinslot, and stays so." );
				throw new RuntimeException( __( 'The shop has canceled this payment. Please contact the shop, or choose another way to pay.', 'coinslot' ) );
			case 'expired':
				coinslot_note_once( $order, "The shopper asked to pay the rest, but the time of Coinslot session {$session['id']} is over, and a part was paid: refund it, or agree on the rest." );
				throw new RuntimeException( __( 'A part of this order was paid, and the time to pay is over. Please contact the shop.', 'coinslot' ) );
		}
		return $session['url'];
	}

	/** Stores a request for a session at the order's present total, before it is sent. $price has amount and currency. */
	private function begin( $order, array $price ): array {
		$requests = coinslot_requests( $order );
		$ref      = $order->get_order_key() . '~' . $price['amount'];
		if ( in_array( $ref, array_column( $requests, 'ref' ), true ) ) {
			$ref .= '~' . ( count( $requests ) + 1 );
		}
		$body = $price + array(
			'order_ref'   => $ref,
			/* translators: %s: an order number */
			'title'       => sprintf( __( 'Order %s', 'coinslot' ), $order->get_order_number() ),
			'success_url' => $this->get_return_url( $order ),
			'cancel_url'  => $order->get_checkout_payment_url(),
		);
		return $this->store( $order, $price + array( 'ref' => $ref, 'id' => '', 'url' => '', 'over' => false, 'body' => wp_json_encode( $body ) ) );
	}

	/** Stores a request in the order: the last one again, or a new one. */
	private function store( $order, array $request ): array {
		$requests = coinslot_requests( $order );
		$last     = end( $requests );
		if ( $last && $last['ref'] === $request['ref'] ) {
			array_pop( $requests );
		}
		$requests[] = $request;
		$this->save( $order, $requests );
		return $request;
	}

	/** Stores the requests of an order. The last one's session is the order's. */
	private function save( $order, array $requests ): void {
		$last = end( $requests );
		$order->update_meta_data( '_coinslot_sessions', wp_json_encode( $requests ) );
		$order->update_meta_data( '_coinslot_session', $last ? $last['id'] : '' );
		$order->save();
	}

	/**
	 * Returns the session of a request. Sent again with the same body, it is the same session, and can be paid again if
	 * it has ended unpaid. Throws if none came.
	 */
	private function ask( $order, array $request ): array {
		list( $status, $session ) = $this->call( '/v1/sessions', $request['body'], array( 'Idempotency-Key' => $request['ref'] ) );
		if ( ! isset( $session['id'], $session['url'] ) ) {
			$code = $session['code'] ?? '';
			if ( '' === $request['id'] && in_array( $code, array( 'currency_unsupported', 'rate_unavailable' ), true ) ) {
				// Nothing was opened, so nothing has to be canceled if the order's currency changes.
				$this->save( $order, array_slice( coinslot_requests( $order ), 0, -1 ) );
			}
			throw $this->failed( $order, 'opening a session for ' . coinslot_price( $request ) . ": $status", $code );
		}
		$this->store( $order, array( 'id' => $session['id'], 'url' => $session['url'] ) + $request );
		return $session;
	}

	/** Cancels a session that is not for the order's total. False = refused, because money came or is on its way. */
	private function cancel( $order, array $request ): bool {
		$id                      = $request['id'];
		$price                   = coinslot_price( $request );
		list( $status, $answer ) = $this->call( '/v1/sessions/' . rawurlencode( $id ) . '/cancel', '{}' );
		$code                    = $answer['code'] ?? '';
		if ( in_array( $code, array( 'payment_in_progress', 'session_paid' ), true ) ) {
			coinslot_note_once( $order, "The total is now {$order->get_total()}, but Coinslot session $id of $price is paid or being paid ($code). No other session was opened." );
			return false;
		}
		if ( ! isset( $answer['id'] ) && 'session_unknown' !== $code ) { // one that is gone cannot be paid
			throw $this->failed( $order, "canceling session $id: $status" );
		}
		$order->add_order_note( "Coinslot session $id of $price was canceled, because another one replaces it." );
		return true;
	}

	/** Sends a request. Returns the status as text, for the log, and the answer, which is empty if none came. */
	private function call( string $path, string $body, array $headers = array() ): array {
		$answer = wp_remote_post( untrailingslashit( $this->get_option( 'url' ) ) . $path, array(
			'timeout'     => 30, // the checkout waits for its gateway for up to 25 s
			'redirection' => 0, // the key reaches only the checkout
			'headers'     => $headers + array(
				'Authorization' => 'Bearer ' . $this->get_option( 'secret_key' ),
				'Content-Type'  => 'application/json',
			),
			'body'        => $body,
		) );
		if ( is_wp_error( $answer ) ) {
			return array( $answer->get_error_message(), array() );
		}
		$said = json_decode( wp_remote_retrieve_body( $answer ), true );
		$said = is_array( $said ) ? $said : array();
		$status = wp_remote_retrieve_response_code( $answer ) . ' ' . ( $said['code'] ?? '' );
		return array( isset( $said['detail'] ) ? "$status: {$said['detail']}" : $status, $said );
	}

	/** Logs why an order has no payment page. Returns what the shopper is told; $code is of the checkout's answer, or empty. */
	private function failed( $order, string $why, string $code = '' ): RuntimeException {
		wc_get_logger()->error( "order {$order->get_id()}: $why", array( 'source' => 'coinslot' ) );
		if ( 'currency_unsupported' === $code ) {
			/* translators: %s: a currency, such as EUR */
			$told = sprintf( __( "Crypto payment isn't possible in %s. Nothing was charged; please choose another way to pay.", 'coinslot' ), $order->get_currency() );
		} elseif ( 'rate_unavailable' === $code ) {
			/* translators: %s: a currency, such as EUR */
			$told = sprintf( __( "Crypto payment isn't possible in %s right now. Nothing was charged; please try again later, or choose another way to pay.", 'coinslot' ), $order->get_currency() );
		} else {
			$told = __( 'The crypto checkout cannot be reached. Nothing was charged; please try again.', 'coinslot' );
		}
		return new RuntimeException( $told );
	}
}
