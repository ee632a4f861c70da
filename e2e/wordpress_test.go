package e2e

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/bff/sandbox"
	"coinslot/e2e/browser"
)

// TestFullWordPress sells with the plugin of integrations/wordpress, in WordPress with MariaDB: an
// administrator sets it up in Chromium, a shopper pays in its pages, and its list shows the orders.
// The numbers are those of the behaviors in integrations/README.md.
func TestFullWordPress(t *testing.T) {
	w := newWordPress(t)
	catalog := filepath.Join(t.TempDir(), "catalog.yaml")
	fortest.OK(t, os.WriteFile(catalog, []byte(offers), 0o600))

	s := newStack(t,
		"COINSLOT_CATALOG="+catalog,
		"COINSLOT_ORIGINS="+w.site,
		"COINSLOT_WEBHOOK_URL=http://127.0.0.1:"+w.port+wordPressHook)
	shop := &wordPressShop{wp: w, stack: s, admin: w.signIn()}

	shop.setUp(t)
	shop.coffee = shop.publishBlock(t)
	shop.tip = shop.publishShortcode(t)

	t.Run("3: confirmed pays once", shop.paysOnce)
	t.Run("14: each session is an order", shop.eachSession)
	t.Run("1: pending pays nothing", shop.pendingPaysNothing)
	t.Run("2, 4: a part never pays, late money does", shop.partThenLate)
	t.Run("5: over pays, and is noted", shop.tooMuch)
	t.Run("8: review waits for a person", shop.review)
	t.Run("9: refunds are shown", shop.refund)
	t.Run("11: verifies the signature", shop.signature)
	t.Run("12: ignores repeated events", shop.repeated)
	t.Run("13: ignores older versions", shop.outOfOrder)
	t.Run("15: WordPress is down, and comes back", shop.downAndBack)
	t.Run("15: PHP is killed in the middle", shop.killedInTheMiddle)
	t.Run("20: refuses play money", shop.playMoney)
	t.Run("an order in the trash", shop.trash)
	t.Run("a dialog", shop.dialog)
	t.Run("uninstall", shop.uninstall)

	shop.noPHPErrors(t)
}

// wordPressShop is a WordPress that sells by a checkout.
type wordPressShop struct {
	wp *wordPress
	*stack
	admin       *browser.Page // signed in
	coffee, tip string        // pages with a block, and with a shortcode
}

// signIn opens the admin as its administrator.
func (w *wordPress) signIn() *browser.Page {
	w.t.Helper()
	p := chromium.Open(w.t, w.site+"/wp-login.php", browser.Options{Height: 1000})
	p.WaitJS(`document.activeElement?.id === "user_login"`, // its script selects what is typed before
		"the form to have the focus")
	p.Type("#user_login", wordPressUser)
	p.Type("#user_pass", wordPressPassword)
	p.Click("#wp-submit")
	p.Wait("#wpadminbar")
	return p
}

// setUp activates the plugin and fills in its settings, as README.md there says.
func (s *wordPressShop) setUp(t *testing.T) {
	p := s.admin
	p.Goto(s.wp.site + "/wp-admin/plugins.php")
	p.Click("#activate-coinslot-wordpress, [data-slug='coinslot'] .activate a")
	p.Wait(`[data-plugin="coinslot-wordpress/coinslot-wordpress.php"].active`)

	settings := s.wp.site + "/wp-admin/edit.php?post_type=coinslot_order&page=coinslot-settings"
	p.Goto(settings)
	p.Type("#coinslot-url", "http://pay.shop.example")
	p.Type("#coinslot-webhook_secret", "whsec_short")
	p.Click("#submit")
	p.WaitText(".notice-error", "must be https")
	p.WaitText("#setting-error-webhook_secret", "24 to 64 bytes")

	p.Type("#coinslot-url", s.base+"/")
	p.Type("#coinslot-webhook_secret", "whsec_"+hookKey)
	p.Type("#coinslot-mail_to", "orders@shop.example")
	p.Click("#submit")
	p.WaitText(".notice-success", "Settings saved")
	fortest.Equal(t, p.Value("#coinslot-url"), s.base, "the stored URL")
	fortest.Lacks(t, "the settings page", p.HTML(), hookKey)

	var test struct{ Taken bool }
	s.call(http.MethodPost, "/v1/webhooks/test", nil, &test)
	fortest.Equal(t, test.Taken, true, "the test webhook was taken")
	p.Goto(settings)
	p.WaitText("form", "The last signed webhook, checkout.test, came")
	s.picture(p, "wordpress-settings")
}

