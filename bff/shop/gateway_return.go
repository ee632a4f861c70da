package shop

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"strconv"

	"coinslot/app/wire"
	"coinslot/bff/checkout"
	"coinslot/bff/payment"
	"coinslot/bff/web"
)

// gatewayRequests answers what the gateway's pages and hooks request. It is not trusted: a request is
// at most a hint to check a payment now.
type gatewayRequests struct {
	site      *web.Server
	checkout  *checkout.Service
	pages     *pages
	sessions  *sessions
	hookToken string // empty = no hook
	kick      func() // makes the poller check due sessions now
}

// returnShopper is GET /return, where the gateway's page sends the shopper: a tracking code and order
// number that belong together lead to the session's page and schedule a check; anything else leads
// to a neutral page. An unknown tracking code counts as a guess.
func (g *gatewayRequests) returnShopper(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	session, known := g.findReturning(r, q)
	if known && !g.sessions.isClosed(session) {
		if g.site.AllowNudge(r) {
			g.checkSoon(r.Context(), session)
		}
		g.site.Redirect(w, r, "/checkout/"+session.ID)
		return nil
	}
	if !known && hasOneCode(q) && q.Get("tracking_code") != "" {
		if err := g.site.CountGuess(w, r, nil); err != nil {
			return err
		}
	}

	page := g.pages.blank(g.pages.hosts.read(r, nil), "")
	page.Base = "/checkout"
	page.View = g.pages.blankView()
	page.View.Notice = &wire.Notice{Message: g.pages.texts.words(page.Lang)("return.neutral")}
	g.site.SetKind(w, web.KindAlone)
	return g.pages.document.write(w, r, http.StatusOK, page)
}

// findReturning returns the session whose tracking code and order number are in q.
func (g *gatewayRequests) findReturning(r *http.Request, q url.Values) (payment.Session, bool) {
	if !hasOneCode(q) {
		return payment.Session{}, false
	}
	code := q.Get("tracking_code")
	session, found := g.find(r, code)
	return session, found && matchesOrderID(session, code, q.Get("order_id"))
}

// hasOneCode reports whether q names one transaction: repeated parameters may contradict each other.
func hasOneCode(q url.Values) bool {
	return len(q["tracking_code"]) == 1 && len(q["order_id"]) <= 1
}

// matchesOrderID reports whether the attempt of that code has that order number.
func matchesOrderID(session payment.Session, code, number string) bool {
	for _, a := range session.Attempts {
		if a.TrackingCode == code {
			return number == strconv.Itoa(a.OrderID)
		}
	}
	return false
}

var plausibleCode = regexp.MustCompile(`^[A-Za-z0-9_-]{1,128}$`)

// find returns the session of a tracking code; it only logs errors.
func (g *gatewayRequests) find(r *http.Request, code string) (session payment.Session, ok bool) {
	if !plausibleCode.MatchString(code) {
		return payment.Session{}, false
	}
	session, err := g.checkout.FindByTrackingCode(r.Context(), code)
	if err != nil && !errors.Is(err, payment.ErrNotFound) {
		g.site.Log.WarnContext(r.Context(), "looking up a tracking code failed", "error", err)
	}
	return session, err == nil
}

// checkSoon schedules a check; it only logs errors.
func (g *gatewayRequests) checkSoon(ctx context.Context, session payment.Session) {
	if err := g.checkout.Hint(ctx, session); err != nil {
		g.site.Log.WarnContext(
			ctx, "scheduling a check failed", "session", session.ID, "error", err,
		)
	}
	g.kick()
}
