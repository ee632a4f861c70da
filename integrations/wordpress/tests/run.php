<?php
/**
 * Tests of the plugin with small stand-ins for WordPress: php tests/run.php
 *
 * e2e TestFullWordPress runs it in WordPress.
 */
namespace {
	error_reporting( E_ALL );
	set_error_handler(
		function ( $level, $message, $file, $line ) {
			throw new ErrorException( $message, 0, $level, $file, $line );
		}
	);
	define( 'ABSPATH', __DIR__ );
	ini_set( 'error_log', '/dev/null' );

	class WP_Post {
		public function __construct( public int $ID, public string $post_content ) {}
	}

	class WP_Error {
		public function __construct( private string $message ) {}
		public function get_error_message() { return $this->message; }
	}

	class WP_REST_Response {
		public function __construct( public $data, public int $status ) {}
	}

	class WP_REST_Request {
		public function __construct( private array $headers, private string $body ) {}
		public function get_header( $name ) { return $this->headers[ $name ] ?? null; }
		public function get_body() { return $this->body; }
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

	function __( $text ) { return $text; }
	function _n_noop( $one, $many ) { return array( $one, $many ); }
	function esc_html( $text ) { return htmlspecialchars( $text, ENT_QUOTES ); }
	function esc_attr( $text ) { return htmlspecialchars( $text, ENT_QUOTES ); }
	function esc_attr__( $text ) { return esc_attr( $text ); }
	function esc_url( $url ) { return str_replace( array( '&', '"' ), array( '&#038;', '' ), $url ); }
	function is_admin() { return false; }
	function is_email( $text ) { return str_contains( $text, '@' ); }
	function is_feed() { return $GLOBALS['feed'] ?? false; }
	function is_wp_error( $value ) { return $value instanceof WP_Error; }
	function add_action( $name, $do ) { $GLOBALS['actions'][ $name ] = $do; }
	function remove_action( $name ) { unset( $GLOBALS['actions'][ $name ] ); }
	function add_filter() {}
	function add_settings_error( $option, $field ) { $GLOBALS['refused'][] = $field; }
	function current_user_can() { return $GLOBALS['editor'] ?? false; }
	function get_option( $name, $default = false ) { return $GLOBALS['options'][ $name ] ?? $default; }
	function update_option( $name, $value ) { $GLOBALS['options'][ $name ] = $value; }
	function get_bloginfo() { return 'de-DE'; }
	function home_url() { return 'https://shop.example/blog'; }
	function admin_url( $path ) { return "https://shop.example/wp-admin/$path"; }
	function wp_parse_url( $url ) { return parse_url( $url ); }
	function wp_enqueue_script( $handle ) { $GLOBALS['scripts'][] = $handle; }
	function wp_specialchars_decode( $text ) { return htmlspecialchars_decode( $text, ENT_QUOTES ); }
	function wp_slash( $value ) { return $value; }
	function wp_date( $format, $time ) { return gmdate( $format, $time ); }
	function shortcode_atts( $defaults, $given ) { return array_intersect_key( $given, $defaults ) + $defaults; }
	function get_block_wrapper_attributes() { return 'class="wp-block-coinslot-checkout"'; }

	/** Finds posts by name. */
	function get_posts( $query ) {
		foreach ( $GLOBALS['posts'] as $id => $post ) {
			if ( in_array( $post['post_name'], $query['post_name__in'], true ) ) {
				return array( new WP_Post( $id, $post['post_content'] ) );
			}
		}
		return array();
	}

	function wp_insert_post( $post ) {
		if ( $GLOBALS['database_is_full'] ) {
			return new WP_Error( 'the disk is full' );
		}
		$GLOBALS['writes']++;
		$id                      = $post['ID'] ? $post['ID'] : count( $GLOBALS['posts'] ) + 1;
		$GLOBALS['posts'][ $id ] = $post;
		return $id;
	}

	function wp_mail( $to, $subject, $text ) {
		if ( $GLOBALS['mail_is_down'] ) {
			$GLOBALS['actions']['wp_mail_failed']( new WP_Error( 'no server' ) );
			return false;
		}
		$GLOBALS['mails'][] = array( $to, $subject, $text );
		return true;
	}
}

namespace Coinslot\WordPress {
	require __DIR__ . '/../coinslot-wordpress.php';
	require __DIR__ . '/../includes/admin-settings.php';

