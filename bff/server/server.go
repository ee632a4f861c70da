// Package server assembles store, gateway client, domain, poller, webhook sender and HTTP. The
// coinslot command runs it, and Go programs can mount it: [New] returns a [Server], which is an
// [http.Handler], [Server.Run] checks payments, and [Server.Close] ends it. See the example and
// docs/library.md.
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
	"coinslot/bff/alert"
	"coinslot/bff/attention"
	"coinslot/bff/checkout"
	"coinslot/bff/config"
	"coinslot/bff/gateway"
	"coinslot/bff/gatewaylist"
	"coinslot/bff/https"
	"coinslot/bff/internal/background"
	"coinslot/bff/order"
	"coinslot/bff/payment"
	"coinslot/bff/rates"
	"coinslot/bff/realtime"
	"coinslot/bff/receipt"
	"coinslot/bff/shop"
	"coinslot/bff/store"
	"coinslot/bff/token"
	"coinslot/bff/wallet"
	"coinslot/bff/web"
	"coinslot/bff/webhook"
	"coinslot/static"

	"golang.org/x/sync/errgroup"
)

// Options are not settings: they are for programs.
type Options struct {
	// Static replaces the embedded assets and texts; nil = embedded.
	Static fs.FS
	// Simulate simulates a payment of one of Kinds at a sandbox gateway; sessions are then tests,
	// as with COINSLOT_SANDBOX. Nil = the page cannot simulate payments.
	Simulate func(ctx context.Context, trackingCode, kind string) error
	Kinds    []string
	// AddOrigin is what a line that allows another host page has before the page's origin; empty =
	// the setting COINSLOT_ORIGINS.
	AddOrigin string
	// Schedule is when payments are checked; zero = the default, with the poll interval of the
	// settings.
	Schedule payment.Schedule
	// Limits of one client; zero = the defaults.
	Limits web.Limits
	// Certificate reports on the certificate that the program serves with; nil = a proxy has it.
	Certificate func() https.Health
	// Version of the program, for metrics and traces; "" = what the Go command recorded.
	Version string
	Log     *slog.Logger // nil = silent

	transport http.RoundTripper // carries the requests to the gateway; nil = the client's own
}

func (o Options) test(c config.Config) bool { return c.Sandbox || o.Simulate != nil }

// Server is a checkout; see [New].
type Server struct {
	// Handler answers shoppers and merchants, at the root of PublicURL.
	Handler http.Handler
	// Ops answers /healthz, /readyz and /metrics; keep it private.
	Ops http.Handler

	observer
	leaving    atomic.Bool // /readyz fails
	limiter    *gateway.Limiter
	gateway    *gateway.Client
	checkout   *checkout.Service
	exchange   *rates.Exchange  // nil = prices in dollars only
	refresher  *rates.Refresher // likewise
	records    *gatewaylist.Reconciler
	poller     *checkout.Poller
	listPoller *gatewaylist.Poller
	sender     *webhook.Sender
	hub        *realtime.Hub
	store      *store.DB
	refusals   *shop.Refusals
	erasing    *checkout.Retention
	// erasingItems deletes never-paid sessions of the catalog.
	erasingItems *checkout.Retention
	unpaid       shop.Unpaid
	routes       []web.Route
	logo         *web.Asset          // nil = none
	fanout       *fanout             // nil = this is the only instance
	certificate  func() https.Health // nil = a proxy has it
	attention    *attention.Finder
	alerts       *alert.Service // nil = there are no alerts
}

