<?php
namespace Coinslot\WordPress;

defined( 'ABSPATH' ) || exit;

/** Hooks the list of orders in. */
function watch_orders(): void {
	add_filter( 'manage_' . POST_TYPE . '_posts_columns', __NAMESPACE__ . '\order_columns' );
	add_action(
		'manage_' . POST_TYPE . '_posts_custom_column',
		__NAMESPACE__ . '\show_column',
		10,
		2
	);
	add_filter( 'list_table_primary_column', __NAMESPACE__ . '\primary_column', 10, 2 );
	add_filter( 'post_date_column_status', __NAMESPACE__ . '\date_label', 10, 2 );
	add_filter( 'post_row_actions', __NAMESPACE__ . '\row_actions', 10, 2 );
	add_filter( 'bulk_actions-edit-' . POST_TYPE, __NAMESPACE__ . '\bulk_actions' );
	add_action( 'admin_enqueue_scripts', __NAMESPACE__ . '\load_style' );
}

function order_columns(): array {
	return array(
		'cb'                => '<input type="checkbox">',
		'coinslot_ref'      => __( 'Order', 'coinslot-wordpress' ),
		'coinslot_item'     => __( 'Item', 'coinslot-wordpress' ),
		'coinslot_amount'   => __( 'Amount', 'coinslot-wordpress' ),
		'coinslot_currency' => __( 'Currency', 'coinslot-wordpress' ),
		'coinslot_coin'     => __( 'Coin', 'coinslot-wordpress' ),
		'coinslot_status'   => __( 'Status', 'coinslot-wordpress' ),
		'date'              => __( 'Date', 'coinslot-wordpress' ),
	);
}

function primary_column( string $column, string $screen ): string {
	return 'edit-' . POST_TYPE === $screen ? 'coinslot_ref' : $column;
}

/** Returns nothing for orders: their date is when they were paid, not when they were modified. */
function date_label( string $label, \WP_Post $post ): string {
	return POST_TYPE === $post->post_type ? '' : $label;
}

/** Prints one cell of the list. */
function show_column( string $column, int $post ): void {
	$order = order_of( get_post( $post ) );

	switch ( $column ) {
		case 'coinslot_ref':
			printf(
				'<a class="row-title coinslot-ref" href="%s" title="%s">%s</a>',
				esc_url( (string) get_edit_post_link( $post ) ),
				esc_attr( $order->reference() ),
				esc_html( short_reference( $order ) )
			);
			show_on_phones( $order );
			break;
		case 'coinslot_item':
			echo esc_html( $order->title() );
			break;
		case 'coinslot_amount':
			echo esc_html( $order->amount() );
			break;
		case 'coinslot_currency':
			echo esc_html( $order->currency() );
			break;
		case 'coinslot_coin':
			show_coin( $order->attempt() );
			break;
		case 'coinslot_status':
			show_status( $order );
			break;
	}
}

/** Prints what the other columns say: on phones, WordPress folds them away. */
function show_on_phones( Order $order ): void {
	echo '<div class="coinslot-phone">'
		. esc_html( "{$order->title()}, {$order->amount()} {$order->currency()}" ) . '<br>';
	show_status( $order );
	echo '</div>';
}

/** Returns the number of an order, or the end of its session's id, which is long. */
function short_reference( Order $order ): string {
	$number = $order->text( 'order_ref' );

	return '' !== $number ? $number : '…' . substr( $order->text( 'id' ), -8 );
}

/** Prints what was paid in which coin, or the coin alone if nothing has come. */
function show_coin( array $attempt ): void {
	if ( array() === $attempt ) {
		return;
	}

	$amount = trim( "{$attempt['paid_amount']} {$attempt['currency_symbol']}" );
	echo esc_html( $amount ) . ' <span class="coinslot-network">'
		. esc_html( $attempt['network_code'] ) . '</span>';
}

/** Prints where an order stands, and one word for each thing that is unusual about it. */
function show_status( Order $order ): void {
	$status = $order->status();
	show_badge( $status, statuses()[ $status ]['name'] );

	$flags = array(
		'test'   => $order->is_test() ? __( 'play money', 'coinslot-wordpress' ) : '',
		'late'   => $order->is_late() ? __( 'late', 'coinslot-wordpress' ) : '',
		'over'   => $order->text( 'overpaid_amount' ) ? __( 'too much', 'coinslot-wordpress' ) : '',
		'refund' => $order->refunds() ? __( 'refund', 'coinslot-wordpress' ) : '',
		'doubt'  => 'paid' === $status && $order->text( 'review_reason' )
			? __( 'look at it', 'coinslot-wordpress' )
			: '',
	);
	foreach ( array_filter( $flags ) as $flag => $label ) {
		show_badge( $flag, $label );
	}
}

function show_badge( string $kind, string $label ): void {
	printf(
		'<span class="coinslot-badge coinslot-badge-%s">%s</span> ',
		esc_attr( $kind ),
		esc_html( $label )
	);
}

/** An order is looked at, not edited. */
function row_actions( array $actions, \WP_Post $post ): array {
	if ( POST_TYPE !== $post->post_type ) {
		return $actions;
	}

	unset( $actions['inline hide-if-no-js'] );
	if ( isset( $actions['edit'] ) ) {
		$actions['edit'] = '<a href="' . esc_url( (string) get_edit_post_link( $post ) ) . '">'
			. esc_html__( 'View', 'coinslot-wordpress' ) . '</a>';
	}

	return $actions;
}

function bulk_actions( array $actions ): array {
	unset( $actions['edit'] );

	return $actions;
}

/** Loads the style of the plugin's own pages in the admin. */
function load_style(): void {
	$screen = get_current_screen();
	if ( ! $screen || POST_TYPE !== $screen->post_type ) {
		return;
	}

	$style = plugins_url( 'assets/admin.css', __DIR__ );
	wp_enqueue_style( 'coinslot-admin', $style, array(), '1.0.0' );
	wp_dequeue_script( 'autosave' ); // an order has nothing to save
}
