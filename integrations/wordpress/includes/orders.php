<?php
namespace Coinslot\WordPress;

defined( 'ABSPATH' ) || exit;

/** The post type of orders. An order is one row of wp_posts, so that it is stored whole or not. */
const POST_TYPE = 'coinslot_order';

/** Registers the post type, which only administrators see, and the status of its posts. */
function register_orders(): void {
	$administrators = array_fill_keys(
		array(
			'edit_posts',
			'edit_others_posts',
			'edit_private_posts',
			'edit_published_posts',
			'publish_posts',
			'read_private_posts',
			'delete_posts',
			'delete_others_posts',
			'delete_private_posts',
			'delete_published_posts',
		),
		'manage_options'
	);

	register_post_type(
		POST_TYPE,
		array(
			'labels'          => array(
				'name'               => __( 'Coinslot orders', 'coinslot-wordpress' ),
				'singular_name'      => __( 'Coinslot order', 'coinslot-wordpress' ),
				'menu_name'          => 'Coinslot',
				'all_items'          => __( 'Orders', 'coinslot-wordpress' ),
				'edit_item'          => __( 'Order', 'coinslot-wordpress' ),
				'search_items'       => __( 'Search orders', 'coinslot-wordpress' ),
				'not_found'          => __( 'No payment has come yet.', 'coinslot-wordpress' ),
				'not_found_in_trash' => __( 'No orders in the trash.', 'coinslot-wordpress' ),
			),
			'public'          => false,
			'show_ui'         => true,
			'show_in_rest'    => false,
			'supports'        => false,
			'rewrite'         => false,
			'query_var'       => false,
			'can_export'      => true,
			'menu_icon'       => 'dashicons-money-alt',
			'menu_position'   => 26,
			'map_meta_cap'    => true,
			'capabilities'    => $administrators + array( 'create_posts' => 'do_not_allow' ),
			'delete_with_user' => false,
		)
	);

	foreach ( statuses() as $status => $label ) {
		register_post_status(
			post_status( $status ),
			array(
				'label'                     => $label['name'],
				'label_count'               => $label['count'],
				'protected'                 => true,
				'exclude_from_search'       => true,
				'show_in_admin_all_list'    => true,
				'show_in_admin_status_list' => true,
			)
		);
	}
}

/** Returns what Order::status can be, with its name and the name with a number. */
function statuses(): array {
	return array(
		'paid'   => array(
			'name'  => __( 'Paid', 'coinslot-wordpress' ),
			/* translators: %s: a number */
			'count' => _n_noop(
				'Paid <span class="count">(%s)</span>',
				'Paid <span class="count">(%s)</span>',
				'coinslot-wordpress'
			),
		),
		'review' => array(
			'name'  => __( 'Needs review', 'coinslot-wordpress' ),
			/* translators: %s: a number */
			'count' => _n_noop(
				'Needs review <span class="count">(%s)</span>',
				'Need review <span class="count">(%s)</span>',
				'coinslot-wordpress'
			),
		),
		'part'   => array(
			'name'  => __( 'Part paid', 'coinslot-wordpress' ),
			/* translators: %s: a number */
			'count' => _n_noop(
				'Part paid <span class="count">(%s)</span>',
				'Part paid <span class="count">(%s)</span>',
				'coinslot-wordpress'
			),
		),
		'ended'  => array(
			'name'  => __( 'Ended', 'coinslot-wordpress' ),
			/* translators: %s: a number */
			'count' => _n_noop(
				'Ended <span class="count">(%s)</span>',
				'Ended <span class="count">(%s)</span>',
				'coinslot-wordpress'
			),
		),
	);
}

/** Returns the status of a post for that of an order. */
function post_status( string $status ): string {
	return "coinslot-$status";
}

/** Returns the post of a session, also from the trash, or null. */
function find_post( string $session ): ?\WP_Post {
	$statuses = array_map( __NAMESPACE__ . '\post_status', array_keys( statuses() ) );
	$found    = get_posts(
		array(
			'post_type'     => POST_TYPE,
			'post_name__in' => array( $session, "{$session}__trashed" ),
			'post_status'   => array( ...$statuses, 'trash' ),
			'numberposts'   => 1,
			'cache_results' => false, // another process may have stored it just now
		)
	);

	return $found[0] ?? null;
}

/**
 * Stores an order in its post, or in a new one if $post is null, and returns the post's number. An
 * order with news leaves the trash. Errors: the database refuses it.
 */
function save_order( Order $order, ?int $post ): int {
	$stored = wp_insert_post(
		wp_slash(
			array(
				'ID'             => $post ?? 0,
				'post_type'      => POST_TYPE,
				'post_status'    => post_status( $order->status() ),
				'post_name'      => $order->text( 'id' ),
				'post_title'     => $order->title(),
				'post_content'   => $order->to_json(),
				'post_date_gmt'  => gmdate( 'Y-m-d H:i:s', (int) strtotime( $order->date() ) ),
				'post_date'      => wp_date( 'Y-m-d H:i:s', (int) strtotime( $order->date() ) ),
				'comment_status' => 'closed',
				'ping_status'    => 'closed',
			)
		),
		true
	);
	if ( is_wp_error( $stored ) ) {
		throw new \RuntimeException( 'storing the order: ' . $stored->get_error_message() );
	}

	return $stored;
}

/** Returns the order of a post. */
function order_of( \WP_Post $post ): Order {
	return Order::from_json( $post->post_content );
}
