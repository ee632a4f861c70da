// Package admin is the operator's console: pages under /admin for whoever looks
// after the shop's payments. It signs people in, by a password or by the word of
// a proxy, shows what the store knows, and lets them do what /v1 lets a
// merchant's server do; every act is written down with who did it.
//
// Pages are drawn with package page. One that is added is a method that takes a
// [visit] and returns a page.Page, and a line in routes; what changes something
// is a method that returns where to go next, and a line in routes too.
package admin

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"coinslot/bff/admin/door"
	"coinslot/bff/admin/page"
	"coinslot/bff/checkout"
	"coinslot/bff/outbox"
	"coinslot/bff/payment"
	"coinslot/bff/reconcile"
	"coinslot/bff/records"
	"coinslot/bff/retention"
	"coinslot/bff/token"
)

// Config is what a console is made of.
type Config struct {
	Checkout *checkout.Service
	// Count returns how many sessions have that status. Errors: the database's.
	Count   func(ctx context.Context, status string) (int, error)
	Gateway *reconcile.Service // the gateway's records
	Records records.Records
	Events  outbox.Log
	// Rerouting is about webhooks to URLs that are not configured any more.
	Rerouting outbox.Rerouting
	Eraser    retention.Eraser
	// Gone returns the endpoints to which nothing is sent any more; nil = not known.
	Gone func() []string
	// Origins are the host pages that may frame the checkout.
	Origins []string
	// Deliver makes the webhook sender look for due deliveries now.
	Deliver func()
	// TestWebhooks sends a message that tells of no payment to every endpoint, a new
	// one if key is ""; see webhook.Sender.
	TestWebhooks func(ctx context.Context, key string) (outbox.Tested, error)
	// Door is who may come in; New fills in how it writes pages and notes, and keeps logins.
	Door   door.Config
	CSS    string // address of console.css
	Test   bool   // no real money moves
	Tokens *token.Registry
	Now    func() time.Time // nil = time.Now
	Log    *slog.Logger     // nil = silent
}

// console is Config with what is derived from it.
type console struct {
	Config
	door    *door.Door
	figures figures
}

// New returns the handler of /admin and all below. Somebody has to be able to
// come in; see door.Config.
func New(c Config) http.Handler {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Deliver == nil {
		c.Deliver = func() {}
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	s := &console{Config: c}
	c.Door.Write, c.Door.Note, c.Door.Logins, c.Door.Now, c.Door.Log = s.write, s.note, c.Records, c.Now, c.Log
	s.door = door.New(c.Door)
	return s.routes()
}

// reader answers with a page; actor does something and says where to go next and
// what has happened, a key of notices, "" for nothing.
type (
	reader func(*visit) (page.Page, error)
	actor  func(*visit) (to, done string, err error)
)

// routes is every route there is.
func (s *console) routes() http.Handler {
	mux := http.NewServeMux()
	show := func(path string, h reader) { mux.Handle("GET "+path, s.signedIn(s.shown(h))) }
	act := func(path string, h actor) {
		mux.Handle(
			"POST "+path, s.door.Guard(s.signedIn(s.acted(h))),
		)
	}

	mux.HandleFunc("GET /admin/login", s.door.Step)
	mux.Handle("POST /admin/login", s.door.Guard(http.HandlerFunc(s.door.Login)))
	mux.Handle("POST /admin/logout", s.door.Guard(s.signedIn(s.logout)))

	show("/admin", s.overview)
	show("/admin/payments", s.payments)
	show("/admin/payments/{session}", s.payment)
	for _, d := range deeds() {
		show("/admin/payments/{session}/"+d.path, s.asks(d))
		act("/admin/payments/{session}/"+d.path, s.does(d))
	}
	act(redeliverPath, s.redeliver)
	act(reroutePath, s.reroute)
	show("/admin/audit", s.audit)
	show(transactionsPath, s.transactions)
	show(withdrawalsPath, s.withdrawals)
	show(reconciliationPath, s.reconciliation)
	act(reconciliationPath, s.compare)
	show(originsPath, s.originsPage)
	show(webhooksPath, s.webhooks)
	show(replayPath, s.asksReplay)
	act(replayPath, s.replay)
	show(testPath, s.asksTest)
	mux.Handle("POST "+testPath, s.door.Guard(s.signedIn(s.answered(s.test))))
	for path, h := range map[string]func(*visit, url.Values) (sheet, error){
		paymentsPath: s.paymentsFile, transactionsPath: s.transactionsFile,
		withdrawalsPath: s.withdrawalsFile, reconciliationPath: s.reconciliationFile,
		originsPath: s.originsFile, webhooksPath: s.webhooksFile,
	} {
		mux.Handle("GET "+path+".csv", s.saved(strings.TrimPrefix(path, "/admin/"), h))
	}
	act("/admin/", s.nothingDone)
	show("/admin/", s.nothing)
	return mux
}

// signedIn wraps what only who is signed in may do.
func (s *console) signedIn(next visited) http.Handler {
	return s.door.Open(func(w http.ResponseWriter, r *http.Request, who *door.Visitor) {
		next(&visit{console: s, Visitor: who, w: w, r: r})
	})
}

// logout is POST /admin/logout.
func (s *console) logout(v *visit) {
	if err := v.proven(); err != nil {
		v.show(v.trouble(err))
		return
	}
	s.door.Logout(v.w, v.r, v.Visitor)
}

// note writes down who has come, gone, or tried to.
func (s *console) note(r *http.Request, who, what string) {
	a := records.Action{By: payment.Console(who), From: s.Door.Within.Address(r), What: what}
	if err := s.Records.Record(r.Context(), a); err != nil {
		s.Log.Error("writing down a login", "what", what, "error", err)
	}
}

// shown writes the page that h returns.
func (s *console) shown(h reader) visited {
	return func(v *visit) {
		p, err := h(v)
		if err != nil {
			p = v.trouble(err)
		}
		v.show(p)
	}
}

// acted does what h does and leads on: a reload does nothing twice.
func (s *console) acted(h actor) visited {
	return func(v *visit) {
		if err := v.proven(); err != nil {
			v.show(v.trouble(err))
			return
		}
		to, done, err := h(v)
		if err != nil {
			v.show(v.trouble(err))
			return
		}
		v.lead(page.With(to, nil, "done", v.door.Notice(v.Visitor, to, done)))
	}
}

// answered does what h does and writes the page that it returns: there is nothing
// that a page to come could show, and a reload does no harm.
func (s *console) answered(h reader) visited {
	return func(v *visit) {
		if err := v.proven(); err != nil {
			v.show(v.trouble(err))
			return
		}
		s.shown(h)(v)
	}
}

// write answers with a whole document.
func (s *console) write(w http.ResponseWriter, f page.Frame) {
	f.CSS, f.Test = s.CSS, s.Test
	var out bytes.Buffer
	page.Write(&out, f)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if f.Status != 0 {
		w.WriteHeader(f.Status)
	}
	w.Write(out.Bytes()) // a client that has gone is not our error
}

func (s *console) nothing(*visit) (page.Page, error) { return page.Page{}, errNowhere }

func (s *console) nothingDone(*visit) (to, done string, err error) { return "", "", errNowhere }
