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
	public bool $stuck = false; // WooCommerce catches errors of other plugins, and then changes nothing
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
	public function has_status( $status ) { return $this->status === $status; }
	public function is_paid() { return in_array( $this->status, array( 'processing', 'completed' ), true ); }
	public function get_transaction_id() { return $this->transaction; }
	public function add_order_note( $note ) { $this->notes[] = $note; }
	public function update_status( $status, $note ) {
		if ( $this->stuck ) {
			return false;
		}
		if ( $status !== $this->status ) { // as in WooCommerce, which else loses the note
			$this->notes[] = $note;
		}
		$this->status = $status;
		return true;
	}
	public function payment_complete( $id ) {
		if ( $this->stuck ) {
			return false;
		}
		$this->paid++;
		return $this->complete( $id );
	}
	private function complete( $id ) {
		$this->transaction = $id;
		$this->status      = 'processing';
		return true;
	}
}

class WC_Payment_Gateway {
	public $supports = array( 'products' ); // as in WooCommerce
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

function __( $text ) { return 'Order %s' === $text ? $GLOBALS['language'] ?? $text : $text; }
function add_action( $name, $do ) { $GLOBALS['actions'][ $name ] = $do; }
function add_filter() {}
function get_option() { return array( 'webhook_secret' => SECRET ); }
function register_rest_route( $space, $path, $route ) { $GLOBALS['route'] = $route; }
function rest_url( $path ) { return "https://shop.example/wp-json/$path"; }
function untrailingslashit( $url ) { return rtrim( $url, '/' ); }
function wc_get_logger() { return new Log(); }
function wc_add_notice( $text ) { $GLOBALS['notices'][] = $text; }
function wc_get_order_id_by_order_key( $key ) { return isset( $GLOBALS['orders'][ $key ] ) ? $key : 0; }
function wc_get_order( $id ) { return $GLOBALS['orders'][ $id ] ?? false; }
function wp_json_encode( $value ) { return json_encode( $value ); }
function wp_remote_post( $url, $args ) {
	$GLOBALS['sent']   = array( $url, $args );
	$GLOBALS['calls'][] = substr( $url, strlen( 'https://pay.example' ) ) . ' ' . ( $args['headers']['Idempotency-Key'] ?? '' );
	$answer            = $GLOBALS['answer'];
	return is_callable( $answer ) ? $answer( $url, $args ) : $answer;
}
function is_wp_error( $answer ) { return false; }
function wp_remote_retrieve_body( $answer ) { return $answer[1]; }
function wp_remote_retrieve_response_code( $answer ) { return $answer[0]; }

class WP_REST_Response {
	public function __construct( public $data, public int $status ) {}
}

/** A database that has locks only. */
class Database {
	public string $prefix = 'wp_';
	public array $queries = array();
	public ?string $locked = '1';
	public function prepare( $query, $value ) { return sprintf( str_replace( '%s', "'%s'", $query ), $value ); }
	public function get_var( $query ) { $this->queries[] = $query; return $this->locked; }
	public function query( $query ) { $this->queries[] = $query; }
}

require __DIR__ . '/../coinslot.php';
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

/** Sends an event. The same event has the same id. */
function send( string $type, array $data = array(), array $settings = array() ): int {
	$session = $data + array(
		'id' => 'cs_1', 'status' => 'confirmed', 'version' => 5, 'test' => false, 'late' => false,
		'amount' => '25.00', 'currency' => 'USD', 'amount_usd' => '25.00',
		'order_ref' => 'wc_order_a~25.00', 'overpaid_amount' => '', 'missing_amount' => '', 'review_reason' => '',
	);
	$body    = json_encode( array( 'type' => $type, 'data' => $session ) );
	$webhook = new Coinslot_Webhook( $settings + array( 'webhook_secret' => SECRET ) );
	return $webhook->receive( headers_of( $body, id: 'evt_' . md5( $body ) ), $body, NOW );
}

function fresh(): WC_Order {
	$order = new WC_Order( 'wc_order_a', '25' );
	$order->update_meta_data( '_coinslot_session', 'cs_1' );
	$GLOBALS['orders'] = array( 'wc_order_a' => $order );
	$GLOBALS['log']    = $GLOBALS['notices'] = $GLOBALS['calls'] = array();
	return $order;
}

/**
 * Returns a gateway whose checkout has sessions by reference, and the order of fresh() without a session. Each reference is
 * one session, whose status and answer to a cancellation the test sets by its id.
 */
function shop(): array {
	$order = fresh();
	$order->update_meta_data( '_coinslot_session', '' );
	$GLOBALS['settings'] = array( 'url' => 'https://pay.example', 'secret_key' => 'key' );
	$GLOBALS['bodies']   = $GLOBALS['set'] = $GLOBALS['refusals'] = array();
	$GLOBALS['answer']   = function ( $url, $args ) {
		if ( preg_match( '~/v1/sessions/([^/]+)/cancel$~', $url, $m ) ) {
			return $GLOBALS['refusals'][ $m[1] ] ?? array( 200, json_encode( array( 'id' => $m[1], 'status' => 'cancelled' ) ) );
		}
		$ref  = json_decode( $args['body'], true )['order_ref'];
		$refs = array_keys( $GLOBALS['bodies'] );
		if ( ! in_array( $ref, $refs, true ) ) {
			$refs[] = $ref;
		}
		$GLOBALS['bodies'][ $ref ] ??= $args['body'];
		if ( $GLOBALS['bodies'][ $ref ] !== $args['body'] ) {
			return array( 409, '{"code":"order_conflict"}' );
		}
		$id = 'cs_' . ( array_search( $ref, $refs, true ) + 1 );
		return array( 201, json_encode( ( $GLOBALS['set'][ $id ] ?? array() ) + array( 'id' => $id, 'url' => "https://pay.example/checkout/$id", 'status' => 'open' ) ) );
	};
	return array( new WC_Gateway_Coinslot(), $order );
}

function pay( WC_Gateway_Coinslot $gateway ): string {
	return $gateway->process_payment( 'wc_order_a' )['redirect'] ?? 'failure';
}

$tests = array(
	'11: verifies the signature' => function () {
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
	'12: ignores repeated events' => function () {
		$order = fresh();
		$twice = function ( string $type, array $data ) {
			send( $type, $data );
			send( $type, $data );
		};
		$twice( 'checkout.partial', array( 'version' => 3, 'missing_amount' => '5' ) );
		$twice( 'checkout.review', array( 'version' => 4, 'review_reason' => 'amount_differs' ) );
		$twice( 'checkout.expired', array( 'version' => 5, 'status' => 'expired' ) );
		same( count( $order->notes ), 3, 'notes before the payment' );
		$twice( 'checkout.confirmed', array( 'version' => 6 ) );
		$twice( 'checkout.confirmed', array( 'id' => 'cs_2' ) );
		same( array( $order->paid, count( $order->notes ) ), array( 1, 5 ), 'paid and notes' );
		send( 'checkout.partial', array( 'version' => 3, 'missing_amount' => '5' ) );
		same( count( $order->notes ), 5, 'notes after an event of long ago' );
	},
	'one webhook at a time' => function () {
		$order           = fresh();
		$GLOBALS['wpdb'] = new Database();
		$GLOBALS['actions']['rest_api_init']();
		$body    = '{}';
		$request = new class( headers_of( $body, time() ), $body ) {
			public function __construct( private array $headers, private string $body ) {}
			public function get_header( $name ) { return $this->headers[ $name ]; }
			public function get_body() { return $this->body; }
		};
		same( $GLOBALS['route']['callback']( $request )->status, 204, 'status' );
		same( $GLOBALS['wpdb']->queries, array( "SELECT GET_LOCK('wp_coinslot_webhook', 10)", "SELECT RELEASE_LOCK('wp_coinslot_webhook')" ), 'queries' );
		$GLOBALS['wpdb']->locked = '0';
		same( $GLOBALS['route']['callback']( $request )->status, 503, 'status while another is received' );
	},
	'13: ignores older versions' => function () {
		$order = fresh();
		send( 'checkout.expired', array( 'version' => 6, 'status' => 'expired' ) );
		send( 'checkout.partial', array( 'version' => 5, 'missing_amount' => '5' ) );
		same( array( $order->status, count( $order->notes ) ), array( 'pending', 1 ), 'after an older one' );
		send( 'checkout.partial', array( 'version' => 6, 'missing_amount' => '5' ) );
		same( array( $order->status, count( $order->notes ) ), array( 'on-hold', 2 ), 'after another one of the same change' );
		send( 'checkout.cancelled', array( 'id' => 'cs_2', 'version' => 2, 'status' => 'cancelled' ) );
		same( count( $order->notes ), 3, 'notes, with another session' );
		send( 'checkout.confirmed', array( 'version' => 4 ) );
		same( $order->paid, 1, 'paid by an event that came late' );
	},
	'18: compares amount and currency' => function () {
		$payments = array(
			array( '25.00', 'USD', '25', 'USD', true ), array( '25.01', 'USD', '25', 'USD', false ), array( '2500', 'USD', '25', 'USD', false ),
			array( '25.00', 'USD', '25', 'EUR', false ), array( '25.00', 'EUR', '25', 'USD', false ), array( '25.00', 'EUR', '25.00', 'EUR', true ),
			array( '25.01', 'EUR', '25', 'EUR', false ), array( '2980', 'JPY', '2980', 'JPY', true ), array( '2980', 'JPY', '2980.00', 'JPY', true ),
			array( '2980', 'JPY', '29.80', 'JPY', false ), array( '12.500', 'KWD', '12.5', 'KWD', true ), array( '12.50', 'KWD', '12.5', 'KWD', false ),
		);
		foreach ( $payments as list( $paid, $in, $total, $currency, $fits ) ) {
			$order           = fresh();
			$order->total    = $total;
			$order->currency = $currency;
			send( 'checkout.confirmed', array( 'amount' => $paid, 'currency' => $in, 'amount_usd' => '27.31' ) );
			same( array( $order->paid, $order->status ), $fits ? array( 1, 'processing' ) : array( 0, 'on-hold' ), "$paid $in for $total $currency" );
		}
		$order = fresh();
		send( 'checkout.confirmed', array( 'amount' => null, 'currency' => null ) );
		same( $order->paid, 1, 'paid by an event of before other currencies' );
		$order = fresh();
		send( 'checkout.confirmed', array( 'amount' => '25.00', 'currency' => 'EUR' ) );
		same( $order->notes, array( "Coinslot session cs_1 was paid with 25.00 EUR, which is not the order's total of 25.00 USD." ), 'notes' );
	},
	'14: notes events of every session' => function () {
		$order = fresh();
		$order->update_meta_data( '_coinslot_session', 'cs_2' );
		send( 'checkout.partial', array( 'missing_amount' => '5' ) );
		same( $order->status, 'on-hold', 'status' );
		send( 'checkout.review', array( 'version' => 6, 'review_reason' => 'amount_differs' ) );
		send( 'checkout.expired', array( 'version' => 7, 'status' => 'expired', 'missing_amount' => '5' ) );
		same( $order->notes, array(
			"Coinslot session cs_1, not the order's last one: A part was paid; 5 is missing, in the coin.",
			"Coinslot session cs_1 needs review (amount_differs): decide in Coinslot's console.",
			'Coinslot session cs_1: expired, without a completed payment. A part was paid; 5 is missing, in the coin.',
		), 'notes of the older session' );
		send( 'checkout.confirmed', array( 'id' => 'cs_2' ) );
		send( 'checkout.partial', array( 'version' => 8, 'missing_amount' => '4' ) );
		same( array( $order->status, count( $order->notes ) ), array( 'processing', 5 ), 'money for a paid order' );
	},
	'amounts are exact' => function () {
		$amounts = array(
			array( '25', 'USD', '25.00' ), array( '25.1', 'EUR', '25.10' ), array( '1.005', 'EUR', '1.01' ), array( '1.004999999999999999999', 'EUR', '1.00' ),
			array( '0.995', 'USD', '1.00' ), array( '0.07', 'USD', '0.07' ), array( '999999999999999.99', 'EUR', '999999999999999.99' ),
			array( '1000', 'JPY', '1000' ), array( '1000.00', 'JPY', '1000' ), array( '999.5', 'JPY', '1000' ), array( '999.4', 'JPY', '999' ),
			array( '12.3', 'KWD', '12.300' ), array( '12.3456', 'KWD', '12.346' ), array( '9990', 'HUF', '9990.00' ),
			array( '-5', 'EUR', '-5' ), array( '1e3', 'EUR', '1e3' ), array( '', 'EUR', '' ), array( '1,5', 'EUR', '1,5' ), array( "25\n", 'EUR', "25\n" ),
			array( '1000000000000000', 'EUR', '1000000000000000' ), // the checkout refuses these
		);
		foreach ( $amounts as list( $total, $currency, $want ) ) {
			same( coinslot_amount( new WC_Order( 'wc_order_a', $total, $currency ) ), $want, "$total $currency" );
		}
	},
	'18: an order is opened in its own currency' => function () {
		foreach ( array( array( '25', 'EUR', '25.00' ), array( '2980.00', 'JPY', '2980' ), array( '12.5', 'KWD', '12.500' ) ) as list( $total, $currency, $amount ) ) {
			list( $gateway, $order ) = shop();
			$order->total            = $total;
			$order->currency         = $currency;
			same( array( $gateway->is_available(), pay( $gateway ) ), array( true, 'https://pay.example/checkout/cs_1' ), "the page in $currency" );
			$body = json_decode( $GLOBALS['bodies'][ "wc_order_a~$amount" ], true );
			same( array( $body['amount'], $body['currency'], isset( $body['amount_usd'] ) ), array( $amount, $currency, false ), "the price in $currency" );
		}

		list( $gateway, $order ) = shop();
		pay( $gateway );
		$requests = coinslot_requests( $order );
		unset( $requests[0]['currency'] ); // of a version that knew only dollars
		$order->update_meta_data( '_coinslot_sessions', json_encode( $requests ) );
		same( pay( $gateway ), 'https://pay.example/checkout/cs_1', 'the page of a request without a currency' );
		same( $GLOBALS['calls'], array_fill( 0, 2, '/v1/sessions wc_order_a~25.00' ), 'its calls' );

		list( $gateway, $order ) = shop();
		pay( $gateway );
		$order->currency = 'EUR';
		same( pay( $gateway ), 'https://pay.example/checkout/cs_2', 'the page after the currency has changed' );
		same( $GLOBALS['calls'], array( '/v1/sessions wc_order_a~25.00', '/v1/sessions/cs_1/cancel ', '/v1/sessions wc_order_a~25.00~2' ), 'calls' );
		same( $order->notes, array( 'Coinslot session cs_1 of 25.00 USD was canceled, because another one replaces it.' ), 'notes' );
	},
	'19: no rate refuses with words' => function () {
		$refusals = array(
			'currency_unsupported' => array( 400, "Crypto payment isn't possible in CHF. Nothing was charged; please choose another way to pay." ),
			'rate_unavailable'     => array( 503, "Crypto payment isn't possible in CHF right now. Nothing was charged; please try again later, or choose another way to pay." ),
		);
		foreach ( $refusals as $code => list( $status, $told ) ) {
			list( $gateway, $order ) = shop();
			$order->currency         = 'CHF';
			$answer                  = $GLOBALS['answer'];
			$GLOBALS['answer']       = array( $status, json_encode( array( 'code' => $code, 'detail' => 'supported currencies: EUR, USD' ) ) );
			same( array( pay( $gateway ), $GLOBALS['notices'] ), array( 'failure', array( $told ) ), "the page if $code" );
			same( $GLOBALS['log'], array( "order 7: opening a session for 25.00 CHF: $status $code: supported currencies: EUR, USD" ), "the log if $code" );
			same( array( $order->paid, $order->status, coinslot_requests( $order ) ), array( 0, 'pending', array() ), "the order if $code" );
			$GLOBALS['answer'] = $answer;
			$order->currency   = 'EUR';
			same( pay( $gateway ), 'https://pay.example/checkout/cs_1', 'the page in another currency' );
			$GLOBALS['answer'] = array( 503, '{"code":"rate_unavailable"}' );
			same( array( pay( $gateway ), count( coinslot_requests( $order ) ) ), array( 'failure', 1 ), 'an opened session is not forgotten' );
		}
	},
	'17: cancels the older session first' => function () {
		list( $gateway, $order ) = shop();
		same( pay( $gateway ), 'https://pay.example/checkout/cs_1', 'the first page' );
		$order->total = '20';
		same( pay( $gateway ), 'https://pay.example/checkout/cs_2', 'the page after a coupon' );
		$order->total = '25';
		same( pay( $gateway ), 'https://pay.example/checkout/cs_3', 'the page without it' );
		same( $GLOBALS['calls'], array(
			'/v1/sessions wc_order_a~25.00', '/v1/sessions/cs_1/cancel ', '/v1/sessions wc_order_a~20.00',
			'/v1/sessions/cs_2/cancel ', '/v1/sessions wc_order_a~25.00~3',
		), 'calls' );
		same( $order->get_meta( '_coinslot_session' ), 'cs_3', 'the last session' );
		same( array_column( coinslot_requests( $order ), 'id' ), array( 'cs_1', 'cs_2', 'cs_3' ), 'sessions' );

		foreach ( array( 'payment_in_progress', 'session_paid' ) as $code ) {
			list( $gateway, $order ) = shop();
			pay( $gateway );
			$order->total                 = '20';
			$GLOBALS['refusals']['cs_1'] = array( 409, json_encode( array( 'code' => $code ) ) );
			same( array( pay( $gateway ), pay( $gateway ) ), array_fill( 0, 2, 'https://pay.example/checkout/cs_1' ), "the page if $code" );
			same( array( count( $GLOBALS['bodies'] ), count( $order->notes ) ), array( 1, 1 ), "sessions and notes if $code" );
		}

		$unknown = array(
			'no answer' => array( 0, '' ), 'a page' => array( 200, '<html>' ), 'busy' => array( 503, '{"code":"gateway_unavailable"}' ),
			'another server' => array( 404, '{"code":"not_found"}' ), 'the key' => array( 401, '{"code":"unauthorized"}' ),
		);
		foreach ( $unknown as $what => $answer ) {
			list( $gateway, $order ) = shop();
			pay( $gateway );
			$order->total                 = '20';
			$GLOBALS['refusals']['cs_1'] = $answer;
			same( array( pay( $gateway ), count( $GLOBALS['bodies'] ) ), array( 'failure', 1 ), "another session after $what" );
			$order->total = '25'; // it may be canceled by now
			unset( $GLOBALS['refusals']['cs_1'] );
			same( pay( $gateway ), 'https://pay.example/checkout/cs_2', "the page after $what" );
		}

		list( $gateway, $order )      = shop();
		pay( $gateway );
		$order->total                 = '20';
		$GLOBALS['refusals']['cs_1'] = array( 404, '{"code":"session_unknown"}' );
		same( pay( $gateway ), 'https://pay.example/checkout/cs_2', 'the page if the older one is gone' );

		list( $gateway, $order ) = shop();
		$answer                  = $GLOBALS['answer'];
		$GLOBALS['answer']       = function ( $url, $args ) use ( $answer ) {
			$answer( $url, $args ); // it arrived
			return array( 0, '' );
		};
		same( pay( $gateway ), 'failure', 'opening without an answer' );
		$GLOBALS['answer'] = $answer;
		$order->total      = '20';
		same( pay( $gateway ), 'https://pay.example/checkout/cs_2', 'the page after that' );
		same( in_array( '/v1/sessions/cs_1/cancel ', $GLOBALS['calls'], true ), true, 'the one without an answer is canceled' );
	},
	'6: expired asks again' => function () {
		list( $gateway, $order ) = shop();
		$first                   = pay( $gateway );
		same( pay( $gateway ), $first, 'the page again' ); // the checkout has reopened it
		same( $GLOBALS['calls'], array_fill( 0, 2, '/v1/sessions wc_order_a~25.00' ), 'calls' );
		$statuses = array(
			'open' => $first, 'preparing' => $first, 'pending' => $first, 'review' => $first, 'confirmed' => 'https://shop.example/thanks/7',
			'expired' => 'failure', // reopened, unless a part was paid
		);
		foreach ( $statuses as $status => $page ) {
			$GLOBALS['set']['cs_1'] = array( 'status' => $status );
			$GLOBALS['notices']     = array();
			same( array( pay( $gateway ), pay( $gateway ) ), array( $page, $page ), "the page while $status" );
			same( count( $GLOBALS['notices'] ), 'failure' === $page ? 2 : 0, "what the shopper is told while $status" );
			same( count( $GLOBALS['bodies'] ), 1, "sessions while $status" );
		}
		same( array( $order->paid, count( $order->notes ) ), array( 0, 1 ), 'paid and notes' );
		$GLOBALS['set']['cs_1'] = array( 'status' => 'expired', 'deleted' => true );
		same( pay( $gateway ), 'https://pay.example/checkout/cs_2', 'the page after COINSLOT_RETENTION' );

		list( $gateway, $order ) = shop();
		pay( $gateway );
		$GLOBALS['language'] = 'Bestellung %s';
		same( pay( $gateway ), 'https://pay.example/checkout/cs_1', 'the page in another language' );
		unset( $GLOBALS['language'] );
	},
	'7: cancelled stays canceled' => function () {
		list( $gateway, $order ) = shop();
		pay( $gateway );
		$GLOBALS['set']['cs_1'] = array( 'status' => 'cancelled' );
		same( array( pay( $gateway ), pay( $gateway ) ), array( 'failure', 'failure' ), 'the page' );
		$told = 'The shop has canceled this payment. Please contact the shop, or choose another way to pay.';
		same( array( $GLOBALS['notices'], count( $GLOBALS['bodies'] ) ), array( array( $told, $told ), 1 ), 'what the shopper is told, and sessions' );
		same( $order->notes, array( 'The shopper asked to pay, but Coinslot session cs_1 was canceled in Coinslot, and stays so.' ), 'notes' );
		same( send( 'checkout.cancelled', array( 'status' => 'cancelled' ) ), 204, 'answer' );
		same( array( $order->paid, $order->status, count( $order->notes ) ), array( 0, 'pending', 2 ), 'the order after its event' );
	},
	'16: server down opens nothing twice' => function () {
		list( $gateway, $order ) = shop();
		$answer                  = $GLOBALS['answer'];
		$down                    = array( 'no answer' => array( 0, '' ), 'a page' => array( 502, '<html>' ), 'busy' => array( 503, '{"code":"gateway_unavailable"}' ) );
		foreach ( $down as $what => $said ) {
			$GLOBALS['notices'] = array();
			$GLOBALS['answer']  = function ( $url, $args ) use ( $answer, $said ) {
				$answer( $url, $args ); // it arrived
				return $said;
			};
			same( pay( $gateway ), 'failure', $what );
			same( $GLOBALS['notices'], array( 'The crypto checkout cannot be reached. Nothing was charged; please try again.' ), "what the shopper is told after $what" );
		}
		$GLOBALS['answer'] = $answer;
		same( pay( $gateway ), 'https://pay.example/checkout/cs_1', 'the page after that' );
		same( array( count( $GLOBALS['bodies'] ), array_unique( $GLOBALS['calls'] ) ), array( 1, array( '/v1/sessions wc_order_a~25.00' ) ), 'sessions and calls' );
		same( array( $order->paid, $order->status ), array( 0, 'pending' ), 'paid and status' );
	},
	'2: partial never pays' => function () {
		$order = fresh();
		$types = array( 'pending', 'partial', 'expired', 'cancelled', 'review', 'of_a_later_version' );
		foreach ( $types as $i => $type ) {
			send( "checkout.$type", array( 'version' => $i + 1, 'status' => 'confirmed', 'missing_amount' => '0.01' ) );
			same( $order->paid, 0, "paid by $type" );
		}
	},
	'10: a second payment is noted once' => function () {
		$order = fresh();
		send( 'checkout.confirmed' );
		send( 'checkout.confirmed', array( 'id' => 'cs_2' ) );
		send( 'checkout.confirmed', array( 'id' => 'cs_2' ) );
		same( $order->notes, array(
			'Coinslot has confirmed session cs_1.',
			'Paid a second time, by Coinslot session cs_2: refund one payment.',
		), 'notes' );
		same( array( $order->paid, $order->status ), array( 1, 'processing' ), 'paid and status' );
	},
	'8: review waits for a person' => function () {
		$order = fresh();
		send( 'checkout.review', array( 'status' => 'review', 'version' => 2, 'review_reason' => 'amount_differs' ) );
		same( array( $order->paid, $order->status ), array( 0, 'on-hold' ), 'paid and status' );
		send( 'checkout.confirmed', array( 'version' => 3 ) );
		send( 'checkout.review', array( 'id' => 'cs_3', 'review_reason' => 'paid_amount_short' ) );
		same( array( $order->paid, $order->status ), array( 1, 'processing' ), 'paid and status after the decision' );
		same( $order->notes, array(
			"Coinslot session cs_1 needs review (amount_differs): decide in Coinslot's console.",
			'Coinslot has confirmed session cs_1.',
			"Coinslot session cs_3 needs review (paid_amount_short): decide in Coinslot's console.",
		), 'notes' );
	},
	'15: answers so that nothing is lost' => function () {
		$order        = fresh();
		$order->stuck = true;
		$events       = array( 'checkout.partial' => 2, 'checkout.review' => 3, 'checkout.confirmed' => 4 );
		foreach ( $events as $type => $version ) {
			same( send( $type, array( 'version' => $version, 'missing_amount' => '5' ) ), 503, $type );
		}
		same( $order->notes, array(), 'notes' );
		$order->stuck = false;
		foreach ( $events as $type => $version ) {
			same( send( $type, array( 'version' => $version, 'missing_amount' => '5' ) ), 204, "$type again" );
		}
		same( array( $order->paid, count( $order->notes ) ), array( 1, 3 ), 'paid and notes' );
	},
	'3: confirmed pays once' => function () {
		$order = fresh();
		same( send( 'checkout.confirmed' ), 204, 'the first' );
		same( send( 'checkout.confirmed' ), 204, 'the second' );
		same( array( $order->paid, $order->transaction, count( $order->notes ) ), array( 1, 'cs_1', 1 ), 'paid' );
	},
	'4: late pays all the same' => function () {
		$order         = fresh();
		$order->status = 'cancelled';
		send( 'checkout.confirmed', array( 'late' => true ) );
		same( array( $order->paid, $order->notes ), array( 1, array( 'Coinslot has confirmed session cs_1. The payment was late.' ) ), 'paid and notes' );
	},
	'5: over pays, and is noted' => function () {
		$order = fresh();
		send( 'checkout.confirmed', array( 'late' => true, 'overpaid_amount' => '0.5' ) );
		same( array( $order->paid, $order->notes ), array( 1, array( 'Coinslot has confirmed session cs_1. The payment was late. 0.5 too much, in the coin.' ) ), 'paid and notes' );
	},
	'9: refund sends no coins' => function () {
		list( $gateway ) = shop();
		// WooCommerce then offers "Refund manually" only
		same( array( in_array( 'refunds', $gateway->supports, true ), method_exists( $gateway, 'process_refund' ) ), array( false, false ), 'refunds by the gateway' );
	},
	'1: pending pays nothing' => function () {
		$order = fresh();
		same( send( 'checkout.pending', array( 'status' => 'pending' ) ), 204, 'answer' );
		same( array( $order->paid, $order->status, $order->notes ), array( 0, 'pending', array() ), 'order' );
	},
	'money that does not fit' => function () {
		$order = fresh();
		send( 'checkout.confirmed', array( 'amount' => '24.99' ) );
		same( array( $order->paid, $order->status ), array( 0, 'on-hold' ), 'of another amount' );
		$order = fresh();
		send( 'checkout.confirmed' );
		send( 'checkout.confirmed', array( 'id' => 'cs_2' ) );
		same( array( $order->paid, count( $GLOBALS['log'] ) ), array( 1, 1 ), 'of two sessions' );
		same( send( 'checkout.confirmed', array( 'order_ref' => 'wc_order_gone' ) ), 503, 'of no order' );
		same( send( 'checkout.expired', array( 'order_ref' => 'wc_order_gone' ) ), 204, 'no money of no order' );
		same( send( 'checkout.confirmed', array( 'order_ref' => '1001' ) ), 204, 'of another shop' );
	},
	'20: refuses play money' => function () {
		$order = fresh();
		send( 'checkout.confirmed', array( 'test' => true ) );
		same( $order->paid, 0, 'paid' );
		send( 'checkout.confirmed', array( 'test' => true ), array( 'accept_test' => 'yes' ) );
		same( $order->paid, 1, 'paid, if it counts' );
	},
	'what is not final' => function () {
		$order = fresh();
		send( 'checkout.partial', array( 'version' => 4, 'missing_amount' => '5.5' ) );
		same( array( $order->status, $order->notes ), array( 'on-hold', array( 'A part was paid; 5.5 is missing, in the coin.' ) ), 'a part' );
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
		$GLOBALS['answer']    = array( 201, '{"id":"cs_9","url":"https://pay.example/checkout/cs_9"}' );
		$gateway              = new WC_Gateway_Coinslot();
		$result               = $gateway->process_payment( 'wc_order_a' );
		list( $url, $request ) = $GLOBALS['sent'];
		same( $result, array( 'result' => 'success', 'redirect' => 'https://pay.example/checkout/cs_9' ), 'result' );
		same( $order->get_meta( '_coinslot_session' ), 'cs_9', 'session' );
		same( array( $url, $request['redirection'] ), array( 'https://pay.example/v1/sessions', 0 ), 'request' );
		same( $request['headers']['Idempotency-Key'], 'wc_order_a~25.00', 'idempotency key' );
		$body = json_decode( $request['body'], true );
		same( array( $body['amount'], $body['currency'] ), array( '25.00', 'USD' ), 'price' );
		same( $order->paid, 0, 'paid' );
		$GLOBALS['answer'] = array( 401, '{"code":"unauthorized"}' );
		same( $gateway->process_payment( 'wc_order_a' ), array( 'result' => 'failure' ), 'refused' );
		same( array( $GLOBALS['log'], count( $GLOBALS['notices'] ) ), array( array( 'order 7: opening a session for 25.00 USD: 401 unauthorized' ), 1 ), 'log' );
		same( $gateway->is_available(), true, 'available' );
	},
	'21: keeps the secret key on https' => function () {
		$hosts = array(
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
			$GLOBALS['answer']   = array( 201, '{"id":"cs_9","url":"https://pay.example/checkout/cs_9"}' );
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
