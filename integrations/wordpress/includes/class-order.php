<?php
namespace Coinslot\WordPress;

defined( 'ABSPATH' ) || exit;

/**
 * An order: the newest state of a session of the checkout, and the events that told of it. It knows
 * neither WordPress' posts nor the clock. Amounts are text and stay text.
 */
final class Order {
	/**
	 * @param array $session the session object of the highest version that came
	 * @param array $events  by webhook-id: type, version, at, and mailed
	 */
	private function __construct( private array $session, private array $events ) {}

	/** Returns the order of a session that no event has told of yet. */
	public static function fresh(): self {
		return new self( array(), array() );
	}

	/** Returns the order that to_json made a text of. Errors: the text is of nothing else. */
	public static function from_json( string $json ): self {
		$stored = json_decode( $json, true, 64, JSON_THROW_ON_ERROR );

		return new self( $stored['session'], $stored['events'] );
	}

	/** Returns the order as ASCII without <, > and &, which no filter of WordPress changes. */
	public function to_json(): string {
		return json_encode(
			array( 'session' => $this->session, 'events' => $this->events ),
			JSON_THROW_ON_ERROR | JSON_HEX_TAG | JSON_HEX_AMP
		);
	}

	/**
	 * Takes an event in, and reports whether it is new. An event that is known changes nothing. One
	 * of an older version is listed with the others, and the session stays as it is.
	 */
	public function apply( string $id, array $event ): bool {
		if ( isset( $this->events[ $id ] ) ) {
			return false;
		}

		$session = $event['data'];
		$version = (int) $session['version'];

		$this->events[ $id ] = array(
			'type'    => (string) $event['type'],
			'version' => $version,
			'at'      => (string) $event['timestamp'],
			'mailed'  => false,
		);

		if ( $version >= (int) ( $this->session['version'] ?? 0 ) ) {
			$this->session = $session;
		}

		return true;
	}

	/** Reports whether money came for the order. Orders without any are not kept. */
	public function has_money(): bool {
		if ( in_array( $this->session['status'], array( 'confirmed', 'review' ), true ) ) {
			return true;
		}
		if ( array() !== $this->refunds() ) {
			return true;
		}
		foreach ( $this->attempts() as $attempt ) {
			if ( preg_match( '/[1-9]/', $attempt['paid_amount'] ?? '' ) ) {
				return true;
			}
		}

		return false;
	}

	/**
	 * Reports whether the owner is to get a mail of an event and has not got it yet. A session is
	 * confirmed once, and stays so; a review is news only until something newer is known.
	 */
	public function owes_mail( string $id ): bool {
		$event = $this->events[ $id ];
		if ( $event['mailed'] ) {
			return false;
		}

		return match ( $event['type'] ) {
			'checkout.confirmed' => true,
			'checkout.review'    => $event['version'] === (int) $this->session['version'],
			default              => false,
		};
	}

	/** Notes that the mail of an event was sent. */
	public function mailed( string $id ): void {
		$this->events[ $id ]['mailed'] = true;
	}

	/**
	 * Returns where the order stands: paid, review (a person decides in Coinslot), part (not all
	 * has come yet), or ended (a part has come, and the time is over).
	 */
	public function status(): string {
		return match ( $this->session['status'] ) {
			'confirmed'            => 'paid',
			'review'               => 'review',
			'expired', 'cancelled' => 'ended',
			default                => 'part',
		};
	}

	/** Reports whether no real money moved. */
	public function is_test(): bool {
		return (bool) ( $this->session['test'] ?? false );
	}

	/** Reports whether the payment came after its time. */
	public function is_late(): bool {
		return (bool) ( $this->session['late'] ?? false );
	}

	/** Returns a member of the session that is text, such as "title", or "" if it has none. */
	public function text( string $name ): string {
		$value = $this->session[ $name ] ?? '';

		return is_scalar( $value ) ? (string) $value : '';
	}

