package web

import (
	"context"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"coinslot/app/widget"
	"coinslot/app/wire"
	"coinslot/bff/checkout"
	"coinslot/bff/payment"
)

// showSession is GET /checkout/{session}: the page, complete without WebAssembly
// and without JavaScript. Opening it makes the next check sooner.
func (s *server) showSession(w http.ResponseWriter, r *http.Request) error {
	session, err := s.shopperSession(r.Context(), r.PathValue("session"))
	if err != nil {
		return err
	}
	s.nudge(r, session)
	f := s.framedOf(r, r.URL.Query())
	p := s.sessionPage(r.Context(), session, f)
	p.Changing = r.URL.Query().Get("change") == "1" && session.Status != wire.Confirmed
	return s.write(w, r, http.StatusOK, asked(p, r.URL.Query()), f)
}

// shopperSession returns the session of that id for a shopper, who cannot open a
// finished one for longer than COINSLOT_PAGES_FOR. Errors: *wire.Error with
// CodeSessionUnknown; the store's.
func (s *server) shopperSession(ctx context.Context, id string) (payment.Session, error) {
	session, err := s.Checkout.Session(ctx, id)
	if err == nil && s.closed(session) {
		err = refuse(wire.CodeSessionUnknown, "")
	}
	if err != nil {
		return payment.Session{}, stored(err)
	}
	return session, nil
}

// closed reports whether shoppers cannot open the session any more.
func (s *server) closed(session payment.Session) bool {
	return session.Tombstone() || session.FinishedFor(s.PagesFor, s.Now())
}

// mayAct refuses a shopper's post to a session that they cannot open any more. The
// extra read is made only where that can happen.
func (s *server) mayAct(ctx context.Context, id string) error {
	if s.PagesFor <= 0 {
		return nil
	}
	_, err := s.shopperSession(ctx, id)
	return err
}

// pastedLimit is how many characters of a pasted address are taken.
const pastedLimit = 200

// asked sets what a shopper without WebAssembly asks of the pay screen by links
// and a form: what the QR code holds, which part is open, and what an address is
// to be compared with. The first two stay for as long as nothing else is asked.
func asked(p widget.Page, q url.Values) widget.Page {
	p.LinkQR = q.Get("qr") == "uri"
	if p.LinkQR {
		p.Carry = append(p.Carry, widget.Field{Name: "qr", Value: "uri"})
	}
	if p.Opened = oneOf(q.Get("open"), "check", "device"); p.Opened != "" {
		p.Carry = append(p.Carry, widget.Field{Name: "open", Value: p.Opened})
	}
	pasted := []rune(strings.ToValidUTF8(strings.TrimSpace(q.Get("check")), "\ufffd"))
	p.Pasted = string(pasted[:min(len(pasted), pastedLimit)])
	return p
}

// storedRef returns the session of an order whose reference is stored already.
func (s *server) storedRef(ctx context.Context, o payment.Order) (string, bool) {
	if o.Ref == "" {
		return "", false
	}
	page, err := s.Sessions.List(ctx, payment.Filter{OrderRef: o.Ref, Limit: 1})
	if err != nil || len(page.Sessions) == 0 || page.Sessions[0].Digest != o.Complete().Digest() {
		return "", false
	}
	return page.Sessions[0].ID, true
}

// sessionPage is the page of a stored session.
func (s *server) sessionPage(ctx context.Context, session payment.Session, f framed) widget.Page {
	p := s.blank(f, session.Order.Lang)
	show := s.showing(ctx, p.Lang)
	p.View = checkout.View(&session, show)
	p.Base = "/checkout/" + session.ID
	p.URL = s.PublicURL + p.Bare().Link("")
	if !session.Finished() { // a link to a finished session must not tell whose it was
		p.Email = session.Order.Email
	}
	if a := session.Current(); a != nil {
		p.Chosen, p.ChosenNetwork = a.CurrencySymbol, a.CurrencySymbol+":"+a.NetworkCode
		if a.Email != "" && !session.Finished() {
			p.Email = a.Email
		}
	}
	s.explain(&p, show)
	return p
}

// language is the one that a session's page is in.
func (s *server) language(f framed, session payment.Session) string {
	tag, _, _ := s.words.in(f.lang, session.Order.Lang, f.accept)
	return tag
}

// blank is a page with everything but a view, in the language that the page's
// address asks for, else the order's, else the browser's.
func (s *server) blank(f framed, order string) widget.Page {
	tag, dir, text := s.words.in(f.lang, order, f.accept)
	theme := f.theme
	if theme == "" {
		theme = "auto"
	}
	return widget.Page{
		Text: text, Languages: s.words.menu, Lang: tag, Dir: dir, Embed: f.embed, Origin: f.origin,
		Theme: theme,
		Carry: f.carry(), Exchange: f.from == "exchange", Simulate: s.Kinds, Shop: s.shop(f),
	}
}

// shop is the way back of a page whose order names none: the host page, if there
// is but one that it can be.
func (s *server) shop(f framed) string {
	if f.origin == "" && len(s.Origins) == 1 {
		return s.Origins[0]
	}
	return f.origin
}

// blankView is the view of no order.
func (s *server) blankView() wire.View {
	return wire.View{
		Status: wire.Open, Actions: []wire.Action{}, Currencies: []wire.Currency{},
		CheckedMsAgo: -1, Support: s.Support,
	}
}

// explain says why there is nothing to choose from, if so: the gateway lists
// nothing now, or nothing that the order allows.
func (s *server) explain(p *widget.Page, show checkout.Showing) {
	if p.View.Status != wire.Open || len(p.View.Currencies) > 0 || p.View.Notice != nil {
		return
	}
	code := wire.CodeGatewayUnavailable
	if len(show.Currencies) > 0 {
		code = wire.CodeNetworkUnsupported
	}
	p.View.Notice = s.notice(code, p.Lang)
}