// publishBlock makes a page with the block in the editor, and returns its address.
func (s *wordPressShop) publishBlock(t *testing.T) string {
	t.Helper()
	p := s.admin
	p.Resize(1280, 1400)
	p.Goto(s.wp.site + "/wp-admin/post-new.php?post_type=page")
	p.WaitJS(`wp.data.select("core/block-editor") && document.querySelector(".edit-post-layout")`,
		"the editor")
	p.Eval(`wp.data.dispatch("core/preferences").set("core/edit-post", "welcomeGuide", false);
		wp.data.dispatch("core/editor").editPost({title: "Coffee"});
		wp.data.dispatch("core/block-editor").insertBlocks(
			wp.blocks.createBlock("coinslot/checkout"))`, nil)

	p.Type(`[data-type="coinslot/checkout"] input`, "coffee")
	p.Press("Enter")
	preview := p.Frame(frame) // the checkout's own page, in the editor
	preview.Wait(costs("4.50"))
	s.picture(p, "wordpress-editor")
	return s.publish(p)
}

// publishShortcode makes a page with the shortcode, and returns its address.
func (s *wordPressShop) publishShortcode(t *testing.T) string {
	t.Helper()
	p := s.admin
	p.Goto(s.wp.site + "/wp-admin/post-new.php?post_type=page")
	p.WaitJS(`wp.data.select("core/block-editor") && document.querySelector(".edit-post-layout")`,
		"the editor")
	p.Eval(`wp.data.dispatch("core/editor").editPost({title: "Tip"});
		wp.data.dispatch("core/block-editor").insertBlocks(wp.blocks.createBlock("core/shortcode",
			{text: '[coinslot item="tip" amount="25.50" theme="light"]'}))`, nil)
	return s.publish(p)
}

// publish saves the page in the editor, and returns its address.
func (s *wordPressShop) publish(p *browser.Page) string {
	p.Eval(`wp.data.dispatch("core/editor").editPost({status: "publish"});
		wp.data.dispatch("core/editor").savePost()`, nil)
	p.WaitJS(`wp.data.select("core/editor").isCurrentPostPublished()
		&& !wp.data.select("core/editor").isSavingPost()`, "the page to be published")
	return browser.Eval[string](p, `wp.data.select("core/editor").getPermalink()`)
}

// opens opens a page of the site as a shopper, and chooses a coin in its frame.
func (s *wordPressShop) opens(
	t *testing.T, page, price string,
) (f *browser.View, session string, tx sandbox.Transaction) {
	t.Helper()
	p := chromium.Open(t, page, browser.Options{Height: 2400})
	f = p.Frame(frame)
	f.Wait(`[data-live="wasm"]`)
	f.Wait(costs(price))
	tx = s.choose(f, "USDT", "trc20")
	return f, f.Attr("#coinslot", "data-session"), tx
}

// pays opens a page and pays what it asks for.
func (s *wordPressShop) pays(t *testing.T, page, price string) (session string) {
	t.Helper()
	f, session, tx := s.opens(t, page, price)
	s.simulate(tx, sandbox.KindPay)
	f.Wait(paid)
	return session
}

// row returns the cells of a session's row in the list of orders, by their columns, and nil if
// there is none. It ends t if there are several.
func (s *wordPressShop) row(t *testing.T, session string) map[string]string {
	t.Helper()
	s.admin.Goto(s.wp.site + "/wp-admin/edit.php?post_type=coinslot_order")
	rows := browser.Eval[[]map[string]string](s.admin, `
		[...document.querySelectorAll("#the-list tr")]
		.filter(row => row.querySelector('[title="`+session+`"]'))
		.map(row => Object.fromEntries([...row.querySelectorAll("td")].map(cell => [
			cell.className.match(/column-(?:coinslot_)?(\w+)/)[1],
			cell.innerText.split("\n")[0].trim(),
		])))`)
	if len(rows) > 1 {
		t.Fatalf("%s has %d orders", session, len(rows))
	}
	if len(rows) == 0 {
		return nil
	}
	return rows[0]
}

// awaitRow waits until the order of a session has a status.
func (s *wordPressShop) awaitRow(t *testing.T, session, status string) map[string]string {
	t.Helper()
	var row map[string]string
	fortest.Within(t, time.Minute, session+" to be "+status, func() bool {
		row = s.row(t, session)
		return row["status"] == status
	})
	return row
}