// New opens the database and creates every part; nothing polls or delivers before Run. The caller
// closes the server. c comes from config.Load. Errors: an invalid setting; a database that cannot
// be opened.
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

	wallets, err := wallet.Load(c.Wallets, tokens)
	if err != nil {
		return nil, fmt.Errorf("COINSLOT_WALLETS: %w", err)
	}

	logo, err := newLogo(c.Logo)
	if err != nil {
		return nil, err
	}
	if c.Sandbox {
		o.Log.Warn("sandbox mode (COINSLOT_SANDBOX): no payment is real, and anyone who opens a " +
			"checkout can complete it without money")
	}

	s := &Server{
		hub:         realtime.NewHub(realtime.HubConfig{}),
		logo:        logo,
		certificate: o.Certificate,
	}
	s.observer = s.observe(c, o, tokens)
	o.Log = s.countLines(o.Log)
	s.store, err = store.Open(ctx, store.Config{
		DSN:        c.Database,
		Endpoints:  c.WebhookURLs,
		CheckEvent: payment.Event.Check,
		Began:      s.operation,
		Log:        o.Log,
	})
	if err != nil {
		s.tracer.Close()
		return nil, fmt.Errorf("COINSLOT_DATABASE: %w", err)
	}

	err = s.assemble(c, o, catalog, tokens, wallets)
	if err == nil && !s.store.Shared() { // the only instance: pending creates are of a dead process
		err = s.checkout.Recover(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}

	return s, nil
}

// Gateway returns a client of the configured gateway with its own rate limiter. A nil log is
// silent. Errors: an invalid setting; it sends nothing yet.
func Gateway(c config.Config, log *slog.Logger) (*gateway.Client, error) {
	client, _, err := newGateway(c, Options{Log: log}, nil, nil)
	return client, err
}

// newGateway returns a client and its rate limiter, with the bucket that all instances share; nil =
// one of its own.
func newGateway(
	c config.Config, o Options, all gateway.Bucket, began gateway.Began,
) (client *gateway.Client, admission *gateway.Limiter, err error) {
	admission = gateway.NewLimiter(withFailpoints(gateway.LimiterConfig{
		Rate:   c.GatewayRPS,
		Bucket: all,
		Log:    o.Log,
		Probe: func(ctx context.Context) error {
			_, err := client.Currencies(ctx)
			return err
		},
	}))
	client, err = gateway.New(gateway.Config{
		URL:       c.GatewayURL,
		Key:       c.GatewayKey.Reveal(),
		Limiter:   admission,
		Began:     began,
		Transport: o.transport,
		Log:       o.Log,
	})
	if err != nil {
		return nil, nil, fmt.Errorf("COINSLOT_GATEWAY_URL: %w", err)
	}

	return client, admission, nil
}

