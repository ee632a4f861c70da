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
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/checkout"
	"coinslot/bff/console/auth"
	"coinslot/bff/gatewaylist"
	"coinslot/bff/payment"
	"coinslot/bff/token"
	"coinslot/bff/webhook"
)

// Config is what a console is made of.
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
	// Origins are the host pages that may frame the checkout. AddOrigin and an origin are a line
	// that allows another; empty = the setting.
	Origins   []string
	AddOrigin string
	// Deliver makes the webhook sender look for due deliveries now; nil = nothing does.
	Deliver func()
	// TestWebhooks sends a test message to every endpoint, a new one if key is ""; see
	// webhook.Sender.
	TestWebhooks func(ctx context.Context, key string) (webhook.TestResult, error)
	// Auth is who may sign in; New sets how it renders, records and keeps logins.
	Auth   auth.Config
	CSS    string // address of console.css
	Test   bool   // no real money moves
	Tokens *token.Registry
	Now    func() time.Time // nil = time.Now
	Log    *slog.Logger     // nil = silent
}

// console is Config with what is derived from it.
type console struct {
	Config
	auth  *auth.Authenticator
	tally tally
}

// New returns the handler of /admin and all below. There must be a way to
// sign in; see auth.Config.
func New(c Config) http.Handler {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Deliver == nil {
		c.Deliver = func() {}
	}
	if c.Gone == nil {
		c.Gone = func() []string { return nil }
	}
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	templates()
	s := &console{Config: c}
	c.Auth.Render, c.Auth.Record, c.Auth.Logins = s.writeSignIn, s.recordLogin, c.Records
	c.Auth.Now, c.Auth.Log = c.Now, c.Log
	s.auth = auth.New(c.Auth)
	return s.routes()
}

// A showHandler returns a page. An actHandler makes a change and returns where to redirect,
// with a key of notices; "" = none.
type (
	showHandler func(*request) (page, error)
	actHandler  func(*request) (to, done string, err error)
)

func (c *console) routes() http.Handler {
	mux := http.NewServeMux()
	show := func(path string, h showHandler) { mux.Handle("GET "+path, c.signedIn(handlePage(h))) }
	post := func(path string, h func(*request)) {
		mux.Handle("POST "+path, c.auth.GuardForm(c.signedIn(requireToken(h))))
	}
	act := func(path string, h actHandler) { post(path, handleAction(h)) }

	mux.HandleFunc("GET /admin/login", c.auth.LoginPage)
	mux.Handle("POST /admin/login", c.auth.GuardForm(http.HandlerFunc(c.auth.Login)))
	post("/admin/logout", func(r *request) { c.auth.Logout(r.w, r.r, r.Operator) })

	show(overviewPath, c.overview)
	show(paymentsPath, c.payments)
	show(paymentsPath+"/{session}", c.payment)
	for _, a := range actions() {
		show(paymentsPath+"/{session}/"+a.path, c.confirmAction(a))
		act(paymentsPath+"/{session}/"+a.path, c.doAction(a))
	}
	show(webhooksPath, c.webhooks)
	show(redeliverPath, c.confirmRedeliver)
	act(redeliverPath, c.redeliver)
	act(reroutePath, c.reroute)
	show(replayPath, c.confirmReplay)
	act(replayPath, c.replay)
	show(testPath, c.confirmTest)
	post(testPath, handlePage(c.test)) // a reload sends another, which does no harm
	show(transactionsPath, c.transactions)
	show(withdrawalsPath, c.withdrawals)
	show(reconciliationPath, c.reconciliation)
	act(reconciliationPath, c.startReconciliation)
	show(originsPath, c.origins)
	show(auditPath, c.audit)
	for path, h := range map[string]func(*request, url.Values) (exportFile, error){
		paymentsPath: c.exportPayments, transactionsPath: c.exportTransactions,
		withdrawalsPath: c.exportWithdrawals, reconciliationPath: c.exportReconciliation,
		originsPath: c.exportOrigins, webhooksPath: c.exportWebhooks,
	} {
		mux.Handle("GET "+path+".csv", c.handleExport(strings.TrimPrefix(path, "/admin/"), h))
	}
	show("/admin/", func(*request) (page, error) { return page{}, errNoPage })
	act("/admin/", func(*request) (string, string, error) { return "", "", errNoPage })
	return mux
}

// signedIn wraps what only an operator may do.
func (c *console) signedIn(next func(*request)) http.Handler {
	return c.auth.Require(func(w http.ResponseWriter, r *http.Request, o *auth.Operator) {
		next(&request{console: c, Operator: o, w: w, r: r})
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
func (c *console) handleExport(
	name string, h func(r *request, q url.Values) (exportFile, error),
) http.Handler {
	return c.signedIn(func(r *request) {
		q := r.r.URL.Query()
		q.Del("done")
		if site := r.r.Header.Get("Sec-Fetch-Site"); site == "cross-site" || site == "same-site" {
			r.show(r.failure(&wire.Error{Code: wire.CodeForbidden}))
			return
		}
		file, err := h(r, q)
		if err == nil {
			err = r.record(name+".export", "", exportDetail(q))
		}
		if err != nil {
			r.show(r.failure(err))
			return
		}
		switch begun, err := file.send(r.w, name, r.Now); {
		case err != nil && begun:
			r.Log.Error("console export broke off", "request_id", r.id(), "error", err)
			panic(http.ErrAbortHandler)
		case err != nil:
			r.show(r.failure(err))
		}
	})
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
	a := Action{By: payment.Console(who), From: c.Auth.Server.Address(r), What: what}
	if err := c.Records.Record(r.Context(), a); err != nil {
		c.Log.Error("recording a login failed", "what", what, "error", err)
	}
}