// orders returns how many there are.
func (s *wordPressShop) orders() string {
	return s.wp.runPHP(`echo array_sum( (array) wp_count_posts( "coinslot_order" ) );`)
}

// eventsOf returns the webhooks of a session, in order, as they were sent.
func (s *wordPressShop) eventsOf(t *testing.T, session string) (list []sentEvent) {
	t.Helper()
	var got struct{ Data []sentEvent }
	s.call(http.MethodGet, "/v1/events?session="+session, nil, &got)
	return got.Data
}

// sentEvent is a webhook.
type sentEvent struct {
	ID        string         `json:"id"`
	Type      string         `json:"type"`
	Timestamp string         `json:"timestamp"`
	Data      map[string]any `json:"data"`
}

// body returns the body of its webhook.
func (e sentEvent) body(t *testing.T) []byte {
	t.Helper()
	return fortest.Must(json.Marshal(map[string]any{
		"type": e.Type, "timestamp": e.Timestamp, "data": e.Data,
	}))(t)
}

// about returns the event with another id, type, session and version.
func (e sentEvent) about(id, typ, session string, version int, more map[string]any) sentEvent {
	data := map[string]any{}
	for name, value := range e.Data {
		data[name] = value
	}
	data["id"] = session
	data["version"] = version
	for name, value := range more {
		data[name] = value
	}
	return sentEvent{ID: id, Type: typ, Timestamp: e.Timestamp, Data: data}
}

// deliverNow sends a webhook as the checkout does.
func (s *wordPressShop) deliverNow(t *testing.T, e sentEvent) int {
	t.Helper()
	return s.wp.deliver(e.ID, e.body(t), hookKey, time.Now())
}

// confirmed returns the event that confirmed a new order of coffee.
func (s *wordPressShop) confirmed(t *testing.T) sentEvent {
	t.Helper()
	session := s.pays(t, s.coffee, "4.50")
	s.awaitRow(t, session, "Paid")
	s.awaitMail(session, "Paid:")
	list := s.eventsOf(t, session)
	return list[len(list)-1]
}

func (s *wordPressShop) paysOnce(t *testing.T) {
	session := s.pays(t, s.coffee, "4.50")
	row := s.awaitRow(t, session, "Paid")
	fortest.Equal(t, row["item"], "Coffee", "the item")
	fortest.Equal(t, row["amount"]+" "+row["currency"], "4.50 USD", "the price")
	fortest.Has(t, "the coin", row["coin"], "USDT", "trc20")

	s.awaitMail(session, "Paid:")
	mails := s.wp.mails("Paid: Coffee, 4.50 USD")
	fortest.Equal(t, len(mails), 1, "mails")
	fortest.Has(t, "the mail", mails[0], "To: orders@shop.example", "[Coffee & Tips]", session,
		"Coin: 4.5 USDT on trc20",
		s.wp.site+"/wp-admin/post.php?post=")
	fortest.Equal(t, s.orders(), "1", "orders")

	s.admin.Goto(s.wp.site + "/wp-admin/edit.php?post_type=coinslot_order&s=" + session)
	s.admin.Wait(`a[title="` + session + `"]`)
	seen := s.wp.runPHP(`$order = get_posts( array( "post_type" => "coinslot_order",
			"post_status" => "coinslot-paid" ) )[0];
		$login = array( "user_login" => "editor", "user_pass" => "a-password", "role" => "editor" );
		wp_set_current_user( wp_insert_user( $login ) );
		$may = fn( $what ) => current_user_can( $what, $order->ID );
		var_export( $may( "edit_post" ) || $may( "read_post" ) || $may( "delete_post" ) );`)
	fortest.Equal(t, seen, "false", "whether an editor may see the order")
}

func (s *wordPressShop) eachSession(t *testing.T) {
	first := s.pays(t, s.coffee, "4.50")
	second := s.pays(t, s.tip, "25.50")
	s.awaitRow(t, first, "Paid")
	row := s.awaitRow(t, second, "Paid")
	fortest.Equal(t, row["item"]+" "+row["amount"], "Tip 25.50", "the order")
}

func (s *wordPressShop) pendingPaysNothing(t *testing.T) {
	_, session, _ := s.opens(t, s.coffee, "4.50")
	before := s.orders()
	list := s.eventsOf(t, session)
	fortest.Equal(t, list[0].Type, "checkout.pending", "the first event")
	fortest.Equal(t, s.deliverNow(t, list[0]), http.StatusOK, "the answer")
	fortest.Equal(t, s.orders(), before, "orders")
}

