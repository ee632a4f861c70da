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

// pages makes the checkout's pages and writes them.
type pages struct {
	site      *web.Server
	checkout  *checkout.Service
	texts     *translations
	document  *document
	hosts     hosts
	refusals  *Refusals // nil = unlisted hosts are not counted
	addOrigin string
	logo      *web.Asset // nil = none
	shopName  string
	support   string
	kinds     []string // of simulated payments; nil = real money
}

// ofSession is the page of a stored session.
func (p *pages) ofSession(
	ctx context.Context, session payment.Session, f embedOptions,
) widget.Page {
	page := p.blank(f, session.Order.Lang)
	options := p.viewOptions(ctx, page.Lang)
	page.View = checkout.View(&session, options)
	page.Base = "/checkout/" + session.ID
	page.URL = p.site.PublicURL + page.Standalone().Link("")

	// A link to a finished session must not reveal the shopper.
	reveals := !session.Status.Final()
	if reveals {
		page.Email = session.Order.Email
	}
	if a := session.Current(); a != nil {
		page.Chosen = a.CurrencySymbol
		page.ChosenNetwork = a.CurrencySymbol + ":" + a.NetworkCode
		if reveals && a.Email != "" {
			page.Email = a.Email
		}
	}

	p.explainEmpty(&page, options)
	return page
}

// blank is a page without a view, in the language of the URL, else the order's, else the browser's.
func (p *pages) blank(f embedOptions, order string) widget.Page {
	tag, dir, text := p.texts.match(f.lang, order, f.accept)
	return widget.Page{
		Text:         text,
		Languages:    p.texts.menu,
		Lang:         tag,
		Dir:          dir,
		Phone:        f.phone,
		Embed:        f.embed,
		Origin:       f.origin,
		Theme:        cmp.Or(f.theme, "auto"),
		AllLanguages: f.languages,
		Carry:        f.fields(),
		Simulate:     p.kinds,
		Shop:         p.hosts.returnTo(f),
		Logo:         p.logo.URL(),
	}
}

// blankView is a view without an order.
func (p *pages) blankView() wire.View {
	return wire.View{
		Status:       wire.Open,
		Actions:      []wire.Action{},
		Currencies:   []wire.Currency{},
		CheckedMsAgo: -1,
		Support:      p.support,
	}
}

// explainEmpty adds a notice if there is nothing to choose: the gateway lists no coins now, or none
// that the order allows.
func (p *pages) explainEmpty(page *widget.Page, options checkout.ViewOptions) {
	if page.View.Status != wire.Open || len(page.View.Currencies) > 0 || page.View.Notice != nil {
		return
	}
	code := wire.CodeGatewayUnavailable
	if len(options.Currencies) > 0 {
		code = wire.CodeNetworkUnsupported
	}
	page.View.Notice = p.notice(code, page.Lang)
}

// notice is the shopper's text for a code.
func (p *pages) notice(code wire.Code, lang string) *wire.Notice {
	words := p.texts.words(lang)
	message := cmp.Or(words("problem."+string(code)), words("problem."+string(wire.CodeInternal)))
	return &wire.Notice{Code: code, Message: message}
}

// currencyTimeout is how long a page waits for the currency list.
const currencyTimeout = 4 * time.Second

// viewOptions is what a view needs besides the session. Without the currency list, only the choice
// of coins is missing.
func (p *pages) viewOptions(ctx context.Context, lang string) checkout.ViewOptions {
	soon, cancel := context.WithTimeout(ctx, currencyTimeout)
	defer cancel()

	currencies, err := p.checkout.Currencies(soon)
	if err != nil {
		p.site.Log.WarnContext(
			ctx, "currency list unavailable: page shown without coins", "error", err,
		)
	}

	return checkout.ViewOptions{
		Now:        p.site.Now(),
		Currencies: currencies,
		Translate:  p.texts.words(lang),
		Lang:       lang,
		Icon:       p.site.Assets.Icon,
		Tokens:     p.checkout.Tokens,
		Wallets:    p.checkout.Wallets,
		Page:       p.checkout.Page,
		ShopName:   p.shopName,
		Support:    p.support,
		Receipt:    p.checkout.Receipt,
	}
}

// write sends a page; it records an unlisted host.
func (p *pages) write(
	w http.ResponseWriter, r *http.Request, status int, page widget.Page, f embedOptions,
) error {
	if f.refused() {
		p.site.Log.WarnContext(r.Context(), "host page is not allowed", "origin", f.requested,
			"fix", check.AllowLine(p.addOrigin, check.Unnamed, f.requested))
		p.refusals.Add(f.requested, page.View.Session)
	}

	p.site.SetKind(w, web.KindPage)
	if p.document.inlines(page) {
		p.site.SetKind(w, web.KindFramed)
	}
	return p.document.write(w, r, status, page)
}

// answerPost answers a post that has changed a session. Programs get the view; forms are redirected
// to the page, so that a reload does not repeat it.
func (p *pages) answerPost(
	w http.ResponseWriter, r *http.Request, session payment.Session,
) error {
	if session.Tombstone() {
		return web.Refuse(wire.CodeSessionUnknown, "")
	}
	if web.WantsJSON(r) || r.PostForm == nil {
		return p.answerView(w, r, session)
	}
	p.site.Redirect(w, r, "/checkout/"+session.ID+p.hosts.parse(r.PostForm).query())
	return nil
}

// answerView answers with the view of a session, for programs.
func (p *pages) answerView(
	w http.ResponseWriter, r *http.Request, session payment.Session,
) error {
	page := p.ofSession(r.Context(), session, p.hosts.read(r, r.URL.Query()))
	return web.Respond(w, http.StatusOK, page.View)
}
