package e2e

import (
	"html"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"coinslot/bff/fortest"
)

// plain is a browser of the simplest kind: it reads HTML, follows links and
// sends forms. No scripts, no styles, no pictures, no cookies, no refresh.
type plain struct {
	t      *testing.T
	header http.Header // besides what every browser sends
	at     string
	status int
	body   string
	tags   []tag
}

// tag is one tag of a page, in order.
type tag struct {
	name    string // "/form" ends one
	attrs   map[string]string
	from    int // where it begins in the page
	through int // where it ends
}

var (
	tagPattern       = regexp.MustCompile(`<(/?[a-z][a-z0-9]*)((?:\s+[a-z][a-z-]*(?:="[^"]*")?)*)\s*>`)
	attributePattern = regexp.MustCompile(`([a-z][a-z-]*)(?:="([^"]*)")?`)
	inline           = regexp.MustCompile(`</?(a|b|button|code|em|i|img|input|label|mark|small|span|strong|time)\b[^>]*>`)
	wordless         = regexp.MustCompile(`(?s)<(script|style|option)\b.*?</(script|style|option)>|<[^>]*>`)
)

// plainly opens a page with a browser of that kind.
func plainly(t *testing.T, address string, header http.Header) *plain {
	t.Helper()
	p := &plain{t: t, header: header}
	p.open(address)
	return p
}

// lynx are the headers of a text browser: nothing says where a request comes from.
var lynx = http.Header{
	"User-Agent":      {"Lynx/2.9.0dev.12"},
	"Accept":          {"text/html, text/plain, */*;q=0.01"},
	"Accept-Language": {"en-US"},
}

func (p *plain) open(address string) {
	p.t.Helper()
	p.do(http.MethodGet, address, nil)
}

// reload opens the page again.
func (p *plain) reload() {
	p.t.Helper()
	p.open(p.at)
}

func (p *plain) do(method, address string, form url.Values) {
	p.t.Helper()
	req := fortest.Must(http.NewRequest(method, address, strings.NewReader(form.Encode())))(p.t)
	req.Header = p.header.Clone()
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	} else {
		req.Header.Del("Origin") // browsers send it with posts only
	}
	resp := fortest.Must((&http.Client{Timeout: 20 * time.Second}).Do(req))(p.t)
	defer resp.Body.Close()
	body := fortest.Must(io.ReadAll(resp.Body))(p.t)
	if len(resp.Cookies()) > 0 {
		p.t.Errorf("%s %s sets a cookie", method, address)
	}
	p.at, p.status, p.body = resp.Request.URL.String(), resp.StatusCode, string(body)
	p.read()
}

// read takes the page apart.
func (p *plain) read() {
	p.tags = nil
	for _, m := range tagPattern.FindAllStringSubmatchIndex(p.body, -1) {
		t := tag{name: p.body[m[2]:m[3]], attrs: map[string]string{}, from: m[0], through: m[1]}
		for _, a := range attributePattern.FindAllStringSubmatch(p.body[m[4]:m[5]], -1) {
			t.attrs[a[1]] = html.UnescapeString(a[2])
		}
		p.tags = append(p.tags, t)
	}
}

// text is what is read: everything but tags.
func (p *plain) text() string {
	return strings.Join(strings.Fields(html.UnescapeString(wordless.ReplaceAllString(p.body, " "))),
		" ")
}

// words are those of a text browser, which sets what is inside a line as it
// comes: without white space between them two parts become one word.
func (p *plain) words() []string {
	running := inline.ReplaceAllString(p.body, "")
	return strings.Fields(html.UnescapeString(wordless.ReplaceAllString(running, " ")))
}

// find returns where the first tag with that handle is, or -1.
func (p *plain) find(part string) int {
	return slices.IndexFunc(p.tags, func(t tag) bool { return t.attrs["data-part"] == part })
}

func (p *plain) has(part string) bool { return p.find(part) >= 0 }

// part returns the tag with a handle, which must be there.
func (p *plain) part(part string) tag {
	p.t.Helper()
	i := p.find(part)
	if i < 0 {
		p.t.Fatalf("%s has no part %q; it says %q", p.at, part, p.text())
	}
	return p.tags[i]
}

// state is the status that the page shows.
func (p *plain) state() string {
	for _, t := range p.tags {
		if s := t.attrs["data-status"]; s != "" {
			return s
		}
	}
	return ""
}

