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

// errorPage shows an error, with the form that led here if the session can be loaded. A temporary
// error reloads automatically: shopper and host page may be waiting for a payment.
func (s *server) errorPage(w http.ResponseWriter, r *http.Request, e wire.Error) {
	values := r.URL.Query()
	if r.PostForm != nil {
		values = r.PostForm
	}
	f := s.readEmbed(r, values)
	last := s.lastPage
	if e.Code == wire.CodeRateLimited {
		last = s.emptyPage // which needs no database
	}
	soon, cancel := context.WithTimeout(r.Context(), lastPageTimeout)
	defer cancel()
	p := last(r.WithContext(soon), values, f)
	if !showsWrongField(p) {
		p.View.Notice = s.notice(e.Code, p.Lang)
	}
	if after := w.Header().Get("Retry-After"); after != "" && r.Method == http.MethodGet {
		w.Header().Set("Refresh", after)
	}
	if err := s.writePage(w, r, e.Status, p, f); err != nil {
		s.Log.ErrorContext(r.Context(), "writing the error page failed", "error", err)
	}
}

// lastPage is the page that a failed request came from, or an empty one.
func (s *server) lastPage(r *http.Request, values url.Values, f embedOptions) widget.Page {
	if id := r.PathValue("session"); id != "" {
		if session, err := s.shopperSession(r.Context(), id); err == nil {
			p := s.sessionPage(r.Context(), session, f)
			p.Changing = values.Get("currency_symbol") != "" && session.Status == wire.Pending
			return keepInput(p, values)
		}
	} else if p, ok := s.refusedOffer(r, values, f); ok {
		return keepInput(p, values)
	}
	return s.emptyPage(r, values, f)
}

// emptyPage shows no order. Its links keep the requested one, which may only be unavailable now.
func (s *server) emptyPage(r *http.Request, values url.Values, f embedOptions) widget.Page {
	p := s.blankPage(f, "")
	p.Base = "/checkout"
	if r.URL.Path == p.Base {
		for _, name := range []string{"order", "item", "amount", "quantity"} {
			if value := values.Get(name); value != "" {
				p.Carry = append(p.Carry, widget.Field{Name: name, Value: value})
			}
		}
	}
	if id := r.PathValue("session"); web.IsSession(id) {
		p.Base += "/" + id
	}
	p.View = s.blankView()
	return p
}

// keepInput restores the shopper's coin and e-mail address.
func keepInput(p widget.Page, values url.Values) widget.Page {
	p = keepCoin(p, values)
	if email := values.Get("email"); email != "" && len(email) <= 254 {
		p.Email = email
	}
	return p
}

// keepCoin restores the shopper's coin.
func keepCoin(p widget.Page, values url.Values) widget.Page {
	if c := parseChoice(values); c.CurrencySymbol != "" {
		p.Chosen, p.ChosenNetwork = c.CurrencySymbol, c.NetworkCode
	}
	return p
}
