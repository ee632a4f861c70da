<?php
defined( 'ABSPATH' ) || exit;

use Automattic\WooCommerce\Blocks\Payments\Integrations\AbstractPaymentMethodType;

/** Offers the gateway in the checkout block. */
final class Coinslot_Blocks extends AbstractPaymentMethodType {
	protected $name = 'coinslot';

	public function initialize() {
		$this->settings = get_option( 'woocommerce_coinslot_settings', array() );
	}

	public function is_active() {
		return 'yes' === $this->get_setting( 'enabled', 'no' );
	}

	public function get_payment_method_script_handles() {
		$needs = array( 'wc-blocks-registry', 'wc-settings', 'wp-element', 'wp-html-entities' );
		wp_register_script( 'coinslot-blocks', plugins_url( '../assets/blocks.js', __FILE__ ), $needs, '1.0.0', true );
		return array( 'coinslot-blocks' );
	}

	public function get_payment_method_data() {
		return array( 'title' => $this->get_setting( 'title' ), 'description' => $this->get_setting( 'description' ) );
	}
}
