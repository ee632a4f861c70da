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
		if ( ! $this->is_new( $order, $headers['webhook-id'], $event['type'], $session ) ) {
			return 204;
		}
		if ( 'checkout.confirmed' === $event['type'] ) {
			$this->confirm( $order, $session );
		} else {
			$this->note( $order, $event['type'], $session );
		}
		return 204;
	}

	/**
	 * Reports whether an event is neither a repeated one nor older than what is known of its session, and keeps that it is
	 * known now. A payment counts in any order, but once for each session.
	 */
	private function is_new( $order, string $event_id, string $type, array $session ): bool {
		$events   = $order->get_meta( '_coinslot_events' ) ?: array();
		$sessions = coinslot_sessions( $order );
		$known    = ( $sessions[ $session['id'] ] ?? array() ) + array( 'version' => 0, 'paid' => false );
		$is_paid  = 'checkout.confirmed' === $type;
		if ( in_array( $event_id, $events, true ) || ( $is_paid ? $known['paid'] : $session['version'] <= $known['version'] ) ) {
			return false;
		}

		$known['version']           = max( $session['version'], $known['version'] );
		$known['paid']              = $known['paid'] || $is_paid;
		$sessions[ $session['id'] ] = $known;
		$events[]                   = $event_id;
		$order->update_meta_data( '_coinslot_sessions', $sessions );
		$order->update_meta_data( '_coinslot_events', array_slice( $events, -100 ) );
		$order->save();
		return true;
	}

	/** Marks the order as paid, once. Money that does not fit it needs a person. */
	private function confirm( $order, array $session ): void {
		if ( $order->is_paid() ) {
			if ( $order->get_transaction_id() !== $session['id'] ) {
				$this->review( $order, "Paid a second time, by Coinslot session {$session['id']}: refund one payment." );
			}
			return;
		}
		$total = coinslot_amount( $order ) . ' ' . $order->get_currency();
		if ( "{$session['amount_usd']} USD" !== $total ) {
			$this->review( $order, "Coinslot session {$session['id']} was paid with {$session['amount_usd']} USD, and the order's total is $total." );
			return;
		}
		$more  = $session['late'] ? ' The payment was late.' : '';
		$more .= '' !== $session['overpaid_amount'] ? " {$session['overpaid_amount']} too much, in the coin." : '';
		$order->add_order_note( "Coinslot has confirmed session {$session['id']}.$more" );
		$order->payment_complete( $session['id'] );
	}

	/** Notes what is not final. The order stays open: the shopper can try again, and late money still counts. */
	private function note( $order, string $type, array $session ): void {
		if ( 'checkout.review' === $type ) {
			$this->review( $order, "Coinslot session {$session['id']} needs review ({$session['review_reason']}): decide in Coinslot's console." );
		} elseif ( 'checkout.partial' === $type && $order->is_paid() ) {
			$this->review( $order, "A part of Coinslot session {$session['id']} was paid as well: refund it." );
		} elseif ( $order->is_paid() ) {
			return;
		} elseif ( 'checkout.partial' === $type ) { // on hold, so that the stock stays reserved
			$order->update_status( 'on-hold', "A part of Coinslot session {$session['id']} was paid; {$session['missing_amount']} is missing, in the coin." );
		} elseif ( 'checkout.expired' === $type || 'checkout.cancelled' === $type ) {
			$order->add_order_note( "Coinslot session {$session['id']}: {$session['status']}, without a payment." );
		}
	}

	private function review( $order, string $note ): void {
		$this->log( "order {$order->get_id()}: $note" );
		if ( $order->is_paid() ) {
			$order->add_order_note( $note );
		} else {
			$order->update_status( 'on-hold', $note );
		}
	}

	private function log( string $line ): void {
		wc_get_logger()->error( $line, array( 'source' => 'coinslot' ) );
	}
}

/** Returns the order's total as the checkout has it: decimal text with two places. */
function coinslot_amount( $order ): string {
	return wc_format_decimal( $order->get_total(), 2 );
}

/**
 * Returns all sessions of an order by their ids, in the order in which they were opened: what they were opened with (ref,
 * amount, url) and what webhooks have said (version, paid).
 */
function coinslot_sessions( $order ): array {
	return $order->get_meta( '_coinslot_sessions' ) ?: array();
}

/** Returns the order key in a session's order_ref, where the total follows, and a number if it has changed. */
function coinslot_order_key( string $ref ): string {
	return explode( '~', $ref, 2 )[0];
}
