// Package console is the operator's console: pages under /admin for the people who handle
// the shop's payments. Package auth signs them in, by a password or by the header of a
// proxy; the pages show what the store knows, and let operators do what /v1 lets a
// merchant's server do. Every action is recorded with who did it.
//
// A page is one file with its template beside it: a method that takes a [request] and
// returns a [page], and a line in routes. What changes something is a method that returns
// where to go next, and a line in routes too.
package console

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"coinslot/bff/checkout"
	"coinslot/bff/console/auth"
	"coinslot/bff/gatewaylist"
	"coinslot/bff/payment"
	"coinslot/bff/token"
	"coinslot/bff/web"
	"coinslot/bff/webhook"
)

// Config is what a console is made of, besides the server that it is part of.
type Config struct {
	Checkout *checkout.Service
	// Count returns how many sessions have that status. Errors: the database's.
	Count   func(ctx context.Context, status string) (int, error)
	Gateway *gatewaylist.Reconciler // the gateway's records
	Records Records
	Damage  Damage // nil = not known
	Events  webhook.Log
	// Rerouting is about webhooks to URLs that are not configured any more.
	Rerouting webhook.Rerouting
	Eraser    checkout.Eraser
	// Gone returns the endpoints to which nothing is sent any more; nil = not known.
	Gone func() []string
	// AddOrigin and an origin are a line that allows another host page to frame the checkout;
	// empty = the setting.
	AddOrigin string
	// Deliver makes the webhook sender look for due deliveries now; nil = nothing does.
	Deliver func()
	// TestWebhooks sends a test message to every endpoint, a new one if key is ""; see
	// webhook.Sender.
	TestWebhooks func(ctx context.Context, key string) (webhook.TestResult, error)
	// Auth is who may sign in; Routes sets how it renders, records and keeps logins.
	Auth   auth.Config
	Test   bool // no real money moves
	Tokens *token.Registry
}

// console is Config with what is derived from it.
type console struct {
	Config
	site  *web.Server
	auth  *auth.Authenticator
	tally tally
	css   string // address of console.css
	Now   func() time.Time
	Log   *slog.Logger
}

// Routes returns the operator's pages, /admin and all below. There must be a way to sign in; see
// auth.Config.
func Routes(site *web.Server, c Config) []web.Route {
	if c.Deliver == nil {
		c.Deliver = func() {}
	}
	if c.Gone == nil {
		c.Gone = func() []string { return nil }
	}

	templates()
	s := &console{
		Config: c,
		site:   site,
		css:    site.Assets.URL("console.css"),
		Now:    site.Now,
		Log:    site.Log,
	}
	c.Auth.Render = s.writeSignIn
	c.Auth.Record = s.recordLogin
	c.Auth.Logins = c.Records
	s.auth = auth.New(site, c.Auth)
	return s.routes()
}

func (c *console) routes() []web.Route {
	login := c.auth.GuardForm(http.HandlerFunc(c.auth.Login))
	routes := []web.Route{
		c.route("GET /admin/login", http.HandlerFunc(c.auth.LoginPage)),
		c.route("POST /admin/login", login),
		c.post("/admin/logout", c.logout),

		c.show(overviewPath, c.overview),
		c.show(paymentsPath, c.payments),
		c.export(paymentsPath, c.exportPayments),
		c.show(paymentsPath+"/{session}", c.payment),

		c.show(webhooksPath, c.webhooks),
		c.export(webhooksPath, c.exportWebhooks),
		c.show(redeliverPath, c.confirmRedeliver),
		c.act(redeliverPath, c.redeliver),
		c.act(reroutePath, c.reroute),
		c.show(replayPath, c.confirmReplay),
		c.act(replayPath, c.replay),
		c.show(testPath, c.confirmTest),
		c.post(testPath, handlePage(c.test)), // a reload sends another, which does no harm

		c.show(transactionsPath, c.transactions),
		c.export(transactionsPath, c.exportTransactions),
		c.show(withdrawalsPath, c.withdrawals),
		c.export(withdrawalsPath, c.exportWithdrawals),
		c.show(reconciliationPath, c.reconciliation),
		c.act(reconciliationPath, c.startReconciliation),
		c.export(reconciliationPath, c.exportReconciliation),

		c.show(originsPath, c.origins),
		c.export(originsPath, c.exportOrigins),
		c.show(auditPath, c.audit),

		c.show("/admin/", func(*request) (page, error) { return page{}, errNoPage }),
		c.act("/admin/", func(*request) (string, string, error) { return "", "", errNoPage }),
	}
	for _, a := range actions() {
		path := paymentsPath + "/{session}/" + a.path
		routes = append(routes,
			c.show(path, c.confirmAction(a)),
			c.act(path, c.doAction(a)),
		)
	}

	return routes
}