// absolute is a link of the page as an address.
func (p *plain) absolute(link string) string {
	p.t.Helper()
	base := fortest.Must(url.Parse(p.at))(p.t)
	return fortest.Must(base.Parse(link))(p.t).String()
}

// follow goes where a link leads.
func (p *plain) follow(part string) {
	p.t.Helper()
	p.open(p.absolute(p.part(part).attrs["href"]))
}

// submit sends the form that a button is in, as it is filled in, with some of
// its fields filled in otherwise.
func (p *plain) submit(part string, fill map[string]string) {
	p.t.Helper()
	p.part(part)
	at := p.find(part)
	from, to := at, at
	for from > 0 && p.tags[from].name != "form" {
		from--
	}
	for to < len(p.tags) && p.tags[to].name != "/form" {
		to++
	}
	form := p.tags[from]
	if form.name != "form" || to == len(p.tags) {
		p.t.Fatalf("%s: the button %q is in no form", p.at, part)
	}
	values := filled(p.tags[from:to])
	if button := p.tags[at].attrs; button["name"] != "" {
		values.Set(button["name"], button["value"])
	}
	for name, value := range fill {
		values.Set(name, value)
	}
	target := p.absolute(form.attrs["action"])
	if form.attrs["method"] == "post" {
		p.do(http.MethodPost, target, values)
		return
	}
	target, _, _ = strings.Cut(target, "?")
	p.open(target + "?" + values.Encode())
}

// filled are the fields of a form as the page fills them in.
func filled(tags []tag) url.Values {
	values, menu := url.Values{}, ""
	for _, t := range tags {
		_, checked := t.attrs["checked"]
		_, selected := t.attrs["selected"]
		switch {
		case t.name == "select":
			menu = t.attrs["name"]
		case t.name == "option" && (selected || !values.Has(menu)):
			values.Set(menu, t.attrs["value"])
		case t.name == "input" && t.attrs["type"] == "radio" && !checked:
		case t.name == "input" && t.attrs["name"] != "":
			values.Set(t.attrs["name"], t.attrs["value"])
		}
	}
	return values
}

// choices are the networks that can be chosen, as "symbol:code".
func (p *plain) choices() []string {
	var list []string
	for _, t := range p.tags {
		if _, disabled := t.attrs["disabled"]; t.attrs["data-part"] == "network" && !disabled {
			list = append(list, t.attrs["value"])
		}
	}
	return list
}

// pick chooses a coin and network and continues.
func (p *plain) pick(choice string) {
	p.t.Helper()
	symbol, _, _ := strings.Cut(choice, ":")
	p.submit("continue", map[string]string{"currency_symbol": symbol, "network_code": choice})
	p.until("pending")
}

// until reloads until the page shows a status.
func (p *plain) until(status string) {
	p.t.Helper()
	fortest.Until(p.t, "the status "+status, func() bool {
		if p.state() == status {
			return true
		}
		p.reload()
		return false
	})
}

// shows asserts that address and amount can be read off the text as the gateway wants them.
func (p *plain) shows(s *stack, choice string) {
	p.t.Helper()
	tx := s.issued()[len(s.issued())-1]
	fortest.Equal(p.t, tx.CurrencySymbol+":"+tx.NetworkCode, choice,
		"%s was chosen; the gateway got", choice)
	if got := p.part("address").attrs["data-value"]; got != tx.WalletAddress {
		p.t.Errorf("%s: address %q; the gateway issued %q", choice, got, tx.WalletAddress)
	}
	amount := p.part("pay-amount").attrs["data-value"]
	if !roundsUp(amount, tx.PayAmount.String()) {
		p.t.Errorf("%s: amount %q; the gateway asks for %s", choice, amount, tx.PayAmount)
	}
	fortest.Has(p.t, choice+": address or amount cannot be read", strings.Join(p.words(), ""),
		tx.WalletAddress, amount)
}

// assertStandsAlone: without styles nothing sticks to the value of a part, so that a double click
// marks it, and no two parts become one word.
func (p *plain) assertStandsAlone(part string) {
	p.t.Helper()
	words, value := p.words(), p.part(part).attrs["data-value"]
	for _, word := range words {
		more, found := strings.CutPrefix(word, value)
		if found && more != "" && strings.ToUpper(more[:1]) != strings.ToLower(more[:1]) {
			p.t.Errorf("%s reads %q; want %q", part, word, value)
		}
	}
	if !slices.Contains(words, value) {
		p.t.Errorf("%s %q is no word of its own", part, value)
	}
}