// notice is the sentence for shoppers of a code.
func (s *server) notice(code wire.Code, lang string) *wire.Notice {
	say := s.words.saying(lang)
	message := say("problem." + string(code))
	if message == "" {
		message = say("problem." + string(wire.CodeInternal))
	}
	return &wire.Notice{Code: code, Message: message}
}

// listPatience is how long a page waits for a currency list that is not there.
const listPatience = 4 * time.Second

// showing is what a view needs besides the session. Without the gateway's
// currency list there is nothing to choose, and everything else still shows.
func (s *server) showing(ctx context.Context, lang string) checkout.Showing {
	soon, cancel := context.WithTimeout(ctx, listPatience)
	defer cancel()
	currencies, err := s.Checkout.Currencies(soon)
	if err != nil {
		s.Log.WarnContext(ctx, "showing a page without currencies", "error", err)
	}
	return checkout.Showing{
		Now: s.Now(), Currencies: currencies, Words: s.words.saying(lang), Icon: s.assets.icon,
		Tokens: s.Checkout.Tokens, Support: s.Support, Receipt: s.Checkout.Receipt,
	}
}

// nudge makes a session due now, unless its client has made too many due of late; it
// cannot fail a request. The poller looks often enough to find it, and thousands of
// pages that come back at once would else make it look as often.
func (s *server) nudge(r *http.Request, session payment.Session) {
	if !s.hastens(r) {
		return
	}
	if err := s.Checkout.Nudge(r.Context(), session); err != nil {
		s.Log.WarnContext(r.Context(), "nudging a session", "session", session.ID, "error", err)
	}
}

// write sends a page. One whose host is not listed says so instead.
func (s *server) write(
	w http.ResponseWriter, r *http.Request, status int, p widget.Page, f framed,
) error {
	if f.refused() {
		s.Log.WarnContext(
			r.Context(), "a host page is not listed in COINSLOT_ORIGINS", "origin", f.wanted,
		)
		s.Refusals.Note(f.wanted, p.View.Session)
	}
	s.as(w, kindPage)
	if s.document.inlines(p) {
		s.as(w, kindFramed)
	}
	return s.document.write(w, r, status, p)
}

// page wraps a handler whose errors a shopper may read.
func (s *server) page(h handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		noteSession(r)
		err := h(w, r)
		switch {
		case err == nil:
		case wantsJSON(r):
			s.problem(w, r, err)
		default:
			s.errorPage(w, r, err)
		}
	})
}

// errorPage says in words what is wrong; the form that led here, if any, is
// shown again where the session can be loaded. A page that is refused for now
// comes back by itself, with scripts and without: the shopper may be waiting for
// a payment, and the host page for word of it.
func (s *server) errorPage(w http.ResponseWriter, r *http.Request, err error) {
	e := s.log(r, err)
	values := r.URL.Query()
	if r.PostForm != nil {
		values = r.PostForm
	}
	f := s.framedOf(r, values)
	last := s.lastPage
	if e.Code == wire.CodeRateLimited {
		last = s.emptyPage // which costs no look into the database
	}
	p := last(r, values, f)
	if !besides(p) {
		p.View.Notice = s.notice(e.Code, p.Lang)
	}
	if later(w.Header(), e.Status) && r.Method == http.MethodGet {
		w.Header().Set("Refresh", againAfter)
	}
	if err := s.write(w, r, e.Status, p, f); err != nil {
		s.Log.ErrorContext(r.Context(), "writing an error page", "error", err)
	}
}

// lastPage is the page that a refused request came from, or an empty one.
func (s *server) lastPage(r *http.Request, values url.Values, f framed) widget.Page {
	if id := r.PathValue("session"); id != "" {
		if session, err := s.shopperSession(r.Context(), id); err == nil {
			p := s.sessionPage(r.Context(), session, f)
			p.Changing = values.Get("currency_symbol") != "" && session.Status == wire.Pending
			return chosen(p, values)
		}
	} else if p, ok := s.lastOffer(r, values, f); ok {
		return chosen(p, values)
	}
	return s.emptyPage(r, values, f)
}

// emptyPage is a page that shows no order. Its links still name the one that was
// asked for: it may be there, only not now.
func (s *server) emptyPage(r *http.Request, values url.Values, f framed) widget.Page {
	p := s.blank(f, "")
	p.Base = "/checkout"
	if r.URL.Path == p.Base {
		for _, name := range []string{"order", "item", "amount", "quantity"} {
			if value := values.Get(name); value != "" {
				p.Carry = append(p.Carry, widget.Field{Name: name, Value: value})
			}
		}
	}
	if id := r.PathValue("session"); sessionID.MatchString(id) {
		p.Base += "/" + id
	}
	p.View = s.blankView()
	return p
}

// sessionID is what a session's id looks like.
var sessionID = regexp.MustCompile(`^cs_[a-z2-7]{26}$`)

// chosen keeps in p what the shopper had picked and typed.
func chosen(p widget.Page, values url.Values) widget.Page {
	p = picked(p, values)
	if email := values.Get("email"); email != "" && len(email) <= 254 {
		p.Email = email
	}
	return p
}

// picked keeps in p the coin that the shopper had picked.
func picked(p widget.Page, values url.Values) widget.Page {
	if symbol := values.Get("currency_symbol"); symbol != "" {
		p.Chosen, p.ChosenNetwork = symbol, values.Get("network_code")
	}
	return p
}
