<?php
/**
 * Tests of the plugin with small stand-ins for WordPress and WooCommerce: php tests/run.php
 */
error_reporting( E_ALL );
set_error_handler( function ( $level, $message, $file, $line ) {
	throw new ErrorException( $message, 0, $level, $file, $line );
} );
define( 'ABSPATH', __DIR__ );

/** An order with the few methods that the plugin calls. */
class WC_Order {
	public array $notes = array();
	public string $status = 'pending';
	public string $transaction = '';
	public int $paid = 0;
	private array $meta = array();

	public function __construct( public string $key, public $total, public string $currency = 'USD' ) {}
	public function get_id() { return 7; }
	public function get_order_key() { return $this->key; }
	public function get_order_number() { return '7'; }
	public function get_total() { return $this->total; }
	public function get_currency() { return $this->currency; }
	public function get_checkout_payment_url() { return 'https://shop.example/pay/7'; }
	public function get_meta( $name ) { return $this->meta[ $name ] ?? ''; }
	public function update_meta_data( $name, $value ) { $this->meta[ $name ] = $value; }
	public function save() {}
	public function is_paid() { return in_array( $this->status, array( 'processing', 'completed' ), true ); }
	public function get_transaction_id() { return $this->transaction; }
	public function add_order_note( $note ) { $this->notes[] = $note; }
	public function update_status( $status, $note ) { $this->status = $status; $this->notes[] = $note; }
	public function payment_complete( $id ) { $this->paid++; $this->transaction = $id; $this->status = 'processing'; }
}

class WC_Payment_Gateway {
	public $id, $method_title, $method_description, $has_fields, $form_fields, $title, $description;
	public array $settings = array();
	public function init_settings() { $this->settings = $GLOBALS['settings']; }
	public function get_option( $name ) { return $this->settings[ $name ] ?? $this->form_fields[ $name ]['default'] ?? ''; }
	public function is_available() { return true; }
	public function get_return_url( $order ) { return 'https://shop.example/thanks/7'; }
}

class WC_Admin_Settings {
	public static function add_error( $text ) { $GLOBALS['errors'][] = $text; }
}

class Log { public function error( $line ) { $GLOBALS['log'][] = $line; } }

function __( $text ) { return $text; }
function add_action() {}
function rest_url( $path ) { return "https://shop.example/wp-json/$path"; }
function untrailingslashit( $url ) { return rtrim( $url, '/' ); }
function get_woocommerce_currency() { return $GLOBALS['currency']; }
function wc_get_logger() { return new Log(); }
function wc_add_notice( $text ) { $GLOBALS['notices'][] = $text; }
function wc_format_decimal( $n, $places ) { return number_format( (float) $n, $places, '.', '' ); }
function wc_get_order_id_by_order_key( $key ) { return isset( $GLOBALS['orders'][ $key ] ) ? $key : 0; }
function wc_get_order( $id ) { return $GLOBALS['orders'][ $id ] ?? false; }
function wp_json_encode( $value ) { return json_encode( $value ); }
function wp_remote_post( $url, $args ) {
	$GLOBALS['sent']    = array( $url, $args );
	$GLOBALS['asked'][] = $url;
	return array_shift( $GLOBALS['answers'] ) ?? $GLOBALS['answer'];
}
function is_wp_error( $answer ) { return false; }
function wp_remote_retrieve_body( $answer ) { return $answer[1]; }
function wp_remote_retrieve_response_code( $answer ) { return $answer[0]; }

require __DIR__ . '/../includes/signature.php';
require __DIR__ . '/../includes/class-coinslot-webhook.php';
require __DIR__ . '/../includes/class-wc-gateway-coinslot.php';

const SECRET = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
const NOW    = 1795248000;

function same( $got, $want, string $what ): void {
	if ( $got !== $want ) {
		throw new Exception( "$what = " . var_export( $got, true ) . '; want ' . var_export( $want, true ) );
	}
}

function headers_of( string $body, int $at = NOW, string $secret = SECRET, string $id = 'evt_1' ): array {
	$mac = base64_encode( hash_hmac( 'sha256', "$id.$at.$body", base64_decode( substr( $secret, 6 ) ), true ) );
	return array( 'webhook-id' => $id, 'webhook-timestamp' => (string) $at, 'webhook-signature' => "v1,AAAA v1,$mac" );
}

function send( string $type, array $data = array(), array $settings = array() ): int {
	$session = $data + array(
		'id' => 'cs_1', 'status' => 'confirmed', 'version' => 5, 'test' => false, 'amount_usd' => '25.00', 'late' => false,
		'order_ref' => 'wc_order_a~25.00', 'overpaid_amount' => '', 'missing_amount' => '', 'review_reason' => '',
	);
	$body    = json_encode( array( 'type' => $type, 'data' => $session ) );
	$webhook = new Coinslot_Webhook( $settings + array( 'webhook_secret' => SECRET ) );
	$id      = $settings['event'] ?? 'evt_' . ++$GLOBALS['events'];
	return $webhook->receive( headers_of( $body, NOW, SECRET, $id ), $body, NOW );
}

