// Package console is the operator's console: pages under /admin for the people who handle
// the shop's payments. Package auth signs them in, by a password or by the header of a
// proxy; the pages show what the store knows, and let operators do what /v1 lets a
// merchant's server do. Every action is recorded with who did it.
//
// A page is one file with its template beside it: a method that takes a [request] and
// returns a [page], and a line in routes. What changes something is a method that records what
// is asked for, does it, records the result and redirects, and a line in routes too.
package console

import (
	"context"
	"html/template"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"coinslot/bff/alert"
	"coinslot/bff/attention"
	"coinslot/bff/checkout"
	"coinslot/bff/console/auth"
	"coinslot/bff/gatewaylist"
	"coinslot/bff/payment"
	"coinslot/bff/rates"
	"coinslot/bff/statement"
	"coinslot/bff/token"
	"coinslot/bff/web"
	"coinslot/bff/webhook"
)

// Config is what a console is made of, besides the server that it is part of.
type Config struct {
	Checkout *checkout.Service
	// Count returns how many sessions have that status. Errors: the database's.
	Count    func(ctx context.Context, status string) (int, error)
	Gateway  *gatewaylist.Reconciler // the gateway's records
	Exchange *rates.Exchange         // nil = prices are in dollars only
	Records  Records
	// Attention returns what needs attention at a time. Errors: the database's.
	Attention func(ctx context.Context, now time.Time) ([]attention.Condition, error)
	Events    webhook.Log
	// Rerouting is about webhooks to URLs that are not configured any more.
	Rerouting webhook.Rerouting
	Eraser    checkout.Eraser
	// Gone returns the endpoints to which nothing is sent any more; nil = not known.
	Gone   func() []string
	Alerts *alert.Service // nil = there are no alerts
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
	// Zone is where days begin and times are shown; nil = UTC.
	Zone       *time.Location
	Statements statement.Source
}

// console is Config with what is derived from it.
type console struct {
	Config
	site  *web.Server
	auth  *auth.Authenticator
	tally tally
	css   string // address of console.css
	// templates are the pages, by name.
	templates map[string]*template.Template
	Now       func() time.Time
	Log       *slog.Logger
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

	if c.Zone == nil {
		c.Zone = time.UTC
	}
	s := &console{
		Config:    c,
		site:      site,
		css:       site.Assets.URL("console.css"),
		templates: templates(c.Zone),
		Now:       site.Now,
		Log:       site.Log,
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
		c.post(redeliverPath, c.redeliver),
		c.post(reroutePath, c.reroute),
		c.show(replayPath, c.confirmReplay),
		c.post(replayPath, c.replay),
		c.show(testPath, c.confirmTest),
		c.post(testPath, c.test),

		c.show(transactionsPath, c.transactions),
		c.export(transactionsPath, c.exportTransactions),
		c.show(withdrawalsPath, c.withdrawals),
		c.export(withdrawalsPath, c.exportWithdrawals),
		c.show(reconciliationPath, c.reconciliation),
		c.post(reconciliationPath, c.startReconciliation),
		c.export(reconciliationPath, c.exportReconciliation),

		c.show(statementsPath, c.statement),
		c.show(statementsPath+"/{month}", c.statement),
		c.route("GET "+statementsPath+"/{month}/{file}", c.signedIn(c.statementFile)),

		c.show(ratesPath, c.rates),
		c.show(acceptRatePath, c.confirmAcceptRate),
		c.post(acceptRatePath, c.acceptRate),

		c.show(alertsPath, c.alerts),
		c.post(testAlertsPath, c.testAlerts),

		c.show(originsPath, c.origins),
		c.export(originsPath, c.exportOrigins),
		c.show(auditPath, c.audit),

		c.show("/admin/", func(*request) (page, error) { return page{}, errNoPage }),
		c.post("/admin/", func(*request) error { return errNoPage }),
	}
	for _, a := range actions() {
		path := paymentsPath + "/{session}/" + a.path
		routes = append(routes,
			c.show(path, func(r *request) (page, error) { return c.confirmAction(r, a) }),
			c.post(path, func(r *request) error { return c.doAction(r, a) }),
		)
	}

	return routes
}

// show is the route of a page.
func (c *console) show(path string, find func(*request) (page, error)) web.Route {
	return c.route("GET "+path, c.signedIn(func(r *request) error {
		p, err := find(r)
		if err != nil {
			return err
		}
		r.show(p)
		return nil
	}))
}

// post is the route of a form: one of another site, or not of this operator, never gets to h.
func (c *console) post(path string, h func(*request) error) web.Route {
	return c.route("POST "+path, c.auth.GuardForm(c.signedIn(h)))
}

// export is the route of the file of the list at path.
func (c *console) export(path string, list listExporter) web.Route {
	name := strings.TrimPrefix(path, "/admin/")
	return c.route("GET "+path+".csv", c.signedIn(func(r *request) error {
		return r.export(name, list)
	}))
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
func (c *console) logout(r *request) error {
	c.auth.Logout(r.w, r.r, r.Operator)
	return nil
}

// signedIn wraps what only an operator may do, and posts only from one of the operator's own forms.
// An error of h becomes a page.
func (c *console) signedIn(h func(*request) error) http.Handler {
	return c.auth.Require(func(w http.ResponseWriter, req *http.Request, o *auth.Operator) {
		r := &request{
			console:  c,
			Operator: o,
			w:        w,
			r:        req,
		}
		if req.Method == http.MethodPost && !o.OwnsForm(req) {
			r.show(r.failure(errForged))
			return
		}

		err := h(r)
		if err != nil {
			r.show(r.failure(err))
		}
	})
}

// recordLogin writes to the audit log who has signed in, signed out, or failed to.
func (c *console) recordLogin(r *http.Request, who, what string) {
	a := Action{By: payment.Console(who), From: c.site.Client(r), What: what}
	if err := c.Records.Record(r.Context(), a); err != nil {
		c.Log.Error("recording a login failed", "what", what, "error", err)
	}
}