	const SECRET = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
	const NEWER  = 'whsec_ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8=';
	const NOW    = 1795248000;

	function same( $got, $want, string $what ): void {
		if ( $got !== $want ) {
			throw new \Exception( "$what = " . var_export( $got, true ) . '; want ' . var_export( $want, true ) );
		}
	}

	/** Forgets all orders, mails and settings. */
	function fresh( array $settings = array() ): void {
		$GLOBALS['posts'] = $GLOBALS['mails'] = $GLOBALS['scripts'] = $GLOBALS['refused'] = array();
		$GLOBALS['writes'] = 0;
		$GLOBALS['editor'] = $GLOBALS['feed'] = $GLOBALS['mail_is_down'] = $GLOBALS['database_is_full'] = false;
		$GLOBALS['wpdb']    = new \Database();
		$GLOBALS['options'] = array(
			'blogname'    => 'Coffee &amp; Tips',
			'admin_email' => 'owner@shop.example',
			OPTION        => $settings + array( 'url' => 'https://pay.example', 'webhook_secret' => SECRET ),
		);
	}

	function headers_of( string $body, string $id = 'evt_1', int $at = NOW, string $secret = SECRET ): array {
		$mac = base64_encode( hash_hmac( 'sha256', "$id.$at.$body", base64_decode( substr( $secret, 6 ) ), true ) );
		return array( 'webhook-id' => $id, 'webhook-timestamp' => (string) $at, 'webhook-signature' => "v1,AAAA v1,$mac" );
	}

	/** Returns the body of an event of version 5 of a paid session, with what is different. */
	function event( string $type, array $data = array(), array $attempt = array() ): string {
		$attempt += array(
			'number' => 1, 'status' => 'confirmed', 'currency_symbol' => 'USDT', 'network_code' => 'trc20',
			'pay_amount' => '25.00', 'paid_amount' => '25', 'paid_at' => '2026-11-21T07:59:58.000Z',
		);
		$data    += array(
			'id' => 'cs_1', 'url' => 'https://pay.example/checkout/cs_1', 'status' => 'confirmed', 'version' => 5,
			'test' => false, 'late' => false, 'amount' => '25.00', 'currency' => 'EUR', 'amount_usd' => '27.31',
			'order_ref' => '', 'title' => '2 × <Coffee>', 'metadata' => array( 'item' => 'coffee' ), 'email' => '',
			'overpaid_amount' => '', 'missing_amount' => '', 'review_reason' => '',
			'created_at' => '2026-11-21T07:48:00.000Z', 'attempts' => array( $attempt ),
		);
		return json_encode( array( 'type' => $type, 'timestamp' => '2026-11-21T08:00:00.000Z', 'data' => $data ) );
	}

	/** Sends an event, and returns the HTTP status. The same event has the same id. */
	function send( string $type, array $data = array(), array $attempt = array() ): int {
		$body = event( $type, $data, $attempt );
		return receive( headers_of( $body, 'evt_' . md5( $body ) ), $body, NOW )[0];
	}

	/** Returns the one order that is stored. */
	function order(): Order {
		same( count( $GLOBALS['posts'] ), 1, 'number of orders' );
		return Order::from_json( reset( $GLOBALS['posts'] )['post_content'] );
	}

	function subjects(): array {
		return array_column( $GLOBALS['mails'], 1 );
	}

	const PART = array( 'status' => 'pending', 'paid_amount' => '20' );
	const NONE = array( 'status' => 'pending', 'paid_amount' => '', 'paid_at' => null );

