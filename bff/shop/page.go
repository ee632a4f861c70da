package shop

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"coinslot/app/widget"
	"coinslot/app/wire"
	"coinslot/bff/check"
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
	if !session.Status.Final() { // a link to a finished session must not reveal the shopper
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

func (s *server) language(f embedOptions, session payment.Session) string {
	tag, _, _ := s.texts.match(f.lang, session.Order.Lang, f.accept)
	return tag
}

// blankPage is a page without a view, in the language of the URL, else the order's, else the
// browser's.
func (s *server) blankPage(f embedOptions, order string) widget.Page {
	tag, dir, text := s.texts.match(f.lang, order, f.accept)
	return widget.Page{
		Text: text, Languages: s.texts.menu, Lang: tag, Dir: dir, Embed: f.embed, Origin: f.origin,
		Theme: cmp.Or(f.theme, "auto"), AllLanguages: f.languages,
		Carry: f.fields(), Simulate: s.Kinds,
		Shop: s.returnOrigin(f), Logo: s.Logo.URL(),
	}
}

// returnOrigin is where a page without return URLs leads back to: the host page, or the only
// configured origin.
func (s *server) returnOrigin(f embedOptions) string {
	if f.origin == "" && len(s.Origins) == 1 {
		return s.Origins[0]
	}
	return f.origin
}

// blankView is a view without an order.
func (s *server) blankView() wire.View {
	return wire.View{
		Status: wire.Open, Actions: []wire.Action{}, Currencies: []wire.Currency{},
		CheckedMsAgo: -1, Support: s.Support,
	}
}

// explainEmpty adds a notice if there is nothing to choose: the gateway lists no coins now, or none
// that the order allows.
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

// notice is the shopper's text for a code.
func (s *server) notice(code wire.Code, lang string) *wire.Notice {
	words := s.texts.words(lang)
	message := cmp.Or(words("problem."+string(code)), words("problem."+string(wire.CodeInternal)))
	return &wire.Notice{Code: code, Message: message}
}

// currencyTimeout is how long a page waits for the currency list.
const currencyTimeout = 4 * time.Second

// viewContext is what a view needs besides the session. Without the currency list, only the choice
// of coins is missing.
func (s *server) viewContext(ctx context.Context, lang string) checkout.ViewOptions {
	soon, cancel := context.WithTimeout(ctx, currencyTimeout)
	defer cancel()
	currencies, err := s.Checkout.Currencies(soon)
	if err != nil {
		s.Log.WarnContext(ctx, "currency list unavailable: page shown without coins", "error", err)
	}
	return checkout.ViewOptions{
		Now: s.Now(), Currencies: currencies, Translate: s.texts.words(lang), Icon: s.Assets.Icon,
		Tokens: s.Checkout.Tokens, ShopName: s.ShopName, Support: s.Support, Receipt: s.Checkout.Receipt,
	}
}

// nudge schedules an immediate check, unless the client has scheduled too many; it only logs
// errors. It does not kick the poller: thousands of pages may come back at once.
func (s *server) nudge(r *http.Request, session payment.Session) {
	if !s.AllowNudge(r) {
		return
	}
	if err := s.Checkout.Nudge(r.Context(), session); err != nil {
		s.Log.WarnContext(
			r.Context(), "scheduling a check failed", "session", session.ID, "error", err,
		)
	}
}

// writePage sends a page; it records an unlisted host.
func (s *server) writePage(
	w http.ResponseWriter, r *http.Request, status int, p widget.Page, f embedOptions,
) error {
	if f.refused() {
		s.Log.WarnContext(r.Context(), "host page is not allowed", "origin", f.requested,
			"fix", check.AllowOrigin(s.AddOrigin, check.Unnamed, f.requested))
		s.Refusals.Add(f.requested, p.View.Session)
	}
	s.SetKind(w, web.KindPage)
	if s.document.inlines(p) {
		s.SetKind(w, web.KindFramed)
	}
	return s.document.write(w, r, status, p)
}
