<?php
defined( 'ABSPATH' ) || exit;

/** Changes orders by what the checkout's signed webhooks say. A repeated or an older one changes nothing. */
class Coinslot_Webhook {
	/** @param array $settings of the gateway: webhook_secret, accept_test. */
	public function __construct( private array $settings ) {}

	/** Returns the HTTP status for the checkout, which sends an event again unless that is 2xx. */
	public function receive( array $headers, string $body, int $now ): int {
		if ( ! coinslot_is_signed( $this->settings['webhook_secret'] ?? '', $headers, $body, $now ) ) {
			return 401;
		}
		$event   = json_decode( $body, true );
		$session = $event['data'] ?? array();
		$ref     = (string) ( $session['order_ref'] ?? '' );
		if ( ! str_starts_with( $ref, 'wc_order_' ) ) {
			return 204; // a test, or an order that is not of WooCommerce
		}
		if ( $session['test'] && 'yes' !== ( $this->settings['accept_test'] ?? 'no' ) ) {
			$this->log( "{$session['id']} is play money, which is not accepted here" );
			return 204;
		}
		$order = wc_get_order( wc_get_order_id_by_order_key( coinslot_order_key( $ref ) ) );
		if ( ! $order ) {
			$this->log( "{$event['type']} of {$session['id']}: there is no order $ref" );
			return 'checkout.confirmed' === $event['type'] ? 503 : 204; // money must not be forgotten
		}
		if ( $this->is_old( $order, $headers['webhook-id'], $event['type'], $session ) ) {
			return 204;
		}
		try {
			if ( 'checkout.confirmed' === $event['type'] ) {
				$this->confirm( $order, $session );
			} else {
				$this->note( $order, $event['type'], $session );
			}
		} catch ( RuntimeException $e ) {
			$this->log( "{$event['type']} of {$session['id']} comes again: {$e->getMessage()}" );
			return 503;
		}
		$this->remember( $order, $headers['webhook-id'], $session );
		return 204;
	}

	/**
	 * Reports whether an event came before, or a newer one of its session did. One change of a session can have several
	 * events, which have one version. A payment counts even if its event comes late.
	 */
	private function is_old( $order, string $id, string $type, array $session ): bool {
		if ( $order->get_meta( "_coinslot_event_$id" ) === "{$session['id']} {$session['version']}" ) {
			return true;
		}
		$newest = (int) $order->get_meta( "_coinslot_version_{$session['id']}" );
		return $session['version'] < $newest && 'checkout.confirmed' !== $type;
	}

	/** Stores that an event is done. Each has a member of its own, so that none can overwrite another. */
	private function remember( $order, string $id, array $session ): void {
		$version = "_coinslot_version_{$session['id']}";
		$order->update_meta_data( "_coinslot_event_$id", "{$session['id']} {$session['version']}" );
		$order->update_meta_data( $version, max( $session['version'], (int) $order->get_meta( $version ) ) );
		$order->save();
	}

	/** Marks the order as paid, once. Money that does not fit it needs a person. */
	private function confirm( $order, array $session ): void {
		if ( $order->is_paid() ) {
			if ( $order->get_transaction_id() !== $session['id'] ) {
				$this->review( $order, "Paid a second time, by Coinslot session {$session['id']}: refund one payment." );
			}
			return;
		}
		$paid  = coinslot_price( $session );
		$total = coinslot_amount( $order ) . ' ' . $order->get_currency();
		if ( $paid !== $total ) {
			$this->review( $order, "Coinslot session {$session['id']} was paid with $paid, which is not the order's total of $total." );
			return;
		}
		$more  = $session['late'] ? ' The payment was late.' : '';
		$more .= '' !== $session['overpaid_amount'] ? " {$session['overpaid_amount']} too much, in the coin." : '';
		if ( false === $order->payment_complete( $session['id'] ) ) {
			throw new RuntimeException( "order {$order->get_id()} cannot be marked as paid" );
		}
		$order->add_order_note( "Coinslot has confirmed session {$session['id']}.$more" );
	}

	/**
	 * Notes what is not final, of each session of the order. The order stays open: the shopper can try again, and late
	 * money still counts.
	 */
	private function note( $order, string $type, array $session ): void {
		$part = '' !== $session['missing_amount'] ? " A part was paid; {$session['missing_amount']} is missing, in the coin." : '';
		if ( 'checkout.review' === $type ) {
			$this->review( $order, "Coinslot session {$session['id']} needs review ({$session['review_reason']}): decide in Coinslot's console." );
		} elseif ( 'checkout.partial' === $type ) { // on hold, so that the stock stays reserved
			$older = $session['id'] !== $order->get_meta( '_coinslot_session' ) ? "Coinslot session {$session['id']}, not the order's last one: " : '';
			$this->hold( $order, $older . trim( $part ) );
		} elseif ( 'checkout.expired' === $type || 'checkout.cancelled' === $type ) {
			$order->add_order_note( "Coinslot session {$session['id']}: {$session['status']}, without a completed payment.$part" );
		}
	}

	/** Holds an order for a person, and tells those who read the log. */
	private function review( $order, string $note ): void {
		$this->hold( $order, $note );
		$this->log( "order {$order->get_id()}: $note" );
	}

	/** Adds a note, and puts the order on hold unless it is paid. A status that does not change would add no note. */
	private function hold( $order, string $note ): void {
		if ( $order->is_paid() || $order->has_status( 'on-hold' ) ) {
			$order->add_order_note( $note );
		} elseif ( false === $order->update_status( 'on-hold', $note ) ) {
			throw new RuntimeException( "order {$order->get_id()} cannot be put on hold" );
		}
	}

	private function log( string $line ): void {
		wc_get_logger()->error( $line, array( 'source' => 'coinslot' ) );
	}
}

/** Returns the order key in a session's order_ref, which the amount follows, and a number if it was there before. */
function coinslot_order_key( string $ref ): string {
	return explode( '~', $ref, 2 )[0];
}

/**
 * Returns the requests for sessions of an order, oldest first. Each has the ref, amount, currency and body that were sent, the
 * id and url of the session ("" if no answer has come), and over: it is left behind, and canceled before another one is opened.
 */
function coinslot_requests( $order ): array {
	return json_decode( $order->get_meta( '_coinslot_sessions' ) ?: '[]', true );
}

/** Adds a note unless it is the last one that this has added: shoppers click more than once. */
function coinslot_note_once( $order, string $note ): void {
	if ( $order->get_meta( '_coinslot_note' ) === $note ) {
		return;
	}
	$order->add_order_note( $note );
	$order->update_meta_data( '_coinslot_note', $note );
	$order->save();
}
