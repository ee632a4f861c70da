package shop

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"coinslot/app/widget"
	"coinslot/app/wire"
	"coinslot/bff/web"
)

// lastPageTimeout bounds the wait for the session behind an error page: if the database does not
// answer, the shopper has waited for it already.
const lastPageTimeout = 2 * time.Second

// errorPages shows errors to shoppers.
type errorPages struct {
	site     *web.Server
	pages    *pages
	sessions *sessions
	orders   *orders
}

// show shows an error, with the form that led here if the session can be loaded. A temporary error
// reloads automatically: shopper and host page may be waiting for a payment.
func (e *errorPages) show(w http.ResponseWriter, r *http.Request, problem wire.Error) {
	values := r.URL.Query()
	if r.PostForm != nil {
		values = r.PostForm
	}
	f := e.pages.hosts.read(r, values)

	var page widget.Page
	if problem.Code == wire.CodeRateLimited {
		page = e.empty(r, values, f) // which needs no database
	} else {
		page = e.last(r, values, f)
	}
	if !showsWrongField(page) {
		page.View.Notice = e.pages.notice(problem.Code, page.Lang)
	}

	after := w.Header().Get("Retry-After")
	if after != "" && r.Method == http.MethodGet {
		w.Header().Set("Refresh", after)
	}
	if err := e.pages.write(w, r, problem.Status, page, f); err != nil {
		e.site.Log.ErrorContext(r.Context(), "writing the error page failed", "error", err)
	}
}

// last is the page that a failed request came from, or an empty one.
func (e *errorPages) last(r *http.Request, values url.Values, f embedOptions) widget.Page {
	soon, cancel := context.WithTimeout(r.Context(), lastPageTimeout)
	defer cancel()

	id := r.PathValue("session")
	if id == "" {
		page, ok := e.orders.refused(r.WithContext(soon), values, f)
		if !ok {
			return e.empty(r, values, f)
		}
		return keepInput(page, values)
	}

	session, err := e.sessions.find(soon, id)
	if err != nil {
		return e.empty(r, values, f)
	}
	page := e.pages.ofSession(soon, session, f)
	page.Changing = values.Get("currency_symbol") != "" && session.Status == wire.Pending
	return keepInput(page, values)
}

// empty shows no order. Its links keep the requested one, which may only be unavailable now.
func (e *errorPages) empty(r *http.Request, values url.Values, f embedOptions) widget.Page {
	page := e.pages.blank(f, "")
	page.View = e.pages.blankView()
	page.Base = "/checkout"
	if r.URL.Path == page.Base {
		for _, name := range []string{"order", "item", "amount", "quantity"} {
			if value := values.Get(name); value != "" {
				page.Carry = append(page.Carry, widget.Field{Name: name, Value: value})
			}
		}
	}
	if id := r.PathValue("session"); web.IsSession(id) {
		page.Base += "/" + id
	}

	return page
}

// keepInput restores the shopper's coin and e-mail address.
func keepInput(page widget.Page, values url.Values) widget.Page {
	page = keepCoin(page, values)
	email := values.Get("email")
	if email != "" && len(email) <= 254 {
		page.Email = email
	}
	return page
}

// keepCoin restores the shopper's coin.
func keepCoin(page widget.Page, values url.Values) widget.Page {
	c := parseChoice(values)
	if c.CurrencySymbol != "" {
		page.Chosen = c.CurrencySymbol
		page.ChosenNetwork = c.NetworkCode
	}
	return page
}