func (s *wordPressShop) partThenLate(t *testing.T) {
	f, session, tx := s.opens(t, s.tip, "25.50")
	s.simulate(tx, sandbox.KindHalf)
	f.Wait(`[data-part="missing"]`)
	s.awaitRow(t, session, "Part paid")
	s.openOrder(t, session)
	s.admin.WaitText(".coinslot-notes", "USDT is missing.")

	s.simulate(tx, sandbox.KindLate)
	s.awaitRow(t, session, "Ended")
	s.openOrder(t, session)
	s.admin.WaitText(".coinslot-notes", "USDT is missing.")

	var answer object
	s.call(http.MethodPost, "/v1/sessions/"+session+"/recheck", nil, &answer)
	s.awaitRow(t, session, "Paid late")
	s.openOrder(t, session)
	s.admin.WaitText(".coinslot-notes", "The payment was late.")
	s.awaitMail(session, "Paid:")
}

func (s *wordPressShop) tooMuch(t *testing.T) {
	_, session, tx := s.opens(t, s.coffee, "4.50")
	s.simulate(tx, sandbox.KindOver)
	s.awaitRow(t, session, "Paid too much")
	s.openOrder(t, session)
	s.admin.WaitText(".coinslot-notes", "USDT too much was paid.")
}

func (s *wordPressShop) review(t *testing.T) {
	_, session, tx := s.opens(t, s.tip, "25.50")
	s.simulate(tx, sandbox.KindTenfold)
	s.awaitRow(t, session, "Needs review too much")
	s.openOrder(t, session)
	s.admin.WaitText(".coinslot-notes", "Coinslot needs your decision")
	s.awaitMail(session, "needs review")
	fortest.Equal(t, s.mailsOf(session, "Paid:"), 0, "mails that say paid")

	decision := []byte(`{"as":"confirmed","reason":"they wanted to give more"}`)
	var answer struct{ Status string }
	status := s.call(http.MethodPost, "/v1/sessions/"+session+"/resolve", decision, &answer)
	fortest.Equal(t, status, http.StatusOK, "the decision")
	fortest.Until(t, "the order to be paid", func() bool {
		return strings.HasPrefix(s.row(t, session)["status"], "Paid")
	})
	s.awaitMail(session, "Paid:")
}

func (s *wordPressShop) refund(t *testing.T) {
	e := s.confirmed(t)
	session := e.Data["id"].(string)
	const reason = `beans <b>"broken"</b> \ 咖啡`
	record := fortest.Must(json.Marshal(map[string]string{
		"amount": "1.5", "currency_symbol": "USDT", "network_code": "trc20",
		"tx_id": strings.Repeat("7f2b6c1d", 8), "reason": reason,
	}))(t)
	var answer object
	status := s.call(http.MethodPost, "/v1/sessions/"+session+"/refunds", record, &answer)
	fortest.Equal(t, status, http.StatusCreated, "recording the refund")

	s.awaitRow(t, session, "Paid refund")
	s.openOrder(t, session)
	s.admin.WaitText("#coinslot-refunds", reason)
	s.admin.WaitText("#coinslot-events", "checkout.refund")
	s.admin.WaitText(".coinslot-notes", "1.5 USDT was sent back.")
	s.picture(s.admin, "wordpress-order")
}

func (s *wordPressShop) signature(t *testing.T) {
	const other = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
	e := s.confirmed(t)
	forged := e.about("evt_forged", "checkout.confirmed", "cs_forged", 5, nil)
	before, now := s.orders(), time.Now()

	for name, refused := range map[string]int{
		"wrong key": s.wp.deliver(forged.ID, forged.body(t), other, now),
		"old":       s.wp.deliver(forged.ID, forged.body(t), hookKey, now.Add(-6*time.Minute)),
		"to come":   s.wp.deliver(forged.ID, forged.body(t), hookKey, now.Add(6*time.Minute)),
	} {
		fortest.Equal(t, refused, http.StatusUnauthorized, "%s", name)
	}
	fortest.Equal(t, s.orders(), before, "orders")

	s.admin.Goto(s.wp.site + "/wp-admin/edit.php?post_type=coinslot_order&page=coinslot-settings")
	s.admin.Type("#coinslot-webhook_secret", "whsec_"+other+",whsec_"+hookKey)
	s.admin.Click("#submit")
	s.admin.WaitText(".notice-success", "Settings saved")
	for key, id := range map[string]string{other: "evt_new_key", hookKey: "evt_old_key"} {
		e.ID = id
		status := s.wp.deliver(e.ID, e.body(t), key, time.Now())
		fortest.Equal(t, status, http.StatusOK, "while the secret is changed")
	}
}

