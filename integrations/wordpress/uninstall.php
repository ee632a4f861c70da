<?php
/** Removes the settings. Orders stay, unless the setting says otherwise. */
defined( 'WP_UNINSTALL_PLUGIN' ) || exit;

( function () {
	$stored        = get_option( 'coinslot_settings', array() );
	$delete_orders = is_array( $stored ) && '1' === ( $stored['delete_orders'] ?? '' );

	delete_option( 'coinslot_settings' );
	delete_option( 'coinslot_last_webhook' );
	if ( ! $delete_orders ) {
		return;
	}

	global $wpdb;
	$orders = $wpdb->get_col(
		$wpdb->prepare( "SELECT ID FROM $wpdb->posts WHERE post_type = %s", 'coinslot_order' )
	);
	foreach ( $orders as $order ) {
		wp_delete_post( (int) $order, true );
	}
} )();