function fresh(): WC_Order {
	$order = new WC_Order( 'wc_order_a', '25' );
	$GLOBALS['events'] = 0;
	$GLOBALS['orders'] = array( 'wc_order_a' => $order );
	$GLOBALS['log']    = $GLOBALS['notices'] = $GLOBALS['answers'] = $GLOBALS['asked'] = array();
	return $order;
}

$tests = array(
	'a signature' => function () {
		$good = headers_of( 'body' );
		same( coinslot_is_signed( SECRET, $good, 'body', NOW ), true, 'good' );
		same( coinslot_is_signed( "whsec_BBBB,\n" . SECRET, $good, 'body', NOW + 300 ), true, 'of the old secret, in time' );
		same( coinslot_is_signed( SECRET, $good, 'Body', NOW ), false, 'changed' );
		same( coinslot_is_signed( SECRET, $good, 'body', NOW + 301 ), false, 'old' );
		same( coinslot_is_signed( SECRET, $good, 'body', NOW - 301 ), false, 'to come' );
		same( coinslot_is_signed( 'whsec_' . base64_encode( str_repeat( 'x', 32 ) ), $good, 'body', NOW ), false, 'another secret' );
		same( coinslot_is_signed( '', array( 'webhook-signature' => '' ) + $good, 'body', NOW ), false, 'no secret' );
		same( coinslot_is_signed( SECRET, array( 'webhook-timestamp' => NOW . "\n" ) + $good, 'body', NOW ), false, 'a line break' );
	},
	'a forged webhook' => function () {
		$order = fresh();
		same( ( new Coinslot_Webhook( array() ) )->receive( headers_of( '{}' ), '{}', NOW ), 401, 'without a secret' );
		same( $order->paid, 0, 'paid' );
	},
	'a payment, once' => function () {
		$order = fresh();
		same( send( 'checkout.confirmed' ), 204, 'the first' );
		same( send( 'checkout.confirmed' ), 204, 'the second' );
		same( array( $order->paid, $order->transaction, count( $order->notes ) ), array( 1, 'cs_1', 1 ), 'paid' );
	},
	'late, too much' => function () {
		$order         = fresh();
		$order->status = 'cancelled';
		send( 'checkout.confirmed', array( 'late' => true, 'overpaid_amount' => '0.5' ) );
		same( $order->paid, 1, 'paid' );
		same( $order->notes[0], 'Coinslot has confirmed session cs_1. The payment was late. 0.5 too much, in the coin.', 'note' );
	},
	'money that does not fit' => function () {
		$order = fresh();
		send( 'checkout.confirmed', array( 'amount_usd' => '24.99' ) );
		same( array( $order->paid, $order->status ), array( 0, 'on-hold' ), 'of another amount' );
		$order = fresh();
		send( 'checkout.confirmed' );
		send( 'checkout.confirmed', array( 'id' => 'cs_2' ) );
		same( array( $order->paid, count( $GLOBALS['log'] ) ), array( 1, 1 ), 'of two sessions' );
		same( send( 'checkout.confirmed', array( 'order_ref' => 'wc_order_gone' ) ), 503, 'of no order' );
		same( send( 'checkout.expired', array( 'order_ref' => 'wc_order_gone' ) ), 204, 'no money of no order' );
		same( send( 'checkout.confirmed', array( 'order_ref' => '1001' ) ), 204, 'of another shop' );
	},
	'repeated events' => function () {
		$order = fresh();
		send( 'checkout.confirmed' );
		send( 'checkout.confirmed', array( 'id' => 'cs_2' ), array( 'event' => 'evt_same' ) );
		send( 'checkout.confirmed', array( 'id' => 'cs_2' ), array( 'event' => 'evt_same' ) );
		send( 'checkout.confirmed', array( 'id' => 'cs_2', 'version' => 6 ) );
		same( count( $order->notes ), 2, 'notes of a second payment' );
		send( 'checkout.review', array( 'version' => 7, 'review_reason' => 'paid_after_confirmation' ), array( 'event' => 'evt_review' ) );
		send( 'checkout.review', array( 'version' => 7, 'review_reason' => 'paid_after_confirmation' ), array( 'event' => 'evt_review' ) );
		same( count( $order->notes ), 3, 'notes of a review' );
	},
	'events of every session' => function () {
		$order = fresh();
		send( 'checkout.pending', array( 'id' => 'cs_2', 'version' => 9 ) );
		send( 'checkout.partial', array( 'id' => 'cs_1', 'version' => 3, 'missing_amount' => '5' ) );
		send( 'checkout.review', array( 'id' => 'cs_1', 'version' => 4, 'review_reason' => 'amount_differs' ) );
		same( array( $order->status, count( $order->notes ) ), array( 'on-hold', 2 ), 'the older session' );
	},
	'another currency' => function () {
		$order           = fresh();
		$order->currency = 'EUR';
		send( 'checkout.confirmed' );
		same( array( $order->paid, $order->status ), array( 0, 'on-hold' ), '25 USD for 25 EUR' );
		same( $order->notes[0], "Coinslot session cs_1 was paid with 25.00 USD, and the order's total is 25.00 EUR.", 'note' );
	},
	'play money' => function () {
		$order = fresh();
		send( 'checkout.confirmed', array( 'test' => true ) );
		same( $order->paid, 0, 'paid' );
		send( 'checkout.confirmed', array( 'test' => true ), array( 'accept_test' => 'yes' ) );
		same( $order->paid, 1, 'paid, if it counts' );
	},
	'what is not final' => function () {
		$order = fresh();
		send( 'checkout.partial', array( 'version' => 4, 'missing_amount' => '5.5' ) );
		same( array( $order->status, $order->notes ), array( 'on-hold', array( 'A part of Coinslot session cs_1 was paid; 5.5 is missing, in the coin.' ) ), 'a part' );
		send( 'checkout.expired', array( 'version' => 3, 'status' => 'expired' ) );
		same( count( $order->notes ), 1, 'notes after an older event' );
		send( 'checkout.expired', array( 'version' => 6, 'status' => 'expired' ) );
		send( 'checkout.review', array( 'version' => 7, 'review_reason' => 'amount_differs' ) );
		same( array( $order->status, count( $order->notes ), $order->paid ), array( 'on-hold', 3, 0 ), 'review' );
		send( 'checkout.confirmed', array( 'version' => 2 ) );
		same( $order->paid, 1, 'paid by an event that came late' );
	},
	'a payment page' => function () {
		$order                = fresh();
		$GLOBALS['settings']  = array( 'url' => 'https://pay.example/', 'secret_key' => 'key' );
		$GLOBALS['currency']  = 'USD';
		$GLOBALS['answer']    = array( 201, '{"id":"cs_9","status":"open","url":"https://pay.example/checkout/cs_9"}' );
		$gateway              = new WC_Gateway_Coinslot();
		$result               = $gateway->process_payment( 'wc_order_a' );
		list( $url, $request ) = $GLOBALS['sent'];
		same( $result, array( 'result' => 'success', 'redirect' => 'https://pay.example/checkout/cs_9' ), 'result' );
		same( array_keys( coinslot_sessions( $order ) ), array( 'cs_9' ), 'session' );
		same( array( $url, $request['redirection'] ), array( 'https://pay.example/v1/sessions', 0 ), 'request' );
		same( $request['headers']['Idempotency-Key'], 'wc_order_a~25.00', 'idempotency key' );
		same( json_decode( $request['body'], true )['amount_usd'], '25.00', 'amount' );
		same( $order->paid, 0, 'paid' );
		$GLOBALS['answer'] = array( 401, '{"code":"unauthorized"}' );
		same( $gateway->process_payment( 'wc_order_a' ), array( 'result' => 'failure' ), 'refused' );
		same( array( $GLOBALS['log'], count( $GLOBALS['notices'] ) ), array( array( 'order 7: /v1/sessions: 401 unauthorized' ), 1 ), 'log' );
		same( $gateway->is_available(), true, 'available in dollars' );
		$GLOBALS['currency'] = 'EUR';
		same( $gateway->is_available(), false, 'available in euros' );
	},
	'asking again' => function () {
		$order               = fresh();
		$GLOBALS['settings'] = array( 'url' => 'https://pay.example', 'secret_key' => 'key' );
		$gateway             = new WC_Gateway_Coinslot();
		foreach ( array( 'open' => 'success', 'confirmed' => 'success', 'review' => 'success', 'cancelled' => 'failure', 'expired' => 'failure' ) as $status => $want ) {
			$GLOBALS['answer'] = array( 201, '{"id":"cs_9","status":"' . $status . '","url":"https://pay.example/checkout/cs_9"}' );
			same( $gateway->process_payment( 'wc_order_a' )['result'], $want, $status );
			same( json_decode( $GLOBALS['sent'][1]['body'], true )['order_ref'], 'wc_order_a~25.00', "the same request while it is $status" );
		}
	},
	'another total' => function () {
		$order               = fresh();
		$GLOBALS['settings'] = array( 'url' => 'https://pay.example', 'secret_key' => 'key' );
		$gateway             = new WC_Gateway_Coinslot();
		$opened              = function ( string $id ) {
			return array( 201, '{"id":"' . $id . '","status":"open","url":"https://pay.example/checkout/' . $id . '"}' );
		};
		$ref                 = fn () => json_decode( $GLOBALS['sent'][1]['body'], true )['order_ref'];
		$GLOBALS['answer']   = $opened( 'cs_1' );
		$gateway->process_payment( 'wc_order_a' );

		$order->total       = '20';
		$GLOBALS['answers'] = array( array( 409, '{"code":"payment_in_progress"}' ) );
		same( $gateway->process_payment( 'wc_order_a' )['redirect'], 'https://pay.example/checkout/cs_1', 'while money may be on its way' );
		same( array( count( $order->notes ), count( coinslot_sessions( $order ) ) ), array( 1, 1 ), 'a note, and no other session' );

		$GLOBALS['answers'] = array( array( 200, '{"id":"cs_1","status":"cancelled"}' ), $opened( 'cs_2' ) );
		$GLOBALS['asked']   = array();
		same( $gateway->process_payment( 'wc_order_a' )['redirect'], 'https://pay.example/checkout/cs_2', 'with a coupon' );
		same( $GLOBALS['asked'], array( 'https://pay.example/v1/sessions/cs_1/cancel', 'https://pay.example/v1/sessions' ), 'requests' );
		same( $ref(), 'wc_order_a~20.00~2', 'its reference' );

		$order->total       = '25';
		$GLOBALS['answers'] = array( array( 200, '{"id":"cs_2","status":"cancelled"}' ), $opened( 'cs_3' ) );
		same( $gateway->process_payment( 'wc_order_a' )['redirect'], 'https://pay.example/checkout/cs_3', 'without it again' );
		same( array( $ref(), coinslot_order_key( $ref() ) ), array( 'wc_order_a~25.00~3', 'wc_order_a' ), 'its reference' );
		$GLOBALS['answers'] = array( $opened( 'cs_3' ) );
		$gateway->process_payment( 'wc_order_a' );
		same( $ref(), 'wc_order_a~25.00~3', 'the same request again' );
	},
	'a checkout without https' => function () {
		$GLOBALS['currency'] = 'USD';
		$hosts               = array(
			'https://pay.example' => true, 'https://pay.example:8443/' => true, 'http://localhost:8080' => true,
			'http://127.0.0.1:8080/' => true, 'http://[::1]' => true, 'HTTP://localhost' => true,
			'http://pay.example' => false, 'HTTP://pay.example' => false, 'http://10.0.0.7:8080' => false,
			'http://localhost.pay.example' => false, 'http://localhost@pay.example' => false, 'http://127.0.0.1.pay.example' => false,
			'http://localhost:8080@pay.example' => false, 'http://localhost\\@pay.example' => false, 'https://u:p@pay.example' => false,
			"http://localhost\n" => false, '//pay.example' => false, 'pay.example' => false, '' => false,
		);
		foreach ( $hosts as $url => $allowed ) {
			$order               = fresh();
			$GLOBALS['settings'] = array( 'url' => $url, 'secret_key' => 'key' );
			$GLOBALS['answer']   = array( 201, '{"id":"cs_9","status":"open","url":"https://pay.example/checkout/cs_9"}' );
			$GLOBALS['sent']     = null;
			$gateway             = new WC_Gateway_Coinslot();
			same( $gateway->is_available(), $allowed, "$url is available" );
			same( $gateway->process_payment( 'wc_order_a' )['result'], $allowed ? 'success' : 'failure', "paying by $url" );
			same( null !== $GLOBALS['sent'], $allowed, "the key goes to $url" );
			same( count( $GLOBALS['log'] ), $allowed ? 0 : 1, "lines for $url" );
		}
		$GLOBALS['settings'] = array( 'url' => 'https://old.example', 'secret_key' => 'key' );
		$GLOBALS['errors']   = array();
		$gateway             = new WC_Gateway_Coinslot();
		same( $gateway->validate_url_field( 'url', ' https://pay.example ' ), 'https://pay.example', 'saved' );
		same( $gateway->validate_url_field( 'url', '' ), '', 'emptied' );
		same( $GLOBALS['errors'], array(), 'errors' );
		same( $gateway->validate_url_field( 'url', 'http://pay.example' ), 'https://old.example', 'refused' );
		same( count( $GLOBALS['errors'] ), 1, 'errors after http' );
		same( str_contains( $GLOBALS['errors'][0], 'must be https' ), true, 'the error says why' );
	},
);
foreach ( $tests as $name => $test ) {
	try {
		$test();
	} catch ( Throwable $e ) {
		echo "FAIL $name: {$e->getMessage()}\n";
		$failed = true;
	}
}
echo count( $tests ), " tests\n";
exit( isset( $failed ) ? 1 : 0 );