// A showHandler returns a page. An actHandler makes a change and returns where to redirect,
// with a key of notices; "" = none. An exportHandler returns a list as a file.
type (
	showHandler   func(*request) (page, error)
	actHandler    func(*request) (to, done string, err error)
	exportHandler func(r *request, query url.Values) (exportFile, error)
)

// show is the route of a page.
func (c *console) show(path string, h showHandler) web.Route {
	return c.route("GET "+path, c.signedIn(handlePage(h)))
}

// act is the route of a change.
func (c *console) act(path string, h actHandler) web.Route { return c.post(path, handleAction(h)) }

// post is the route of a form.
func (c *console) post(path string, h func(*request)) web.Route {
	return c.route("POST "+path, c.auth.GuardForm(c.signedIn(requireToken(h))))
}

// export is the route of the file of the list at path.
func (c *console) export(path string, h exportHandler) web.Route {
	name := strings.TrimPrefix(path, "/admin/")
	return c.route("GET "+path+".csv", c.signedIn(handleExport(name, h)))
}

// route is a route of the console. Its answers are not compressed: they hold form tokens next to
// untrusted text (BREACH).
func (c *console) route(pattern string, h http.Handler) web.Route {
	limit := web.LimitReads
	if strings.HasPrefix(pattern, "POST ") {
		limit = web.LimitPosts
	}

	return web.Route{
		Pattern:      pattern,
		Kind:         web.KindConsole,
		Limit:        limit,
		Undocumented: true,
		Handle: func(w http.ResponseWriter, r *http.Request) error {
			c.site.SetKind(w, web.KindConsole)
			w.Header().Set("X-Robots-Tag", "noindex, nofollow")
			h.ServeHTTP(w, r)
			return nil
		},
	}
}

// logout is POST /admin/logout.
func (c *console) logout(r *request) { c.auth.Logout(r.w, r.r, r.Operator) }

// signedIn wraps what only an operator may do.
func (c *console) signedIn(next func(*request)) http.Handler {
	return c.auth.Require(func(w http.ResponseWriter, r *http.Request, o *auth.Operator) {
		next(&request{
			console:  c,
			Operator: o,
			w:        w,
			r:        r,
		})
	})
}

// requireToken refuses a post that is not of one of the operator's own forms.
func requireToken(next func(*request)) func(*request) {
	return func(r *request) {
		if !r.OwnsForm(r.r) {
			r.show(r.failure(errForged))
			return
		}
		next(r)
	}
}

func handlePage(h showHandler) func(*request) {
	return func(r *request) {
		p, err := h(r)
		if err != nil {
			p = r.failure(err)
		}
		r.show(p)
	}
}

// handleAction does what h does and redirects, so that a reload does nothing twice.
func handleAction(h actHandler) func(*request) {
	return func(r *request) {
		to, done, err := h(r)
		if err != nil {
			r.show(r.failure(err))
			return
		}
		to = linkWith(to, nil, "done", r.auth.SignNotice(r.Operator, to, done))
		http.Redirect(r.w, r.r, to, http.StatusSeeOther)
	}
}

// handleExport answers with the file that h returns, sent as it is read; one that breaks off
// has no end that a browser takes for one. Other sites cannot make the browser of an operator
// whom a proxy signs in export files: each is recorded, and may take pages of the gateway.
func handleExport(name string, h exportHandler) func(*request) {
	return func(r *request) {
		err := r.site.SameOrigin(r.r)
		if err != nil {
			r.show(r.failure(err))
			return
		}

		query := r.r.URL.Query()
		query.Del("done")
		file, err := h(r, query)
		if err == nil {
			err = r.record(name+".export", "", exportDetail(query))
		}
		if err != nil {
			r.show(r.failure(err))
			return
		}

		begun, err := file.send(r.w, name, r.Now)
		switch {
		case err != nil && begun:
			r.Log.Error("console export broke off", "request_id", r.id(), "error", err)
			panic(http.ErrAbortHandler)
		case err != nil:
			r.show(r.failure(err))
		}
	}
}

// exportDetail is what the audit log keeps of an export's filters. What was searched for may be an
// e-mail, and would outlast the erasure of its sessions: only that there was something is kept.
func exportDetail(q url.Values) string {
	kept := formWithout(q, "cursor")
	for name, values := range kept {
		if name == "q" || strings.Contains(values[0], "@") {
			kept.Set(name, "…")
		}
	}
	detail, err := url.QueryUnescape(kept.Encode())
	if err != nil {
		return ""
	}
	return detail
}

// recordLogin writes to the audit log who has signed in, signed out, or failed to.
func (c *console) recordLogin(r *http.Request, who, what string) {
	a := Action{By: payment.Console(who), From: c.site.Client(r), What: what}
	if err := c.Records.Record(r.Context(), a); err != nil {
		c.Log.Error("recording a login failed", "what", what, "error", err)
	}
}