	/** Returns the number that the merchant gave the order, or else the session's id. */
	public function reference(): string {
		return '' !== $this->text( 'order_ref' ) ? $this->text( 'order_ref' ) : $this->text( 'id' );
	}

	/** Returns what was sold, in the words that the shopper read. */
	public function title(): string {
		return '' !== $this->text( 'title' ) ? $this->text( 'title' ) : $this->item();
	}

	/** Returns the catalog's name of what was sold, or "". */
	public function item(): string {
		return (string) ( $this->session['metadata']['item'] ?? '' );
	}

	/** Returns the price, such as "13.50", in currency(). */
	public function amount(): string {
		return (string) ( $this->session['amount'] ?? $this->session['amount_usd'] );
	}

	/** Returns the currency of amount(). */
	public function currency(): string {
		return (string) ( $this->session['currency'] ?? 'USD' );
	}

	/** Returns the payments at the gateway, oldest first. */
	public function attempts(): array {
		return $this->session['attempts'] ?? array();
	}

	/** Returns the payment that counts: the confirmed one, or the last with money, or the last. */
	public function attempt(): array {
		$found = array();
		foreach ( $this->attempts() as $attempt ) {
			if ( 'confirmed' === $attempt['status'] ) {
				return $attempt;
			}
			$has_money = preg_match( '/[1-9]/', $attempt['paid_amount'] ?? '' );
			if ( $has_money || ! preg_match( '/[1-9]/', $found['paid_amount'] ?? '' ) ) {
				$found = $attempt;
			}
		}

		return $found;
	}

	/** Returns what was sent back, as the merchant recorded it in Coinslot, oldest first. */
	public function refunds(): array {
		return $this->session['refunds'] ?? array();
	}

	/** Returns all events in the order in which they happened, by webhook-id. */
	public function events(): array {
		$events = $this->events;
		uasort( $events, fn( $a, $b ) => strcmp( $a['at'], $b['at'] ) );

		return $events;
	}

	/** Returns when the order was paid (RFC 3339), or when the session began if it is not paid. */
	public function date(): string {
		$paid = $this->attempt()['paid_at'] ?? '';

		return $paid ? $paid : $this->text( 'created_at' );
	}

	/** Returns what is unusual about the order, one sentence each. */
	public function notes(): array {
		$coin  = $this->attempt()['currency_symbol'] ?? '';
		$notes = array();

		if ( $this->is_test() ) {
			$notes[] = __( 'Play money: no real money moved.', 'coinslot-wordpress' );
		}
		if ( '' !== $this->text( 'review_reason' ) ) {
			$notes[] = sprintf(
				/* translators: %s: a reason, such as amount_differs */
				__( "Coinslot needs your decision (%s): see its console.", 'coinslot-wordpress' ),
				$this->text( 'review_reason' )
			);
		}
		if ( $this->is_late() ) {
			$notes[] = __( 'The payment was late.', 'coinslot-wordpress' );
		}
		if ( '' !== $this->text( 'missing_amount' ) ) {
			$notes[] = sprintf(
				/* translators: %s: an amount in a coin, such as 1.5 USDT */
				__( '%s is missing.', 'coinslot-wordpress' ),
				trim( $this->text( 'missing_amount' ) . " $coin" )
			);
		}
		if ( '' !== $this->text( 'overpaid_amount' ) ) {
			$notes[] = sprintf(
				/* translators: %s: an amount in a coin, such as 1.5 USDT */
				__( '%s too much was paid.', 'coinslot-wordpress' ),
				trim( $this->text( 'overpaid_amount' ) . " $coin" )
			);
		}
		foreach ( $this->refunds() as $refund ) {
			$notes[] = sprintf(
				/* translators: %s: an amount in a coin, such as 1.5 USDT */
				__( '%s was sent back.', 'coinslot-wordpress' ),
				"{$refund['amount']} {$refund['currency_symbol']}"
			);
		}

		return $notes;
	}
}
