// Package server puts the parts together: store, gateway client, domain,
// poller, webhook sender and HTTP. It is what the coinslot command runs, and
// what a merchant with a Go server of their own can mount: [New] makes a
// [Server], which is an [http.Handler], [Server.Run] watches payments, and
// [Server.Close] ends it. See the example and docs/library.md.
package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/checkout"
	"coinslot/bff/config"
	"coinslot/bff/gateway"
	"coinslot/bff/limiter"
	"coinslot/bff/order"
	"coinslot/bff/payment"
	"coinslot/bff/poller"
	"coinslot/bff/realtime"
	"coinslot/bff/receipt"
	"coinslot/bff/reconcile"
	"coinslot/bff/retention"
	"coinslot/bff/shop"
	"coinslot/bff/store"
	"coinslot/bff/token"
	"coinslot/bff/web"
	"coinslot/bff/webhook"
	"coinslot/static"

	"golang.org/x/sync/errgroup"
)

// Options are what settings do not say.
type Options struct {
	// Static replaces the embedded assets and texts; nil = embedded.
	Static fs.FS
	// Simulate pretends a payment at a sandbox gateway, of one of Kinds; sessions are
	// tests then, as they are with COINSLOT_SANDBOX. Nil = it cannot be paid from the page.
	Simulate func(ctx context.Context, trackingCode, kind string) error
	Kinds    []string
	// Schedule replaces the pace at which payments are looked at; zero = the
	// default, with the poll interval of the settings.
	Schedule payment.Schedule
	// Limits bound what one client may do; zero = the defaults.
	Limits web.Limits
	// Hub bounds the sockets of a session and of the process; zero = the defaults.
	Hub realtime.HubConfig
	// Version of the program, for metrics and traces; "" = what the Go command has
	// recorded, which a build without the repository lacks.
	Version string
	Log     *slog.Logger // nil = silent

	transport http.RoundTripper // carries the requests to the gateway; nil = the client's own
}

// test reports whether no real money moves.
func (o Options) test(c config.Config) bool { return c.Sandbox || o.Simulate != nil }

// Server is a checkout, ready to serve and to run.
type Server struct {
	// Handler answers shoppers and merchants; it belongs at the root of PublicURL.
	Handler http.Handler
	// Ops answers /healthz, /readyz and /metrics; keep it private.
	Ops http.Handler

	observer
	leaving    atomic.Bool // /readyz fails
	limiter    *limiter.Limiter
	gateway    *gateway.Client
	checkout   *checkout.Service
	records    *reconcile.Service
	poller     *poller.Poller
	listPoller *poller.ListPoller
	sender     *webhook.Sender
	hub        *realtime.Hub
	store      *store.DB
	refusals   *shop.Refusals
	erasing    *retention.Service
	unpaid     shop.Unpaid
	routes     []web.Route
	fanout     *fanout // nil = this is the only instance
}

