package alert

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"coinslot/bff/attention"
	"coinslot/bff/currency"
	"coinslot/bff/locale"
	"coinslot/bff/payment"
	"coinslot/bff/webhook"

	"github.com/shopspring/decimal"
)

// database is the condition that the database does not answer. It cannot be found there.
const database attention.Kind = "database"

// text is what is said about a kind of alarm.
type text struct {
	kind  attention.Kind
	begun string // a headline; "%d" is how many, and there is one for one
	many  string // likewise for several; empty = there is never more than one
	todo  string // what to do
	path  string // of the console's page
	ended string // what is said of one that is over; "%s" is its line
}

// texts are of the kinds that alerts report, the gravest first.
var texts = []text{
	{
		kind:  database,
		begun: "The database does not answer",
		todo: "Shoppers cannot open or complete a checkout. Start the database, or free its " +
			"disk; the server log has its error.",
		path:  "",
		ended: "The database answers again",
	},
	{
		kind:  attention.Unreadable,
		begun: "1 stored row cannot be read",
		many:  "%d stored rows cannot be read",
		todo: "They are set aside: these payments are not checked, or these webhooks not sent. " +
			"The runbook says how to repair them.",
		path:  "",
		ended: "Readable again: %s",
	},
	{
		kind:  attention.Disk,
		begun: "The disk is nearly full",
		todo: "Less than 1 GiB is left for the database. When it is full, no payment can be " +
			"opened or confirmed. Make room.",
		path:  "",
		ended: "The disk has room again",
	},
	{
		kind:  attention.Review,
		begun: "A payment needs review",
		many:  "%d payments need review",
		todo:  "Reported as paid, but not proven: do not ship. Resolve it as paid or as unpaid.",
		path:  "/payments?status=review",
		ended: "No longer in review: %s",
	},
	{
		kind:  attention.TakenBack,
		begun: "The gateway took back a confirmation",
		many:  "The gateway took back %d confirmations",
		todo: "The order counts as paid, and its money may not be there. Look the transaction up " +
			"on the blockchain before you ship, then mark it as settled.",
		path:  "",
		ended: "Settled, or confirmed again: %s",
	},
	{
		kind:  attention.Gateway,
		begun: "The gateway does not answer",
		todo: "No new payment can be opened. Requests are retried, and open payments are checked " +
			"as soon as it answers. The server log has its answers.",
		path:  "",
		ended: "The gateway answers again",
	},
	{
		kind:  attention.Certificate,
		begun: "The certificate is not renewed",
		todo:  "Browsers refuse the checkout once it has run out. The server log says what failed.",
		path:  "",
		ended: "The certificate is valid and up to date again",
	},
	{
		kind:  attention.Unrouted,
		begun: "Webhooks wait for a URL that is not configured",
		many:  "Webhooks wait for %d URLs that are not configured",
		todo: "They are not sent. Add the URL to COINSLOT_WEBHOOK_URL again, or send them to the " +
			"configured URL.",
		path:  "/webhooks",
		ended: "No webhooks wait any more for %s",
	},
	{
		kind:  attention.Gone,
		begun: "A webhook endpoint is disabled",
		many:  "%d webhook endpoints are disabled",
		todo: "It answered 410, so nothing is sent to it until the server restarts. Fix it, or " +
			"remove it from COINSLOT_WEBHOOK_URL.",
		path:  "/webhooks",
		ended: "No longer disabled: %s",
	},
	{
		kind:  attention.Abandoned,
		begun: "Webhooks were given up",
		many:  "Webhooks to %d endpoints were given up",
		todo: "Your server did not accept them for 30 days, or answered 410. Look up these " +
			"orders, then resend the webhooks.",
		path:  "/webhooks?state=abandoned",
		ended: "No webhooks are given up any more: %s",
	},
	{
		kind:  attention.Waiting,
		begun: "Your server does not accept webhooks",
		many:  "%d of your endpoints do not accept webhooks",
		todo: "It has been so for an hour: your shop may not know which orders are paid. They " +
			"are retried for 30 days.",
		path:  "/webhooks?state=retrying",
		ended: "Webhooks are accepted again: %s",
	},
	{
		kind:  attention.Overpaid,
		begun: "An order is overpaid",
		many:  "%d orders are overpaid",
		todo: "The order is paid. Refund the excess, or agree on something with the shopper, " +
			"then record the refund or mark it as settled.",
		path:  "",
		ended: "Settled, or taken back: %s",
	},
	{
		kind:  attention.EndedMoney,
		begun: "Money arrived for a payment that has ended",
		many:  "Money arrived for %d payments that have ended",
		todo: "It was too late, too little, or the order was canceled. Refund it, or agree on " +
			"something with the shopper, then record the refund or mark it as settled.",
		path:  "",
		ended: "Settled, paid in full, or taken back: %s",
	},
	{
		kind:  attention.Rates,
		begun: "Exchange rates cannot be used or read",
		todo:  "Orders in currencies without a valid rate are refused. Orders in dollars are not.",
		path:  "/rates",
		ended: "Exchange rates are read and valid again",
	},
	{
		kind:  attention.HeldRates,
		begun: "An exchange rate is held",
		many:  "%d exchange rates are held",
		todo: "The new rate is more than a tenth away from the one in use. Compare it with a " +
			"second source, then accept it.",
		path:  "/rates",
		ended: "No longer held: %s",
	},
}

