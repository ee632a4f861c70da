<?php
namespace Coinslot\WordPress;

defined( 'ABSPATH' ) || exit;

/** The script of the checkout, as WordPress names it. */
const SCRIPT = 'coinslot-checkout';

/** What a block or a shortcode can set. The checkout validates all of it, and sets the price. */
const ATTRIBUTES = array(
	'item'     => '', // of the catalog
	'amount'   => '', // for items with an open amount; empty = what the catalog suggests
	'quantity' => '',
	'mode'     => 'inline',
	'theme'    => 'auto',
	'label'    => '', // of the button that opens a dialog
);

/** Registers the script, the block and the shortcode. */
function register_checkout(): void {
	$server = setting( 'url' );
	if ( '' !== $server ) {
		// Without a version: the checkout keeps this address current by itself.
		wp_register_script( SCRIPT, "$server/checkout.js", array(), null, false );
	}

	register_block_type(
		dirname( __DIR__ ) . '/block',
		array( 'render_callback' => __NAMESPACE__ . '\render_block' )
	);
	wp_set_script_translations( 'coinslot-checkout-editor-script', 'coinslot-wordpress' );

	add_shortcode( 'coinslot', __NAMESPACE__ . '\render_shortcode' );
}

/** Lets the checkout's script load beside the page. WordPress knows a setting for it since 6.3. */
function load_async( string $tag, string $handle ): string {
	if ( SCRIPT !== $handle || str_contains( $tag, ' async' ) ) {
		return $tag;
	}

	return str_replace( ' src=', ' async src=', $tag );
}

/** Returns the HTML of a block. */
function render_block( array $attributes ): string {
	$checkout = render_checkout( $attributes + ATTRIBUTES );

	return '' === $checkout ? '' : '<div ' . get_block_wrapper_attributes() . ">$checkout</div>";
}

/** Returns the HTML of [coinslot item="coffee"]. */
function render_shortcode( $attributes ): string {
	return render_checkout( shortcode_atts( ATTRIBUTES, (array) $attributes, 'coinslot' ) );
}

/**
 * Returns the element with the frame inside, or with the link that opens its dialog. $attributes
 * has all members of ATTRIBUTES.
 */
function render_checkout( array $attributes ): string {
	$server     = setting( 'url' );
	$attributes = array_map( fn( $value ) => trim( (string) $value ), $attributes );
	if ( '' === $server ) {
		return hint( __( 'Set the checkout URL in Coinslot, Settings.', 'coinslot-wordpress' ) );
	}
	if ( '' === $attributes['item'] ) {
		return hint( __( 'Name an item of your catalog.', 'coinslot-wordpress' ) );
	}

	wp_enqueue_script( SCRIPT );
	$lang = get_bloginfo( 'language' );
	$sold = array_filter(
		array(
			'item'     => $attributes['item'],
			'amount'   => $attributes['amount'],
			'quantity' => $attributes['quantity'],
		),
		'strlen'
	);

	$is_modal = 'modal' === $attributes['mode'];
	$mode     = $is_modal ? array( 'mode' => 'modal' ) : array();
	$looks    = array( 'lang' => $lang );
	if ( in_array( $attributes['theme'], array( 'light', 'dark' ), true ) ) {
		$looks['theme'] = $attributes['theme'];
	}

	$inside = $is_modal || is_feed()
		? link_to_checkout( $server, $sold + $looks, $attributes['label'] )
		: frame( $server, $sold, $looks );

	return element( $sold + $mode + $looks, $inside );
}

/** Returns <coinslot-checkout> around HTML. */
function element( array $attributes, string $inside ): string {
	$html = '<coinslot-checkout';
	foreach ( $attributes as $name => $value ) {
		$html .= " $name=\"" . esc_attr( $value ) . '"';
	}

	return "$html>$inside</coinslot-checkout>";
}

/** Returns the frame of a checkout. The script compares its address: what is sold comes first. */
function frame( string $server, array $sold, array $looks ): string {
	$query   = $sold + array( 'embed' => 'inline', 'origin' => site_origin() ) + $looks;
	$address = "$server/checkout?" . http_build_query( $query, '', '&' );

	return '<iframe src="' . esc_url( $address ) . '" name="coinslot-checkout"'
		. ' title="' . esc_attr__( 'Checkout', 'coinslot-wordpress' ) . '" allow="clipboard-write"'
		. ' sandbox="allow-scripts allow-same-origin allow-forms allow-popups'
		. ' allow-popups-to-escape-sandbox" width="100%" height="420" frameborder="0"></iframe>';
}

/** Returns the link that opens a dialog, or the checkout's own page where no script runs. */
function link_to_checkout( string $server, array $query, string $label ): string {
	$label   = '' === $label ? __( 'Pay with crypto', 'coinslot-wordpress' ) : $label;
	$address = "$server/checkout?" . http_build_query( $query, '', '&' );

	return '<a class="wp-element-button" href="' . esc_url( $address ) . '">'
		. esc_html( $label ) . '</a>';
}

/** Returns the origin of this site's pages, which COINSLOT_ORIGINS lists. */
function site_origin(): string {
	$home = wp_parse_url( home_url() );
	$port = isset( $home['port'] ) ? ":{$home['port']}" : '';

	return "{$home['scheme']}://{$home['host']}$port";
}

/** Tells editors why there is no checkout. Visitors see nothing. */
function hint( string $text ): string {
	if ( ! current_user_can( 'edit_posts' ) ) {
		return '';
	}

	return '<p class="coinslot-hint"><strong>Coinslot:</strong> ' . esc_html( $text ) . '</p>';
}