// New opens the database and makes every part; nothing polls or delivers
// before Run. The caller closes the server. c comes from config.Load, which
// checks it. Errors: a setting that does not serve, a database that cannot be
// opened.
func New(ctx context.Context, c config.Config, o Options) (*Server, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Static == nil {
		o.Static = static.Files
	}
	if o.Version == "" {
		o.Version = buildVersion()
	}
	catalog, err := order.LoadCatalog(c.Catalog)
	if err != nil {
		return nil, fmt.Errorf("COINSLOT_CATALOG: %w", err)
	}
	tokens, err := token.Load(c.Tokens)
	if err != nil {
		return nil, fmt.Errorf("COINSLOT_TOKENS: %w", err)
	}
	if c.Sandbox {
		o.Log.Warn(
			"COINSLOT_SANDBOX is true: no payment is real, and whoever opens a checkout can pay " +
				"it with nothing",
		)
	}
	s := &Server{hub: realtime.NewHub(o.Hub)}
	s.observer = s.observe(c, o, tokens)
	o.Log = s.countLines(o.Log)
	db, err := store.Open(ctx, store.Config{
		DSN: c.Database, Endpoints: c.WebhookURLs, Began: s.operation, Log: o.Log,
	})
	if err != nil {
		s.tracer.Close()
		return nil, fmt.Errorf("COINSLOT_DATABASE: %w", err)
	}
	s.store = db
	if err := s.assemble(c, o, catalog, tokens); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if !db.Shared() { // nobody else runs: what is being created belongs to a dead process
		err = s.checkout.Recover(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Gateway makes the client of the configured gateway, with a budget of requests
// of its own, which it shares with no server. log = nil is silent. Errors: a setting
// that does not serve; nothing is asked yet.
func Gateway(c config.Config, log *slog.Logger) (*gateway.Client, error) {
	client, _, err := newGateway(c, Options{Log: log}, nil, nil)
	return client, err
}

// newGateway makes the client of the configured gateway and its budget, with the bucket
// that all instances share; nil = this process's own.
func newGateway(
	c config.Config, o Options, all limiter.Bucket, began gateway.Began,
) (client *gateway.Client, admission *limiter.Limiter, err error) {
	admission = limiter.New(tuned(limiter.Config{
		Rate: c.GatewayRPS, Bucket: all, Log: o.Log,
		Probe: func(ctx context.Context) error { _, err := client.Currencies(ctx); return err },
	}))
	client, err = gateway.New(gateway.Config{
		URL: c.GatewayURL, Key: c.GatewayKey.Reveal(), Limiter: admission, Began: began,
		Transport: o.transport, Log: o.Log,
	})
	if err != nil {
		return nil, nil, fmt.Errorf("COINSLOT_GATEWAY_URL: %w", err)
	}
	return client, admission, nil
}

// assemble makes the parts that need one another.
func (s *Server) assemble(
	c config.Config, o Options, catalog *order.Catalog, tokens *token.Registry,
) (err error) {
	client, admission, err := newGateway(c, o, s.bucket(c.GatewayRPS), s.call)
	s.limiter, s.gateway = admission, client
	if err != nil {
		return err
	}
	s.sender, err = webhook.New(tuned(webhook.Config{
		Outbox: s.store, Endpoints: c.WebhookURLs, Secrets: config.Reveal(c.WebhookSecrets),
		AllowPrivate: c.AllowPrivateWebhooks, Self: c.PublicURL, Began: s.delivery, Log: o.Log,
		Now: s.store.Now,
	}))
	if err != nil {
		return fmt.Errorf("COINSLOT_WEBHOOK_URL, COINSLOT_WEBHOOK_SECRET: %w", err)
	}
	keys := config.Reveal(c.SecretKeys)
	receipts, err := receipt.New(c.PublicURL, keys)
	if err != nil {
		return fmt.Errorf("COINSLOT_SECRET_KEY: %w", err)
	}
	s.checkout = checkout.New(tuned(checkout.Config{
		Store: s.store, Gateway: creates{client}, Background: backgroundRecords{client},
		Page: c.PublicURL + "/checkout/", Receipt: receipts.Receipt,
		CallbackURL: callbackURL(c.PublicURL), PaymentPage: c.GatewayPageURL, Tokens: tokens,
		Test:    o.test(c),
		Changed: s.sessionChanged, Transitioned: s.sessionMoved, Trace: s.tracer.Parent,
		Watched:  s.hub.Watched,
		Schedule: pollSchedule(c, o), Log: o.Log, Now: s.store.Now,
	}))
	s.records = reconcile.New(reconcile.Config{
		Gateway: client, Records: backgroundRecords{client}, Runs: s.store, Sessions: s.store,
		Change: s.checkout.Change, PaymentPage: c.GatewayPageURL, Schedule: s.checkout.Schedule,
		ListPause: 10 * time.Second / time.Duration(max(c.GatewayRPS, 1)), // a tenth of them
		Now:       s.store.Now, Log: o.Log,
	})
	s.poller = poller.New(tuned(poller.Config{
		Store: s.store, Process: s.process, Watched: s.hub.Sessions,
		WatchedInterval: s.checkout.Schedule.Watched, Log: o.Log, Now: s.store.Now,
		CapDue: func(ctx context.Context, now time.Time) (int, error) {
			return s.store.CapDue(ctx, now, s.checkout.Schedule.MaxDueAhead())
		},
	}))
	s.listPoller = poller.NewListPoller(s.listPollConfig(o.Log))
	if s.store.Shared() {
		s.fanout = newFanout(
			s.store, s.hub, s.sender.Kick, s.checkout.Schedule.Watched, s.store.Now, o.Log,
		)
	}
	s.erasing = s.retention(c.Retention, o.Log)
	s.refusals = shop.NewRefusals(s.store.RefuseOrigin, o.Log)
	s.Handler, err = s.handler(c, o, catalog, tokens, receipts)
	s.Ops = web.Ops(web.Health{Stuck: s.stuckLoops, Missing: s.missing, Metrics: s.metrics})
	return err
}

// sessionChanged tells whoever listens that a session has a new state or was checked.
func (s *Server) sessionChanged(session string) {
	s.hub.Publish(session)
	s.sender.Kick()
	s.store.Announce(session)
}

// sessionMoved counts that a session has become another.
func (s *Server) sessionMoved(before, after payment.Session) {
	s.metrics.CountTransition(before, after)
	s.unpaid.SessionChanged(after)
}

// process looks after a session within what polling may use of the budget.
func (s *Server) process(ctx context.Context, session payment.Session) error {
	ctx, ended := s.check(ctx, session)
	// The address of a shopper whose create is sent again is not kept.
	ctx = limiter.WithClient(ctx, limiter.Client{Network: "resent", Session: session.ID})
	err := s.checkout.Process(limiter.WithPriority(ctx, s.priority(session)), session)
	ended(err)
	return err
}

// priority is how soon the calls of a check of session go.
func (s *Server) priority(session payment.Session) limiter.Priority {
	switch {
	case s.checkout.IsWatched(session):
		return limiter.Watched
	case session.DueForLateCheck():
		return limiter.Late
	}
	return limiter.Single
}

// listPollConfig is how the gateway's list is read when many payments wait.
func (s *Server) listPollConfig(log *slog.Logger) poller.ListPollerConfig {
	pages := func(p limiter.Priority) func(context.Context, int) (payment.RecordPage, error) {
		return func(ctx context.Context, n int) (payment.RecordPage, error) {
			q := payment.ListQuery{Limit: 50, Page: n, Status: "pending"}
			return s.checkout.Gateway.Transactions(limiter.WithPriority(ctx, p), q)
		}
	}
	list := &poller.PageApplier{
		Store: s.store, Environment: s.checkout.Gateway.Environment(),
		Schedule:  s.checkout.Schedule,
		IsWatched: s.checkout.IsWatched, Changed: s.sessionChanged, Now: s.store.Now,
	}
	c := poller.ListPollerConfig{
		Count: func(ctx context.Context) (int, error) {
			return s.store.Count(ctx, string(wire.Pending))
		},
		Watched: func() int { return len(s.hub.Sessions()) },
		// such a page takes the place of 50 status reads
		Page: pages(limiter.Shared), UrgentPage: pages(limiter.Watched),
		Apply: list.Apply, Kick: s.poller.Kick, Schedule: s.checkout.Schedule, Now: s.store.Now,
		Log: log,
	}
	if s.store.Shared() {
		c.AcquireLease = s.store.Lease("sweep").Acquire
	}
	return c
}

// bucket returns the bucket that all instances share, nil if there is only this one.
func (s *Server) bucket(rps int) limiter.Bucket {
	if !s.store.Shared() {
		return nil
	}
	return sharedBucket{s.store.Bucket("gateway", max(rps, 1))}
}

// sharedBucket is a bucket of the database in the words of package budget.
type sharedBucket struct{ *store.Bucket }

func (b sharedBucket) Take(ctx context.Context, patience time.Duration) (time.Duration, error) {
	wait, err := b.Bucket.Take(ctx, patience)
	if errors.Is(err, store.ErrBusy) {
		err = limiter.ErrFull
	}
	return wait, err
}

// pollSchedule is how often payments are looked at: a watched one at the interval of
// the settings, others five times slower.
func pollSchedule(c config.Config, o Options) payment.Schedule {
	if o.Schedule.Unwatched != 0 {
		return o.Schedule
	}
	p := payment.DefaultSchedule()
	p.Watched, p.Unwatched = c.PollInterval, 5*c.PollInterval
	return p
}

// tune changes the configuration of a part, which it gets a pointer to, before the part
// is made. Only the build for the torture harness replaces it; see failpoint.go.
var tune = func(config any) {}

// tuned returns what tune makes of c.
func tuned[C any](c C) C {
	tune(&c)
	return c
}

// callbackURL is where the gateway's page may send shoppers back to: it takes
// public https addresses only, so elsewhere there is none.
func callbackURL(public string) string {
	if back := public + "/return"; gateway.ValidCallback(back) {
		return back
	}
	return ""
}

// Run polls and delivers until ctx ends, then says goodbye to open pages, for two
// seconds at most, waits for calls under way and returns nil. What goes wrong
// meanwhile is logged and tried again. It is called once.
func (s *Server) Run(ctx context.Context) error {
	defer s.Leave()
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return s.poller.Run(ctx) })
	group.Go(func() error { return s.listPoller.Run(ctx) })
	group.Go(func() error { return s.sender.Run(ctx) })
	group.Go(func() error { return s.refusals.Run(ctx) })
	group.Go(func() error { return s.erasing.Run(ctx) })
	group.Go(func() error {
		return s.records.RunScheduled(limiter.WithPriority(ctx, limiter.Late))
	})
	if s.fanout != nil {
		group.Go(func() error { return s.fanout.run(ctx) })
	}
	group.Go(func() error {
		<-ctx.Done()
		s.Leave()
		s.hub.Close()
		s.waitForSockets()
		return nil
	})
	err := group.Wait()
	s.checkout.Close()
	s.records.Close()
	return err
}

// waitForSockets waits until every socket has had its goodbye, two seconds at most:
// a process that ends sooner cuts them off instead.
func (s *Server) waitForSockets() {
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	for end := time.Now().Add(2 * time.Second); s.hub.Len() > 0 && time.Now().Before(end); {
		<-look.C
	}
}

// Close releases the database, once what requests have begun at the gateway has an
// answer or has run out of time: it blocks for as long. Call it once, after Run has
// returned and no request is being answered any more. Errors: the database could
// not be closed; that it is closed already, of a second call.
func (s *Server) Close() error {
	if s.checkout != nil {
		s.checkout.Close()
	}
	if s.records != nil {
		s.records.Close()
	}
	if s.gateway != nil {
		s.gateway.Close()
	}
	s.tracer.Close()
	return s.store.Close()
}

// HTTP returns a server with the limits that public listeners need: slow and
// oversized requests are cut. Sources: Go net/http documentation.
func HTTP(h http.Handler) *http.Server {
	return &http.Server{
		Handler: h, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 15 * time.Second,
		WriteTimeout: 30 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10,
	}
}

// Serve answers on l in the group until ctx ends, then lets requests finish for
// five seconds. Open sockets are not waited for: Run says goodbye to them.
func Serve(ctx context.Context, group *errgroup.Group, l net.Listener, h http.Handler) {
	web := HTTP(h)
	group.Go(func() error {
		if err := web.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			return fmt.Errorf("serving on %s: %w", l.Addr(), err)
		}
		return nil
	})
	group.Go(func() error {
		<-ctx.Done()
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		if err := web.Shutdown(last); err != nil {
			return web.Close()
		}
		return nil
	})
}