// textOf has them by kind.
var textOf = func() map[attention.Kind]text {
	all := map[attention.Kind]text{}
	for _, t := range texts {
		all[t.kind] = t
	}
	return all
}()

// rank orders kinds, the gravest first.
func rank(kind attention.Kind) int {
	return slices.IndexFunc(texts, func(t text) bool { return t.kind == kind })
}

// describe says which condition it is, in a line; empty = its kind says all.
func describe(c attention.Condition) string {
	switch {
	case c.Endpoint != "":
		return webhook.HostOf(c.Endpoint)
	case c.Kind == attention.Certificate:
		return c.Error // our own words
	}
	return ""
}

// describeItem is a line about one item. It has no data of shoppers, and no id of a session, with
// which anyone could open its checkout.
func describeItem(kind attention.Kind, item attention.Item) string {
	switch kind {
	case attention.Unreadable:
		return "a stored " + item.Row
	case attention.HeldRates:
		return fmt.Sprintf("%s, %s %%", item.ID, item.Rate.Change())
	}

	line := describeOrder(item.Session.Order)
	if item.Amount != "" {
		line += ": " + formatSum(item.Amount) + " " + item.Coin
	}
	if kind == attention.Overpaid {
		line += " too much"
	}
	return cleaned(line)
}

// formatSum is exact decimal text with two decimals at least.
func formatSum(digits string) string {
	sum, err := decimal.NewFromString(digits)
	if err != nil || sum.Exponent() < -2 {
		return digits
	}
	return sum.StringFixed(2)
}

// describeOrder names an order and its price.
func describeOrder(o payment.Order) string {
	_, code := o.Price()
	name := "an order without a reference"
	if o.Ref != "" {
		name = "order " + o.Ref
	}
	return name + ", " + locale.FormatPrice("en", code, o.PriceText())
}

// maxLine bounds a line, in characters.
const maxLine = 200

// cleaned returns text on one line, without what moves other text.
func cleaned(line string) string {
	line = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(line, "?"))
	runes := []rune(line)
	if len(runes) > maxLine {
		return string(runes[:maxLine]) + "…"
	}
	return line
}

// writer writes messages of a shop.
type writer struct {
	origin string // of the checkout
	zone   *time.Location
}

// console returns the address of a page of the console.
func (w writer) console(path string) string { return w.origin + "/admin" + path }

// host names the checkout in titles.
func (w writer) host() string { return webhook.HostOf(w.origin) }

// maxNamed is how many alarms of a kind are named one by one.
const maxNamed = 10

// write returns the message of a report.
func (w writer) write(r report) Message {
	m := Message{Link: w.console(""), Urgent: len(r.begun) > 0, Title: w.host() + ": " + r.title()}
	var parts []string
	for _, t := range texts {
		begun := ofKind(r.begun, t.kind)
		if len(begun) == 0 {
			continue
		}
		lines := append([]string{t.headline(len(begun)) + "."}, w.named(begun)...)
		parts = append(parts, strings.Join(append(lines, t.todo, w.console(t.path)), "\n"))
		if len(r.begun) == len(begun) && len(r.ended) == 0 {
			m.Link = w.console(t.path)
		}
	}
	if len(r.ended) > 0 {
		parts = append(parts, "Over:\n"+strings.Join(w.over(r.ended), "\n"))
	}
	if m.Link == w.console("") && len(parts) > 1 {
		parts = append(parts, "All that needs attention: "+m.Link)
	}
	m.Text = w.shortened(strings.Join(parts, "\n\n"))
	return m
}

