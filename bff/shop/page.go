package shop

import (
	"context"
	"net/http"
	"time"

	"coinslot/app/widget"
	"coinslot/app/wire"
	"coinslot/bff/checkout"
	"coinslot/bff/payment"
	"coinslot/bff/web"
)

// sessionPage is the page of a stored session.
func (s *server) sessionPage(
	ctx context.Context, session payment.Session, f embedOptions,
) widget.Page {
	p := s.blankPage(f, session.Order.Lang)
	show := s.viewContext(ctx, p.Lang)
	p.View = checkout.View(&session, show)
	p.Base = "/checkout/" + session.ID
	p.URL = s.PublicURL + p.Standalone().Link("")
	if !session.Status.Final() { // a link to a finished session must not tell whose it was
		p.Email = session.Order.Email
	}
	if a := session.Current(); a != nil {
		p.Chosen, p.ChosenNetwork = a.CurrencySymbol, a.CurrencySymbol+":"+a.NetworkCode
		if a.Email != "" && !session.Status.Final() {
			p.Email = a.Email
		}
	}
	s.explainEmpty(&p, show)
	return p
}

// language is the one that a session's page is in.
func (s *server) language(f embedOptions, session payment.Session) string {
	tag, _, _ := s.texts.match(f.lang, session.Order.Lang, f.accept)
	return tag
}

// blankPage is a page with everything but a view, in the language that the page's
// address asks for, else the order's, else the browser's.
func (s *server) blankPage(f embedOptions, order string) widget.Page {
	tag, dir, text := s.texts.match(f.lang, order, f.accept)
	theme := f.theme
	if theme == "" {
		theme = "auto"
	}
	return widget.Page{
		Text: text, Languages: s.texts.menu, Lang: tag, Dir: dir, Embed: f.embed, Origin: f.origin,
		Theme: theme,
		Carry: f.fields(), Exchange: f.from == "exchange", Simulate: s.Kinds,
		Shop: s.returnOrigin(f),
	}
}

// returnOrigin is the way back of a page whose order names none: the host page, if there
// is but one that it can be.
func (s *server) returnOrigin(f embedOptions) string {
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

// explainEmpty says why there is nothing to choose from, if so: the gateway lists
// nothing now, or nothing that the order allows.
func (s *server) explainEmpty(p *widget.Page, show checkout.ViewOptions) {
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
	say := s.texts.words(lang)
	message := say("problem." + string(code))
	if message == "" {
		message = say("problem." + string(wire.CodeInternal))
	}
	return &wire.Notice{Code: code, Message: message}
}

// currencyTimeout is how long a page waits for a currency list that is not there.
const currencyTimeout = 4 * time.Second

// viewContext is what a view needs besides the session. Without the gateway's
// currency list there is nothing to choose, and everything else still shows.
func (s *server) viewContext(ctx context.Context, lang string) checkout.ViewOptions {
	soon, cancel := context.WithTimeout(ctx, currencyTimeout)
	defer cancel()
	currencies, err := s.Checkout.Currencies(soon)
	if err != nil {
		s.Log.WarnContext(ctx, "showing a page without currencies", "error", err)
	}
	return checkout.ViewOptions{
		Now: s.Now(), Currencies: currencies, Translate: s.texts.words(lang), Icon: s.Assets.Icon,
		Tokens: s.Checkout.Tokens, Support: s.Support, Receipt: s.Checkout.Receipt,
	}
}

// nudge makes a session due now, unless its client has made too many due of late; it
// cannot fail a request. The poller looks often enough to find it, and thousands of
// pages that come back at once would else make it look as often.
func (s *server) nudge(r *http.Request, session payment.Session) {
	if !s.AllowNudge(r) {
		return
	}
	if err := s.Checkout.Nudge(r.Context(), session); err != nil {
		s.Log.WarnContext(r.Context(), "nudging a session", "session", session.ID, "error", err)
	}
}

// writePage sends a page. One whose host is not listed says so instead.
func (s *server) writePage(
	w http.ResponseWriter, r *http.Request, status int, p widget.Page, f embedOptions,
) error {
	if f.refused() {
		s.Log.WarnContext(
			r.Context(), "a host page is not listed in COINSLOT_ORIGINS", "origin", f.requested,
		)
		s.Refusals.Add(f.requested, p.View.Session)
	}
	s.SetKind(w, web.KindPage)
	if s.document.inlines(p) {
		s.SetKind(w, web.KindFramed)
	}
	return s.document.write(w, r, status, p)
}