// Every coin on every network is paid with links and forms alone.
func TestPlainPaysWithEveryCoin(t *testing.T) {
	s := newStack(t)
	first := plainly(t, s.base+"/checkout/"+s.session(order{"amount_usd": "251.25"}), lynx)
	choices := first.choices()
	if len(choices) < 8 {
		t.Fatalf("only %d choices: %v", len(choices), choices)
	}
	for _, choice := range choices {
		id := s.session(order{"amount_usd": "251.25"})
		p := plainly(t, s.base+"/checkout/"+id, lynx)
		p.pick(choice)
		p.shows(s, choice)
		p.assertStandsAlone("address")
		p.assertStandsAlone("pay-amount")
		s.simulate(s.issued()[len(s.issued())-1], "pay")
		p.until("confirmed")
		p.follow("receipt")
		if !strings.Contains(p.text(), "$251.25") || p.status != http.StatusOK {
			t.Errorf("%s: receipt %d: %s", choice, p.status, p.text())
		}
	}
}

// The whole way with all its turns: another coin, cancel, again, a part of the
// money, the rest, the receipt.
func TestPlainChangesCancelsAndRetries(t *testing.T) {
	s := newStack(t)
	id := s.session(order{"amount_usd": "25.00"})
	p := plainly(t, s.base+"/checkout/"+id+"?from=exchange&qr=uri&open=device", lynx)
	p.submit("continue", nil) // nothing is chosen
	if !p.has("error") ||
		p.status != http.StatusBadRequest && p.status != http.StatusUnprocessableEntity {
		t.Errorf("nothing chosen: %d %s", p.status, p.text())
	}
	p.pick("USDT:trc20")
	p.shows(s, "USDT:trc20")
	p.follow("change")
	fortest.Has(t, "the page that should say what becomes of the old address", p.text(),
		"If you continue, your USDT payment on TRON (TRC20) is canceled")
	p.pick("GRAM:ton")
	p.shows(s, "GRAM:ton")
	if live := s.live(); len(live) != 1 || live[0].CurrencySymbol != "GRAM" {
		t.Errorf("%d transactions can be paid; want only the second", len(live))
	}
	p.submit("cancel", nil)
	p.until("cancelled")
	p.submit("recheck", nil)
	p.until("cancelled")
	p.submit("retry", nil)
	p.until("pending")
	p.shows(s, "GRAM:ton")
	tx := s.issued()[len(s.issued())-1]
	s.simulate(tx, "parts")
	fortest.Until(t, "the rest on the page", func() bool { p.reload(); return p.has("missing") })
	s.simulate(tx, "parts")
	p.until("confirmed")
	p.follow("receipt")
	if p.status != http.StatusOK || !strings.Contains(p.text(), "$25.00") {
		t.Errorf("receipt: %d %s", p.status, p.text())
	}
	fortest.Equal(t, len(s.live()), 0, "transactions can still be paid")
}

// The menu changes the language, and what was chosen stays on every way.
func TestFullPlainLanguage(t *testing.T) {
	s := newStack(t)
	p := plainly(t, s.base+"/checkout/"+s.session(order{"amount_usd": "25.00"}), lynx)
	fortest.Equal(t, strings.Count(p.body, "<option "), 1, "the first page lists languages")
	p.submit("language-set", nil) // to the same page with all
	if n := strings.Count(p.body, "<option "); n < 40 {
		t.Errorf("the menu has %d languages; want at least 40", n)
	}
	p.submit("language-set", map[string]string{"lang": "de"})
	german := func(where string) {
		t.Helper()
		fortest.Has(t, where+" is not in German: "+p.text(), p.body, `<html lang="de" dir="ltr"`)
	}
	german("choosing")
	p.submit("continue", nil)
	german("an error")
	mistake := sentences(t)["de"]["problem.network_required"]
	if !strings.Contains(p.text(), mistake) {
		t.Errorf("the error is not %q: %s", mistake, p.text())
	}
	p.pick("USDT:trc20")
	german("paying")
	p.follow("change")
	german("changing")
	p.open(p.absolute("?lang=de"))
	s.simulate(s.issued()[0], "pay")
	p.until("confirmed")
	german("the end")
	p.follow("receipt")
	german("the receipt")
	p.submit("language-set", map[string]string{"lang": "fr"})
	if !strings.Contains(p.body, `<html lang="fr"`) || !strings.Contains(p.at, "/receipt") {
		t.Errorf("the receipt's menu leads to %s", p.at)
	}
}
