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
		if ( 'checkout.confirmed' === $event['type'] ) {
			$this->confirm( $order, $session );
			return 204;
		}
		if ( $session['id'] === $order->get_meta( '_coinslot_session' ) && $session['version'] > (int) $order->get_meta( '_coinslot_version' ) ) {
			$order->update_meta_data( '_coinslot_version', $session['version'] );
			$order->save();
			$this->note( $order, $event['type'], $session );
		}
		return 204;
	}

	/** Marks the order as paid, once. Money that does not fit it needs a person. */
	private function confirm( $order, array $session ): void {
		if ( $order->is_paid() ) {
			if ( $order->get_transaction_id() !== $session['id'] ) {
				$this->review( $order, "Paid a second time, by Coinslot session {$session['id']}: refund one payment." );
			}
			return;
		}
		if ( coinslot_amount( $order ) !== $session['amount_usd'] ) {
			$this->review( $order, "Coinslot session {$session['id']} was paid with {$session['amount_usd']} USD, which is not the order's total." );
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
		} elseif ( $order->is_paid() ) {
			return;
		} elseif ( 'checkout.partial' === $type ) { // on hold, so that the stock stays reserved
			$order->update_status( 'on-hold', "A part was paid; {$session['missing_amount']} is missing, in the coin." );
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

/** Returns the order key in a session's order_ref, where a number follows if the total has changed. */
function coinslot_order_key( string $ref ): string {
	return explode( '~', $ref, 2 )[0];
}