func (s *wordPressShop) repeated(t *testing.T) {
	e := s.confirmed(t)
	before := s.orders()
	for range 2 {
		fortest.Equal(t, s.deliverNow(t, e), http.StatusOK, "the answer")
	}
	fortest.Equal(t, s.orders(), before, "orders")
	fortest.Equal(t, s.mailsOf(e.Data["id"].(string), "Paid:"), 1, "mails")

	// at the same time
	const session = "cs_atonce"
	same := e.about("evt_at_once", "checkout.confirmed", session, 5, nil)
	var deliveries sync.WaitGroup
	for range 4 {
		deliveries.Go(func() {
			if status := s.deliverNow(t, same); status != http.StatusOK {
				t.Errorf("the answer to one of several deliveries = %d", status)
			}
		})
	}
	deliveries.Wait()
	s.awaitRow(t, session, "Paid")
	fortest.Equal(t, s.mailsOf(session, "Paid:"), 1, "mails")
}

func (s *wordPressShop) outOfOrder(t *testing.T) {
	const session = "cs_outoforder"
	e := s.confirmed(t)
	open := map[string]any{"status": "pending", "missing_amount": "2"}
	for _, sent := range []sentEvent{
		e.about("evt_o7", "checkout.confirmed", session, 7, nil),
		e.about("evt_o5", "checkout.partial", session, 5, open),
		e.about("evt_o6", "checkout.review", session, 6, map[string]any{"status": "review"}),
	} {
		fortest.Equal(t, s.deliverNow(t, sent), http.StatusOK, "the answer")
	}
	s.awaitRow(t, session, "Paid")
	fortest.Equal(t, s.mailsOf(session, "Paid:"), 1, "mails that say paid")
	fortest.Equal(t, s.mailsOf(session, "needs review"), 0, "mails of an older review")
}

func (s *wordPressShop) downAndBack(t *testing.T) {
	f, session, tx := s.opens(t, s.coffee, "4.50")
	s.wp.stop()
	s.simulate(tx, sandbox.KindPay)
	f.Wait(paid)
	fortest.Until(t, "the webhook to fail", func() bool {
		return strings.Contains(s.log.String(), "webhook delivery failed")
	})
	s.wp.start()
	s.awaitRow(t, session, "Paid")
}

func (s *wordPressShop) killedInTheMiddle(t *testing.T) {
	f, session, tx := s.opens(t, s.coffee, "4.50")
	letGo := s.wp.holdMail()
	s.simulate(tx, sandbox.KindPay)
	f.Wait(paid)
	s.awaitRow(t, session, "Paid") // stored, and the mail is on its way
	s.wp.stop()
	letGo()
	fortest.Equal(t, s.mailsOf(session, "Paid:"), 0, "mails")
	s.wp.start()
	s.awaitMail(session, "Paid:")
	s.awaitRow(t, session, "Paid")
}

func (s *wordPressShop) playMoney(t *testing.T) {
	e := s.confirmed(t)
	play := map[string]any{"test": true}
	before := s.orders()
	sent := e.about("evt_play", "checkout.confirmed", "cs_playmoney", 7, play)
	fortest.Equal(t, s.deliverNow(t, sent), http.StatusOK, "the answer")
	fortest.Equal(t, s.orders(), before, "orders")

	s.admin.Goto(s.wp.site + "/wp-admin/edit.php?post_type=coinslot_order&page=coinslot-settings")
	s.admin.Click("#coinslot-accept_test")
	s.admin.Click("#submit")
	s.admin.WaitText(".notice-success", "Settings saved")
	fortest.Equal(t, s.deliverNow(t, sent), http.StatusOK, "the answer")
	s.awaitRow(t, "cs_playmoney", "Paid play money")
	fortest.Equal(t, s.mailsOf("cs_playmoney", "TEST"), 1, "mails")
	s.picture(s.admin, "wordpress-orders")
	s.admin.Resize(390, 900)
	s.picture(s.admin, "wordpress-orders-phone")
	s.admin.Resize(1280, 1400)
}