// maxText bounds a text, in bytes: ntfy makes a file of more than 4,096.
const maxText = 3_800

// shortened returns text without the lines that are too many.
func (w writer) shortened(text string) string {
	if len(text) <= maxText {
		return text
	}
	end := strings.LastIndex(text[:maxText], "\n")
	return text[:max(0, end)] + "\n… and more: " + w.console("")
}

// title says what is new, or else what is over.
func (r report) title() string {
	kinds := map[attention.Kind]bool{}
	for _, a := range r.begun {
		kinds[a.Kind] = true
	}
	switch {
	case len(kinds) == 1:
		return textOf[r.begun[0].Kind].headline(len(r.begun))
	case len(kinds) > 1:
		return fmt.Sprintf("%d things need attention", len(r.begun))
	case len(r.ended) == 1:
		return r.ended[0].over()
	}
	return fmt.Sprintf("%d things are over", len(r.ended))
}

func (t text) headline(n int) string {
	if n == 1 || t.many == "" {
		return t.begun
	}
	return fmt.Sprintf(t.many, n)
}

func ofKind(list []Alarm, kind attention.Kind) (some []Alarm) {
	for _, a := range list {
		if a.Kind == kind {
			some = append(some, a)
		}
	}
	return some
}

// named returns a line for each alarm that has one.
func (w writer) named(list []Alarm) (lines []string) {
	for _, a := range list[:min(len(list), maxNamed)] {
		if a.Line != "" {
			lines = append(lines, "- "+a.Line)
		}
	}
	return append(lines, andMore(len(list)-maxNamed)...)
}

func andMore(n int) []string {
	if n <= 0 {
		return nil
	}
	return []string{fmt.Sprintf("- and %d more", n)}
}

// over returns a line for each alarm that has ended.
func (w writer) over(list []Alarm) (lines []string) {
	for _, a := range list[:min(len(list), maxNamed)] {
		lines = append(lines, "- "+a.over()+". It began on "+w.moment(a.Since)+".")
	}
	return append(lines, andMore(len(list)-maxNamed)...)
}

// over says that an alarm has ended.
func (a Alarm) over() string {
	ended := textOf[a.Said].ended
	if strings.Contains(ended, "%s") {
		return fmt.Sprintf(ended, a.Line)
	}
	return ended
}

// moment is a time in the shop's time zone.
func (w writer) moment(t time.Time) string { return t.In(w.zone).Format("2 Jan 15:04 MST") }

// Orders are those that were opened in a day.
type Orders struct {
	Opened, Paid int
	PaidUSD      decimal.Decimal // what the paid ones were charged
}

// summarize returns the daily message about the day that begins at day.
func (w writer) summarize(day time.Time, o Orders, found []attention.Condition) Message {
	date := day.In(w.zone).Format("Monday, 2 January 2006")
	dollars := locale.FormatPrice("en", currency.USD, o.PaidUSD.StringFixed(2))
	lines := []string{
		date + " (" + w.zone.String() + "):",
		fmt.Sprintf("%s opened, %d of them paid: %s in all.",
			count(o.Opened, "order"), o.Paid, dollars),
		"",
	}

	needs := needLines(found)
	if len(needs) == 0 {
		lines = append(lines, "Nothing needs attention.")
	} else {
		lines = append(append(lines, "Needs attention:"), needs...)
	}
	return Message{
		Title: fmt.Sprintf("%s: %s paid, %s", w.host(), count(o.Paid, "order"), dollars),
		Text:  strings.Join(append(lines, w.console("")), "\n"),
		Link:  w.console(""),
	}
}

func needLines(found []attention.Condition) (lines []string) {
	for _, c := range found {
		t, isReported := textOf[c.Kind]
		if !isReported {
			continue
		}
		line := t.headline(max(1, len(c.Items)))
		if c.Endpoint != "" {
			line = t.begun + ": " + describe(c)
		}
		lines = append(lines, "- "+line)
	}
	return lines
}

func count(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// test is the message that tries the targets.
func (w writer) test() Message {
	return Message{
		Title: w.host() + ": test of alerts",
		Text: "This is a test. Alerts of your checkout arrive here.\n\n" +
			"Coinslot writes when something needs attention, and when it is over.\n" +
			w.console(""),
		Link: w.console(""),
	}
}