	$tests = array(
		'1: pending pays nothing' => function () {
			fresh();
			same( send( 'checkout.pending', array( 'status' => 'pending' ), NONE ), 200, 'answer' );
			same( array( $GLOBALS['posts'], $GLOBALS['mails'] ), array( array(), array() ), 'orders and mails' );
			send( 'checkout.expired', array( 'status' => 'expired', 'version' => 6 ), array( 'paid_amount' => '0.00' ) + NONE );
			same( $GLOBALS['posts'], array(), 'orders after its end' );
		},
		'2: partial never pays' => function () {
			fresh();
			$types = array( 'pending' => 'pending', 'partial' => 'pending', 'expired' => 'expired', 'cancelled' => 'cancelled', 'review' => 'review', 'of_a_later_version' => 'open' );
			$version = 0;
			foreach ( $types as $type => $status ) {
				send( "checkout.$type", array( 'version' => ++$version, 'status' => $status, 'missing_amount' => '5' ), PART );
				same( 'paid' === order()->status(), false, "paid by $type" );
			}
			same( order()->notes(), array( '5 USDT is missing.' ), 'notes' );
			same( preg_grep( '/Paid/', subjects() ), array(), 'mails that say paid' );
		},
		'3: confirmed pays once' => function () {
			fresh();
			same( array( send( 'checkout.confirmed' ), send( 'checkout.confirmed' ) ), array( 200, 200 ), 'answers' );
			$post = $GLOBALS['posts'][1];
			same( array( order()->status(), $post['post_status'], $post['post_name'] ), array( 'paid', 'coinslot-paid', 'cs_1' ), 'order' );
			same( $post['post_date_gmt'], '2026-11-21 07:59:58', 'date' );
			same( subjects(), array( '[Coffee & Tips] Paid: 2 × <Coffee>, 25.00 EUR' ), 'mails' );
			same( $GLOBALS['mails'][0][0], 'owner@shop.example', 'to whom' );
			same( str_contains( $GLOBALS['mails'][0][2], "Coin: 25 USDT on trc20\n" ), true, 'the coin in the mail' );
		},
		'4: late pays all the same' => function () {
			fresh();
			send( 'checkout.expired', array( 'version' => 4, 'status' => 'expired', 'missing_amount' => '5' ), PART );
			same( order()->status(), 'ended', 'status' );
			send( 'checkout.confirmed', array( 'late' => true ) );
			same( array( order()->status(), order()->notes() ), array( 'paid', array( 'The payment was late.' ) ), 'order' );
		},
		'5: over pays, and is noted' => function () {
			fresh();
			send( 'checkout.confirmed', array( 'overpaid_amount' => '0.5' ) );
			same( array( order()->status(), order()->notes() ), array( 'paid', array( '0.5 USDT too much was paid.' ) ), 'order' );
		},
		'8: review waits for a person' => function () {
			fresh();
			send( 'checkout.review', array( 'status' => 'review', 'review_reason' => 'amount_differs' ) );
			same( order()->status(), 'review', 'status' );
			same( order()->notes(), array( 'Coinslot needs your decision (amount_differs): see its console.' ), 'notes' );
			send( 'checkout.confirmed', array( 'version' => 6 ) );
			same( array( order()->status(), order()->notes() ), array( 'paid', array() ), 'after the decision' );
			same( subjects(), array(
				'[Coffee & Tips] Payment needs review: 2 × <Coffee>, 25.00 EUR',
				'[Coffee & Tips] Paid: 2 × <Coffee>, 25.00 EUR',
			), 'mails' );
		},
		'9: refund sends no coins' => function () {
			fresh();
			send( 'checkout.confirmed' );
			$refund = array( 'amount' => '1.5', 'currency_symbol' => 'USDT', 'network_code' => 'trc20', 'tx_id' => '7f', 'tx_url' => '', 'reason' => '', 'recorded_at' => '2026-11-22T08:00:00.000Z' );
			send( 'checkout.refund', array( 'version' => 6, 'refunds' => array( $refund ) ) );
			same( array( order()->status(), order()->notes() ), array( 'paid', array( '1.5 USDT was sent back.' ) ), 'order' );
			same( count( $GLOBALS['mails'] ), 1, 'mails' );
		},
		'11: verifies the signature' => function () {
			$good = headers_of( 'body' );
			same( is_signed( SECRET, $good, 'body', NOW ), true, 'good' );
			same( is_signed( NEWER . ",\n" . SECRET, $good, 'body', NOW + 300 ), true, 'of the old secret, in time' );
			same( is_signed( NEWER . ',' . SECRET, headers_of( 'body', secret: NEWER ), 'body', NOW ), true, 'of the new secret' );
			same( is_signed( NEWER, $good, 'body', NOW ), false, 'another secret' );
			same( is_signed( SECRET, $good, 'Body', NOW ), false, 'changed' );
			same( is_signed( SECRET, $good, 'body', NOW + 301 ), false, 'old' );
			same( is_signed( SECRET, $good, 'body', NOW - 301 ), false, 'to come' );
			same( is_signed( 'whsec_', $good, 'body', NOW ), false, 'an empty secret' );
			same( is_signed( '', array( 'webhook-signature' => '' ) + $good, 'body', NOW ), false, 'no secret' );
			same( is_signed( SECRET, array( 'webhook-id' => '' ) + $good, 'body', NOW ), false, 'no id' );
			same( is_signed( SECRET, array( 'webhook-timestamp' => NOW . "\n" ) + $good, 'body', NOW ), false, 'a line break' );

			fresh( array( 'webhook_secret' => '' ) );
			same( send( 'checkout.confirmed' ), 401, 'without a secret' );
			fresh( array( 'webhook_secret' => NEWER ) );
			same( send( 'checkout.confirmed' ), 401, 'with another one' );
			same( array( $GLOBALS['posts'], isset( $GLOBALS['options'][ OPTION_SEEN ] ) ), array( array(), false ), 'what is stored' );
		},
		'12: ignores repeated events' => function () {
			fresh();
			foreach ( array( 1, 2 ) as $time ) {
				send( 'checkout.partial', array( 'version' => 3, 'status' => 'pending', 'missing_amount' => '5' ), PART );
				send( 'checkout.review', array( 'version' => 4, 'status' => 'review' ) );
				send( 'checkout.confirmed' );
				same( array( count( order()->events() ), count( $GLOBALS['mails'] ), $GLOBALS['writes'] ), array( 3, 2, 5 ), "after time $time" );
			}
		},
		'13: ignores older versions' => function () {
			fresh();
			send( 'checkout.confirmed', array( 'version' => 7 ) );
			send( 'checkout.partial', array( 'version' => 5, 'status' => 'pending', 'missing_amount' => '5' ), PART );
			send( 'checkout.review', array( 'version' => 6, 'status' => 'review', 'review_reason' => 'amount_differs' ) );
			same( array( order()->status(), order()->notes(), count( $GLOBALS['mails'] ) ), array( 'paid', array(), 1 ), 'order' );
			send( 'checkout.review', array( 'version' => 7, 'review_reason' => 'paid_after_confirmation' ) );
			same( array( order()->status(), count( $GLOBALS['mails'] ) ), array( 'paid', 2 ), 'after another one of the same change' );
			same( count( order()->notes() ), 1, 'notes after it' );

			fresh();
			send( 'checkout.review', array( 'version' => 9, 'review_reason' => 'paid_after_confirmation' ) );
			send( 'checkout.confirmed', array( 'version' => 7 ) );
			same( count( preg_grep( '/Paid/', subjects() ) ), 1, 'mails of a payment whose event came late' );
		},
		'14: notes events of every session' => function () {
			fresh();
			send( 'checkout.confirmed' );
			send( 'checkout.partial', array( 'id' => 'cs_2', 'version' => 3, 'status' => 'pending' ), PART );
			same( array_column( $GLOBALS['posts'], 'post_name' ), array( 'cs_1', 'cs_2' ), 'orders' );
		},
		'15: answers so that nothing is lost' => function () {
			fresh();
			$GLOBALS['database_is_full'] = true;
			same( send( 'checkout.confirmed' ), 503, 'while the database is full' );
			$GLOBALS['database_is_full'] = false;
			$GLOBALS['mail_is_down']     = true;
			same( send( 'checkout.confirmed' ), 503, 'while no mail can be sent' );
			same( order()->status(), 'paid', 'status' );
			$body = event( 'checkout.confirmed' );
			same(
				receive( headers_of( $body, 'evt_' . md5( $body ) ), $body, NOW )[1],
				'the order is stored, but no mail could be sent: no server',
				'what the console shows'
			);
			$GLOBALS['mail_is_down'] = false;
			same( array( send( 'checkout.confirmed' ), count( $GLOBALS['mails'] ) ), array( 200, 1 ), 'after that' );

			$GLOBALS['wpdb']->locked = '0';
			same( send( 'checkout.refund', array( 'version' => 6 ) ), 503, 'while another webhook is received' );
			same( end( $GLOBALS['wpdb']->queries ), "SELECT GET_LOCK('wp_coinslot_webhook', 10)", 'the last query' );
		},
		'amounts stay as they came' => function () {
			fresh();
			send( 'checkout.confirmed', array( 'amount' => '2980', 'currency' => 'JPY' ) );
			same( array( order()->amount(), order()->currency() ), array( '2980', 'JPY' ), 'what the catalog asked for, as text' );
		},
		'20: refuses play money' => function () {
			fresh();
			same( array( send( 'checkout.confirmed', array( 'test' => true ) ), $GLOBALS['posts'] ), array( 200, array() ), 'orders' );
			fresh( array( 'accept_test' => '1' ) );
			send( 'checkout.confirmed', array( 'test' => true ) );
			same( order()->notes(), array( 'Play money: no real money moved.' ), 'notes, if it counts' );
			same( subjects(), array( 'TEST [Coffee & Tips] Paid: 2 × <Coffee>, 25.00 EUR' ), 'mails' );
		},
		'a test webhook' => function () {
			fresh();
			$body    = '{"type":"checkout.test","timestamp":"2026-11-21T08:00:00.000Z","data":{"object":"test","test":true}}';
			$answer  = answer_webhook( new \WP_REST_Request( headers_of( $body, at: time() ), $body ) );
			same( array( $answer->status, $answer->data ), array( 200, array( 'message' => 'this tells of no payment' ) ), 'answer' );
			same( $GLOBALS['options'][ OPTION_SEEN ]['type'], 'checkout.test', 'what the settings show' );
			same( answer_webhook( new \WP_REST_Request( array(), $body ) )->status, 401, 'without headers' );
		},
		'no mail if the owner wants none' => function () {
			fresh( array( 'send_mail' => '' ) );
			$GLOBALS['mail_is_down'] = true;
			same( array( send( 'checkout.confirmed' ), order()->status() ), array( 200, 'paid' ), 'answer and status' );
		},
		'what is stored survives filters' => function () {
			fresh();
			send( 'checkout.confirmed', array( 'title' => '<b>Tee & "Kaffee"</b> \\ 咖啡' ) );
			same( order()->title(), '<b>Tee & "Kaffee"</b> \\ 咖啡', 'title' );
			same( preg_match( '/[<>&]|[^\x20-\x7e]/', $GLOBALS['posts'][1]['post_content'] ), 0, 'letters that a filter could change' );
		},
		'the attempt that counts' => function () {
			$attempts = array(
				array( 'status' => 'expired', 'paid_amount' => '1' ),
				array( 'status' => 'confirmed', 'paid_amount' => '25' ),
				array( 'status' => 'pending', 'paid_amount' => '' ),
			);
			foreach ( array( array( $attempts, '25' ), array( array( $attempts[0], $attempts[2] ), '1' ) ) as list( $list, $paid ) ) {
				fresh();
				send( 'checkout.confirmed', array( 'attempts' => $list ) );
				same( order()->attempt()['paid_amount'], $paid, 'paid' );
			}
		},
		'the frame is the one of docs/embed.md' => function () {
			fresh();
			same(
				render_shortcode( array( 'item' => 'tip', 'amount' => '7.25', 'theme' => 'dark' ) ),
				'<coinslot-checkout item="tip" amount="7.25" lang="de-DE" theme="dark"><iframe src="https://pay.example/checkout?'
				. 'item=tip&#038;amount=7.25&#038;embed=inline&#038;origin=https%3A%2F%2Fshop.example&#038;lang=de-DE&#038;theme=dark"'
				. ' name="coinslot-checkout" title="Checkout" allow="clipboard-write" sandbox="allow-scripts allow-same-origin allow-forms'
				. ' allow-popups allow-popups-to-escape-sandbox" width="100%" height="420" frameborder="0"></iframe></coinslot-checkout>',
				'HTML'
			);
			same( $GLOBALS['scripts'], array( 'coinslot-checkout' ), 'scripts' );
			same(
				load_async( '<script src="https://pay.example/checkout.js"></script>', 'coinslot-checkout' ),
				'<script async src="https://pay.example/checkout.js"></script>',
				'the tag'
			);
			same( load_async( '<script src="/other.js"></script>', 'other' ), '<script src="/other.js"></script>', 'another tag' );
		},
		'a dialog has a link' => function () {
			fresh();
			$link = '<a class="wp-element-button" href="https://pay.example/checkout?item=coffee&#038;quantity=3&#038;lang=de-DE">Buy &lt;3</a></coinslot-checkout>';
			$with = array( 'item' => ' coffee ', 'quantity' => '3', 'label' => 'Buy <3' );
			same( render_block( array( 'mode' => 'modal' ) + $with ), '<div class="wp-block-coinslot-checkout"><coinslot-checkout item="coffee" quantity="3" mode="modal" lang="de-DE">' . "$link</div>", 'the block' );
			$GLOBALS['feed'] = true;
			same( render_shortcode( $with ), '<coinslot-checkout item="coffee" quantity="3" lang="de-DE">' . $link, 'in a feed' );
		},
		'hostile attributes stay attributes' => function () {
			fresh();
			$html = render_shortcode( array( 'item' => '"><script>alert(1)</script>', 'mode' => '"x', 'theme' => '"y', 'onclick' => 'alert(1)' ) );
			same( preg_match( '/<script|onclick|"x|"y/', $html ), 0, "what is in $html" );
		},
		'only editors read why there is no checkout' => function () {
			fresh( array( 'url' => '' ) );
			same( array( render_shortcode( array( 'item' => 'coffee' ) ), render_block( array() ) ), array( '', '' ), 'for visitors' );
			$GLOBALS['editor'] = true;
			same( str_contains( render_shortcode( '' ), 'Set the checkout URL' ), true, 'for editors' );
			fresh();
			$GLOBALS['editor'] = true;
			same( str_contains( render_shortcode( '' ), 'Name an item' ), true, 'without an item' );
		},
		'settings are validated' => function () {
			$urls = array(
				'https://pay.example' => true, 'https://pay.example:8443/' => true, 'http://localhost:8080' => true,
				'http://127.0.0.1:8080/' => true, 'http://[::1]' => true, '' => true,
				'http://pay.example' => false, 'http://localhost.pay.example' => false, 'http://localhost@pay.example' => false,
				'https://u:p@pay.example' => false, "https://pay.example\\@evil" => false, 'javascript:alert(1)' => false, '//pay.example' => false,
			);
			foreach ( $urls as $url => $allowed ) {
				fresh( array( 'url' => 'https://old.example' ) );
				$kept = sanitize_settings( array( 'url' => $url ) );
				same( $kept['url'], $allowed ? rtrim( $url, '/' ) : 'https://old.example', "what is kept of $url" );
				same( $GLOBALS['refused'], $allowed ? array() : array( 'url' ), "what is refused of $url" );
			}

			fresh();
			same( sanitize_settings( array() )['webhook_secret'], SECRET, 'the secret, if the field was left empty' );
			same( sanitize_settings( array( 'webhook_secret' => ' ' . NEWER . ' ' ) )['webhook_secret'], NEWER, 'a new secret' );
			same( sanitize_settings( array( 'webhook_secret' => 'password' ) )['webhook_secret'], SECRET, 'after a wrong one' );
			same( sanitize_settings( array( 'mail_to' => 'nobody' ) )['mail_to'], '', 'after a wrong address' );
			same( $GLOBALS['refused'], array( 'webhook_secret', 'mail_to' ), 'refused' );

			$given = array( 'url' => 'https://pay.example', 'webhook_secret' => NEWER, 'accept_test' => '1', 'mail_to' => 'a@b.example' );
			$once  = sanitize_settings( $given );
			same( sanitize_settings( $once ), $once, 'what WordPress sanitizes twice' );
			same( array( $once['accept_test'], $once['send_mail'] ), array( '1', '' ), 'checkboxes' );
		},
		'the secret is never printed' => function () {
			fresh();
			ob_start();
			show_webhook_secret();
			same( str_contains( ob_get_clean(), substr( SECRET, 6 ) ), false, 'in the field' );
			define( 'COINSLOT_WEBHOOK_SECRET', NEWER );
			same( webhook_secret(), NEWER, 'the secret of wp-config.php' );
			ob_start();
			show_webhook_secret();
			same( str_contains( ob_get_clean(), substr( NEWER, 6 ) ), false, 'in the help' );
		},
	);
	foreach ( $tests as $name => $test ) {
		try {
			$test();
		} catch ( \Throwable $e ) {
			echo "FAIL $name: {$e->getMessage()} ({$e->getFile()}:{$e->getLine()})\n";
			$failed = true;
		}
	}
	echo count( $tests ), " tests\n";
	exit( isset( $failed ) ? 1 : 0 );
}