// An order leaves the trash when something happens to it, and none is stored twice.
func (s *wordPressShop) trash(t *testing.T) {
	e := s.confirmed(t)
	session := e.Data["id"].(string)
	s.admin.Click(`tr:has([title="` + session + `"]) .check-column input`)
	s.admin.Eval(`document.querySelector("#bulk-action-selector-top").value = "trash"`, nil)
	s.admin.Click("#doaction")
	s.admin.WaitText(".updated", "moved to the Trash")
	fortest.Equal(t, len(s.row(t, session)), 0, "the order's cells in the list")

	fortest.Equal(t, s.deliverNow(t, e), http.StatusOK, "the answer to what is known")
	fortest.Equal(t, len(s.row(t, session)), 0, "the order's cells in the list")

	more := map[string]any{"review_reason": "paid_after_confirmation"}
	later := e.about("evt_later", "checkout.review", session, 91, more)
	fortest.Equal(t, s.deliverNow(t, later), http.StatusOK, "the answer to what is new")
	s.awaitRow(t, session, "Paid look at it")
}

// The dialog opens by its button, and without scripts the button leads to the checkout's own page.
func (s *wordPressShop) dialog(t *testing.T) {
	page := s.wp.runPHP(`echo get_permalink( wp_insert_post( array( "post_type" => "page",
		"post_status" => "publish", "post_title" => "Dialog", "post_content" => '<!-- wp:coinslot/checkout
		{"item": "coffee", "mode": "modal", "label": "Buy coffee"} /-->' ) ) );`)
	p := chromium.Open(t, page, browser.Options{Height: 1000})
	p.WaitText("coinslot-checkout > a", "Buy coffee")
	p.Click("coinslot-checkout > a")
	p.Frame(frame).Wait(costs("4.50"))

	p = chromium.Open(t, page, browser.Options{Height: 1000, NoJS: true})
	p.Click("coinslot-checkout > a")
	p.Wait(costs("4.50"))
}

func (s *wordPressShop) uninstall(t *testing.T) {
	before := s.orders()
	remove := `require_once "wp-admin/includes/plugin.php";
		uninstall_plugin( "coinslot-wordpress/coinslot-wordpress.php" );
		echo get_option( "coinslot_settings", "gone" ),
			get_option( "coinslot_last_webhook", " gone" );`
	fortest.Equal(t, s.wp.runPHP(remove), "gone gone", "the options")
	fortest.Equal(t, s.orders(), before, "orders that stay")

	s.wp.runPHP(`update_option( "coinslot_settings", array( "delete_orders" => "1" ) );`)
	fortest.Equal(t, s.wp.runPHP(remove), "gone gone", "the options")
	fortest.Equal(t, s.orders(), "0", "orders that stay when asked to go")
}

// openOrder shows the page of an order.
func (s *wordPressShop) openOrder(t *testing.T, session string) {
	t.Helper()
	s.admin.Goto(s.wp.site + "/wp-admin/edit.php?post_type=coinslot_order")
	s.admin.Click(`a[title="` + session + `"]`)
	s.admin.WaitText("#coinslot-summary", session)
}

// mailsOf returns how many mails with a text in their subject are about a session.
func (s *wordPressShop) mailsOf(session, subject string) int {
	n := 0
	for _, mail := range s.wp.mails(subject) {
		if strings.Contains(mail, session) {
			n++
		}
	}
	return n
}

// awaitMail waits for the one mail about a session that has a text in its subject.
func (s *wordPressShop) awaitMail(session, subject string) {
	s.t.Helper()
	fortest.Until(s.t, "the mail "+subject+" of "+session, func() bool {
		return s.mailsOf(session, subject) > 0
	})
	fortest.Equal(s.t, s.mailsOf(session, subject), 1, "mails %s of %s", subject, session)
}

// picture writes a picture of the page, if the tests are asked for pictures.
func (s *wordPressShop) picture(p *browser.Page, name string) {
	if *screens != "" {
		p.Screenshot(filepath.Join(*screens, name+".png"))
	}
}

// noPHPErrors reads WordPress' own log for what comes from the plugin.
func (s *wordPressShop) noPHPErrors(t *testing.T) {
	t.Helper()
	text, err := os.ReadFile(s.wp.debugLog())
	fortest.OK(t, err)
	for line := range strings.Lines(string(text)) {
		if strings.Contains(line, "coinslot") || strings.Contains(line, "Fatal") {
			t.Errorf("WordPress' log has: %s", line)
		}
	}
}
