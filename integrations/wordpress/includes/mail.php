<?php
namespace Coinslot\WordPress;

defined( 'ABSPATH' ) || exit;

/** Mails the owner that an order is paid or needs review. Errors: WordPress cannot send mail. */
function mail_order( Order $order, int $post, string $type ): void {
	$to      = '' !== setting( 'mail_to' ) ? setting( 'mail_to' ) : get_option( 'admin_email' );
	$subject = 'checkout.review' === $type
		/* translators: 1: the site's name, 2: what was sold, 3: a price */
		? __( '[%1$s] Payment needs review: %2$s, %3$s', 'coinslot-wordpress' )
		/* translators: 1: the site's name, 2: what was sold, 3: a price */
		: __( '[%1$s] Paid: %2$s, %3$s', 'coinslot-wordpress' );
	$subject = sprintf(
		$order->is_test() ? "TEST $subject" : $subject,
		wp_specialchars_decode( get_option( 'blogname' ), ENT_QUOTES ),
		$order->title(),
		"{$order->amount()} {$order->currency()}"
	);

	$why  = '';
	$hear = function ( \WP_Error $error ) use ( &$why ) {
		$why = ': ' . $error->get_error_message();
	};

	add_action( 'wp_mail_failed', $hear );
	$text = implode( "\n", mail_lines( $order, $post ) );
	$sent = wp_mail( $to, preg_replace( '/\s+/', ' ', $subject ), $text );
	remove_action( 'wp_mail_failed', $hear );

	if ( ! $sent ) {
		throw new \RuntimeException( "the order is stored, but no mail could be sent$why" );
	}
}

/** Returns the text of the mail. */
function mail_lines( Order $order, int $post ): array {
	$attempt = $order->attempt();
	$price   = "{$order->amount()} {$order->currency()}";
	$paid    = $attempt['paid_amount'] ?? '';
	$coin    = trim( "$paid " . ( $attempt['currency_symbol'] ?? '' ) );
	$lines   = array(
		/* translators: %s: what was sold */
		sprintf( __( 'Item: %s', 'coinslot-wordpress' ), $order->title() ),
		/* translators: %s: an amount with its currency */
		sprintf( __( 'Price: %s', 'coinslot-wordpress' ), $price ),
		/* translators: 1: an amount with its coin, 2: a network */
		sprintf(
			__( 'Coin: %1$s on %2$s', 'coinslot-wordpress' ),
			$coin,
			$attempt['network_code'] ?? ''
		),
		/* translators: %s: an order number or the id of a session */
		sprintf( __( 'Order: %s', 'coinslot-wordpress' ), $order->reference() ),
	);

	if ( '' !== $order->text( 'email' ) ) {
		/* translators: %s: an email address */
		$lines[] = sprintf( __( 'Shopper: %s', 'coinslot-wordpress' ), $order->text( 'email' ) );
	}
	foreach ( $order->notes() as $note ) {
		$lines[] = "- $note";
	}

	return array( ...$lines, '', admin_url( "post.php?post=$post&action=edit" ) );
}
