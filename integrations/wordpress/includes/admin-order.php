<?php
namespace Coinslot\WordPress;

defined( 'ABSPATH' ) || exit;

/** Hooks the page of one order in. */
function watch_order(): void {
	add_action( 'add_meta_boxes_' . POST_TYPE, __NAMESPACE__ . '\arrange_order' );
}

/** Replaces what edits a post by what shows an order. */
function arrange_order(): void {
	remove_meta_box( 'submitdiv', POST_TYPE, 'side' );
	remove_meta_box( 'slugdiv', POST_TYPE, 'normal' );

	$boxes = array(
		'summary'  => array( 'side', __( 'Summary', 'coinslot-wordpress' ) ),
		'payments' => array( 'normal', __( 'Payments', 'coinslot-wordpress' ) ),
		'refunds'  => array( 'normal', __( 'Refunds', 'coinslot-wordpress' ) ),
		'events'   => array( 'normal', __( 'What happened', 'coinslot-wordpress' ) ),
	);
	foreach ( $boxes as $box => list( $place, $title ) ) {
		$show = __NAMESPACE__ . "\\show_$box";
		add_meta_box(
			"coinslot-$box",
			$title,
			fn( \WP_Post $post ) => $show( order_of( $post ) ),
			POST_TYPE,
			$place
		);
	}
}

function show_summary( Order $order ): void {
	echo '<p class="coinslot-price">' . esc_html( $order->amount() )
		. ' <small>' . esc_html( $order->currency() ) . '</small></p><p>';
	show_status( $order );
	echo '</p>';

	$notes = $order->notes();
	if ( array() !== $notes ) {
		echo '<ul class="coinslot-notes">';
		foreach ( $notes as $note ) {
			echo '<li>' . esc_html( $note ) . '</li>';
		}
		echo '</ul>';
	}

	$paid   = local_time( $order->attempt()['paid_at'] ?? '' );
	$opened = local_time( $order->text( 'created_at' ) );
	$facts  = array(
		__( 'Sold', 'coinslot-wordpress' )                => $order->title(),
		__( 'Item of the catalog', 'coinslot-wordpress' ) => $order->item(),
		__( 'Order number', 'coinslot-wordpress' )        => $order->text( 'order_ref' ),
		__( 'Session', 'coinslot-wordpress' )             => $order->text( 'id' ),
		__( 'Shopper', 'coinslot-wordpress' )             => $order->text( 'email' ),
		__( 'Charge in dollars', 'coinslot-wordpress' )   => $order->text( 'amount_usd' ),
		__( 'Paid', 'coinslot-wordpress' )                => $paid,
		__( 'Opened', 'coinslot-wordpress' )              => $opened,
	);
	echo '<dl class="coinslot-facts">';
	foreach ( array_filter( $facts ) as $name => $value ) {
		echo '<dt>' . esc_html( $name ) . '</dt><dd>' . esc_html( $value ) . '</dd>';
	}
	echo '</dl>';

	echo '<p>';
	show_link( $order->text( 'url' ), __( "The shopper's page", 'coinslot-wordpress' ) );
	echo '</p>';
}

function show_payments( Order $order ): void {
	$rows = array();
	foreach ( $order->attempts() as $attempt ) {
		$rows[] = array(
			(string) $attempt['number'],
			$attempt['status'],
			trim( "{$attempt['pay_amount']} {$attempt['currency_symbol']}" ),
			$attempt['paid_amount'],
			$attempt['network_code'],
			array( $attempt['tx_id'] ?? '', $attempt['tx_url'] ?? '' ),
			$attempt['tracking_code'],
		);
	}

	show_table(
		array(
			__( 'No.', 'coinslot-wordpress' ),
			__( 'Status', 'coinslot-wordpress' ),
			__( 'Asked for', 'coinslot-wordpress' ),
			__( 'Came', 'coinslot-wordpress' ),
			__( 'Network', 'coinslot-wordpress' ),
			__( 'Transaction', 'coinslot-wordpress' ),
			__( 'Tracking code', 'coinslot-wordpress' ),
		),
		$rows,
		__( 'None.', 'coinslot-wordpress' )
	);
}