// assemble creates the parts that depend on one another.
func (s *Server) assemble(
	c config.Config, o Options, catalog *order.Catalog, tokens *token.Registry,
	wallets *wallet.Registry,
) (err error) {
	s.gateway, s.limiter, err = newGateway(c, o, s.bucket(c.GatewayRPS), s.call)
	if err != nil {
		return err
	}

	s.sender, err = webhook.New(withFailpoints(webhook.Config{
		Outbox:       s.store,
		Endpoints:    c.WebhookURLs,
		Secrets:      config.Reveal(c.WebhookSecrets),
		AllowPrivate: c.AllowPrivateWebhooks,
		Self:         c.PublicURL,
		Began:        s.delivery,
		Log:          o.Log,
		Now:          s.store.Now,
	}))
	if err != nil {
		return fmt.Errorf("COINSLOT_WEBHOOK_URL, COINSLOT_WEBHOOK_SECRET: %w", err)
	}

	keys := config.Reveal(c.SecretKeys)
	receipts, err := receipt.New(c.PublicURL, keys)
	if err != nil {
		return fmt.Errorf("COINSLOT_SECRET_KEY: %w", err)
	}

	exchange, err := s.exchangeRates(c, o)
	if err != nil {
		return err
	}

	s.checkout = checkout.New(withFailpoints(checkout.Config{
		Store:        s.store,
		Gateway:      creates{s.gateway},
		Rates:        exchange,
		Page:         c.PublicURL + "/checkout/",
		Receipt:      receipts.Receipt,
		CallbackURL:  callbackURL(c.PublicURL),
		PaymentPage:  c.GatewayPageURL,
		Tokens:       tokens,
		Wallets:      wallets,
		Test:         o.test(c),
		Changed:      s.sessionChanged,
		Transitioned: s.sessionMoved,
		PriceRefused: s.metrics.CountRefusedPrice,
		Trace:        s.tracer.Parent,
		Watched:      s.hub.Watched,
		Schedule:     pollSchedule(c, o),
		Log:          o.Log,
		Now:          s.store.Now,
	}))
	s.records = gatewaylist.NewReconciler(gatewaylist.ReconcilerConfig{
		Gateway:     s.gateway,
		Records:     backgroundRecords{s.gateway},
		Runs:        s.store,
		Sessions:    s.store,
		Change:      s.checkout.Change,
		PaymentPage: c.GatewayPageURL,
		Schedule:    s.checkout.Schedule,
		ListPause:   10 * time.Second / time.Duration(max(c.GatewayRPS, 1)), // a tenth of the rate
		Now:         s.store.Now,
		Log:         o.Log,
	})
	s.poller = checkout.NewPoller(withFailpoints(checkout.PollerConfig{
		Store:           s.store,
		Process:         s.process,
		Watched:         s.hub.Sessions,
		WatchedInterval: s.checkout.Schedule.Watched,
		Log:             o.Log,
		Now:             s.store.Now,
		CapDue: func(ctx context.Context, now time.Time) (int, error) {
			return s.store.CapDue(ctx, now, s.checkout.Schedule.MaxDueAhead())
		},
	}))
	s.listPoller = gatewaylist.NewPoller(s.listPollConfig(o.Log))
	if s.store.Shared() {
		s.fanout = newFanout(s.store, s.hub, s.checkout.Schedule.Watched, s.store.Now, o.Log)
	}

	s.findAttention(c, o)
	s.erasing = s.retention(c.Retention, o.Log)
	s.erasingItems = s.unpaidItems(o.Log)
	s.refusals = shop.NewRefusals(s.store.RefuseOrigin, o.Log)
	s.Handler, err = s.handler(c, o, catalog, tokens, receipts)
	s.Ops = web.Ops(web.Health{
		Stuck:   s.stuckLoops,
		Missing: s.missing,
		Warned:  s.warned,
		Metrics: s.metrics,
	})
	return err
}

// exchangeRates returns what converts prices; nil = prices in dollars only. Errors: an invalid
// setting.
func (s *Server) exchangeRates(c config.Config, o Options) (checkout.Rates, error) {
	if c.Rates == "" {
		return nil, nil
	}
	source, err := rates.Parse(c.Rates)
	if err != nil {
		return nil, fmt.Errorf("COINSLOT_RATES: %w", err)
	}
	s.refresher = &rates.Refresher{Source: source, Store: s.store, Now: s.store.Now, Log: o.Log}
	s.exchange = &rates.Exchange{
		Source:        source.Name(),
		Store:         s.store,
		SpreadPercent: c.RatesSpread,
		Now:           s.store.Now,
	}
	return s.exchange, nil
}

// sessionChanged notifies pages and the webhook sender of a change or a check.
func (s *Server) sessionChanged(session string) {
	s.hub.Publish(session)
	s.sender.Kick()
}

func (s *Server) sessionMoved(before, after payment.Session) {
	s.metrics.CountTransition(before, after)
	s.unpaid.SessionChanged(after)
}

// process checks a session.
func (s *Server) process(ctx context.Context, session checkout.StoredSession) error {
	ctx, ended := s.check(ctx, session.Session)
	// The shopper's address is not stored, so retried creates share one network.
	ctx = gateway.WithCaller(ctx, gateway.Caller{Network: "resent"})
	err := s.checkout.Process(gateway.WithPriority(ctx, s.priority(session)), session)
	ended(err)
	return err
}

// priority is that of the requests of a check of session.
func (s *Server) priority(session checkout.StoredSession) gateway.Priority {
	watched := s.checkout.IsWatched(session.ID, session.WatchedUntil)
	if session.DueForLateCheck() && !watched {
		return gateway.Late
	}
	return gateway.Poll
}