function show_refunds( Order $order ): void {
	$rows = array();
	foreach ( $order->refunds() as $refund ) {
		$rows[] = array(
			local_time( $refund['recorded_at'] ),
			"{$refund['amount']} {$refund['currency_symbol']}",
			$refund['network_code'],
			array( $refund['tx_id'], $refund['tx_url'] ),
			$refund['reason'],
		);
	}

	show_table(
		array(
			__( 'Recorded', 'coinslot-wordpress' ),
			__( 'Amount', 'coinslot-wordpress' ),
			__( 'Network', 'coinslot-wordpress' ),
			__( 'Transaction', 'coinslot-wordpress' ),
			__( 'Reason', 'coinslot-wordpress' ),
		),
		$rows,
		__(
			'None. You send coins back from your own wallet, and record it in Coinslot.',
			'coinslot-wordpress'
		)
	);
}

function show_events( Order $order ): void {
	$rows = array();
	foreach ( $order->events() as $id => $event ) {
		$rows[] = array(
			local_time( $event['at'] ),
			$event['type'],
			(string) $event['version'],
			mail_state( $order, (string) $id, $event['mailed'] ),
			(string) $id,
		);
	}

	show_table(
		array(
			__( 'Time', 'coinslot-wordpress' ),
			__( 'Event', 'coinslot-wordpress' ),
			__( 'Version', 'coinslot-wordpress' ),
			__( 'Mail', 'coinslot-wordpress' ),
			__( 'Webhook', 'coinslot-wordpress' ),
		),
		$rows,
		__( 'None.', 'coinslot-wordpress' )
	);
}

/** Returns what became of the mail of an event, "" if it has none. */
function mail_state( Order $order, string $id, bool $mailed ): string {
	if ( $mailed ) {
		return __( 'sent', 'coinslot-wordpress' );
	}

	return $order->owes_mail( $id ) ? __( 'not sent', 'coinslot-wordpress' ) : '';
}

/** Prints a table. A cell is text, or text with the address of a link. */
function show_table( array $heads, array $rows, string $empty ): void {
	if ( array() === $rows ) {
		echo '<p class="description">' . esc_html( $empty ) . '</p>';
		return;
	}

	echo '<div class="coinslot-scroll"><table class="widefat striped coinslot-table"><thead><tr>';
	foreach ( $heads as $head ) {
		echo '<th scope="col">' . esc_html( $head ) . '</th>';
	}
	echo '</tr></thead><tbody>';
	foreach ( $rows as $row ) {
		echo '<tr>';
		foreach ( $row as $cell ) {
			list( $text, $url ) = (array) $cell + array( '', '' );
			echo strlen( $text ) > 24 ? '<td class="coinslot-long">' : '<td>';
			show_link( $url, $text );
			echo '</td>';
		}
		echo '</tr>';
	}
	echo '</tbody></table></div>';
}

/** Prints text as a link to another site, or as it is if there is no address. */
function show_link( string $url, string $text ): void {
	if ( '' === $url ) {
		echo esc_html( $text );
		return;
	}

	printf(
		'<a href="%s" target="_blank" rel="noopener noreferrer">%s</a>',
		esc_url( $url, array( 'https', 'http' ) ),
		esc_html( $text )
	);
}

/** Returns a time (RFC 3339) as this site writes times, or "" for none. */
function local_time( ?string $time ): string {
	$seconds = strtotime( (string) $time );
	if ( false === $seconds ) {
		return '';
	}

	$format = get_option( 'date_format' ) . ' ' . get_option( 'time_format' );

	return (string) wp_date( $format, $seconds );
}