// listPollConfig is for reading the gateway's list when many payments wait.
func (s *Server) listPollConfig(log *slog.Logger) gatewaylist.PollerConfig {
	pages := &gatewaylist.PageApplier{
		Store:       s.store,
		Environment: s.checkout.Gateway.Environment(),
		Schedule:    s.checkout.Schedule,
		IsWatched:   s.checkout.IsWatched,
		Changed:     s.sessionChanged,
		Now:         s.store.Now,
	}
	c := gatewaylist.PollerConfig{
		Gateway: s.checkout.Gateway,
		Apply:   pages.Apply,
		Kick:    s.poller.Kick,
		Count: func(ctx context.Context) (int, error) {
			return s.store.Count(ctx, string(wire.Pending))
		},
		Watched:  func() int { return len(s.hub.Sessions()) },
		Schedule: s.checkout.Schedule,
		Now:      s.store.Now,
		Log:      log,
	}
	if s.store.Shared() {
		c.Runs = s.store
	}

	return c
}

// bucket returns the bucket that all instances share; nil = this is the only one.
func (s *Server) bucket(rps int) gateway.Bucket {
	if !s.store.Shared() {
		return nil
	}
	return s.store.Bucket("gateway", rps)
}

// pollSchedule checks watched payments at the configured interval, others at a fifth of the rate.
func pollSchedule(c config.Config, o Options) payment.Schedule {
	if o.Schedule.Unwatched != 0 {
		return o.Schedule
	}
	p := payment.DefaultSchedule()
	p.Watched = c.PollInterval
	p.Unwatched = 5 * c.PollInterval
	return p
}

// callbackURL is where the gateway's page sends shoppers back to; "" unless the server has a public
// https URL, which the gateway requires.
func callbackURL(public string) string {
	if back := public + "/return"; gateway.ValidCallback(back) {
		return back
	}
	return ""
}

// Run polls and delivers until ctx ends, then closes sockets within two seconds, waits for running
// requests and returns nil. It logs errors and retries. Call it once.
func (s *Server) Run(ctx context.Context) error {
	defer s.Leave()
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return s.poller.Run(ctx) })
	shared := gateway.WithPriority(ctx, gateway.Poll)
	group.Go(func() error { return s.listPoller.Run(shared) })
	group.Go(func() error { return s.sender.Run(ctx) })
	if s.refresher != nil {
		group.Go(func() error { return s.refresher.Run(ctx) })
	}
	if s.alerts != nil {
		group.Go(func() error { return s.alerts.Run(shared) })
	}
	group.Go(func() error { return s.refusals.Run(ctx) })
	group.Go(func() error { return s.erasing.Run(ctx) })
	group.Go(func() error { return s.erasingItems.Run(ctx) })
	late := gateway.WithPriority(ctx, gateway.Late)
	group.Go(func() error { return s.records.RunScheduled(late) })
	if s.fanout != nil {
		group.Go(func() error { return s.fanout.run(ctx) })
	}

	group.Go(func() error {
		select {
		case <-s.store.Failed():
			return s.store.Err()
		case <-ctx.Done():
			return nil
		}
	})
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

// waitForSockets waits, for at most two seconds, until every socket has got its close frame.
func (s *Server) waitForSockets() {
	for end := time.Now().Add(2 * time.Second); s.hub.Len() > 0 && time.Now().Before(end); {
		time.Sleep(5 * time.Millisecond)
	}
}

// Close waits for running gateway requests, until they time out, and closes the database. Call it
// once, after Run has returned and all requests are answered. Errors: the database's.
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

// HTTP returns a server with limits for public listeners, against slow and oversized requests.
func HTTP(h http.Handler) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       15 * time.Second,
		WriteTimeout:      30 * time.Second,
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    16 << 10,
	}
}

// Serve answers on l in the group until ctx ends, and then lets requests finish for five seconds.
// Run closes sockets.
func Serve(ctx context.Context, group *errgroup.Group, l net.Listener, h http.Handler) {
	web := HTTP(h)
	background.Serve(ctx, group, l.Addr().String(), web, func() error { return web.Serve(l) })
}
