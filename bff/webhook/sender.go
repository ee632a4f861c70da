package webhook

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"coinslot/bff/internal/background"

	"golang.org/x/sync/errgroup"
)

// maxEndpoints bounds the endpoints of one process.
const maxEndpoints = 20

// Config is what a [Sender] is made of.
type Config struct {
	Outbox Outbox // required
	// URLs, see [CheckEndpoint]; at most 20, none twice; none = nothing is sent
	Endpoints []string
	// Secrets are "whsec_…", see [CheckSecret], the current one first. Several are the
	// overlap of a rotation: every one signs. At least one is needed for Endpoints.
	Secrets []string
	// AllowPrivate lets http, any port and addresses that are not public pass.
	AllowPrivate bool
	// Self is our own public URL, which is refused as an endpoint; empty = not checked.
	Self string
	// Began is called when a try begins; it returns the context to make it with and a
	// function to call at its end. Nil = not called.
	Began func(
		ctx context.Context, d Delivery,
	) (context.Context, func(DeliveryResult))
	Timeout time.Duration    // of a whole try, body included; zero = 20 s
	Log     *slog.Logger     // nil = silent
	Now     func() time.Time // nil = time.Now
	// random numbers in [0, 1) for the jitter, for many goroutines; nil = math/rand
	Random func() float64
}

// Sender delivers what is in the outbox. Its methods may be called by many goroutines, but
// only one Run or Pass at a time, since each has its own limit of tries in flight.
type Sender struct {
	config  Config
	keys    Keys
	client  *http.Client
	workers []*worker
	tests   tests
}

// New returns a Sender, which does nothing before [Sender.Run]. Errors name an endpoint or a
// secret by its position, from 1, and never hold its value.
func New(c Config) (*Sender, error) {
	if c.Outbox == nil {
		return nil, errors.New("creating the webhook sender: no outbox")
	}
	return newSender(c)
}

// newSender is New without an outbox, for a Sender that has nothing to deliver.
func newSender(c Config) (*Sender, error) {
	if err := checkEndpoints(c); err != nil {
		return nil, err
	}

	keys, err := ParseKeys(c.Secrets)
	if err != nil {
		return nil, err
	}
	if len(c.Endpoints) > 0 && len(c.Secrets) == 0 {
		return nil, errors.New("creating the webhook sender: endpoints are set, " +
			"but no secret to sign with")
	}

	c.setDefaults()
	s := &Sender{config: c, keys: keys, client: NewClient(c.AllowPrivate)}
	for _, endpoint := range c.Endpoints {
		s.workers = append(s.workers, newWorker(s, endpoint))
	}

	return s, nil
}

// setDefaults replaces zero values as [Config] says.
func (c *Config) setDefaults() {
	if c.Timeout <= 0 {
		c.Timeout = 20 * time.Second
	}

	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	if c.Began == nil {
		c.Began = func(
			ctx context.Context, _ Delivery,
		) (context.Context, func(DeliveryResult)) {
			return ctx, func(DeliveryResult) {}
		}
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Random == nil {
		c.Random = rand.Float64
	}
}

func checkEndpoints(c Config) error {
	if len(c.Endpoints) > maxEndpoints {
		return fmt.Errorf("checking webhook endpoints: %d are set; at most %d are allowed",
			len(c.Endpoints), maxEndpoints)
	}

	for i, raw := range c.Endpoints {
		err := CheckEndpoint(raw, c.AllowPrivate)
		switch {
		case err != nil:
		case isSelf(raw, c.Self):
			err = errors.New("it is the checkout's own public URL")
		case slices.Contains(c.Endpoints[:i], raw):
			err = errors.New("it is listed twice")
		}
		if err != nil {
			return fmt.Errorf("checking webhook endpoint %d: %w", i+1, err)
		}
	}

	return nil
}

// isSelf reports whether raw has the origin of self, which may be empty.
func isSelf(raw, self string) bool {
	a, err := url.Parse(raw)
	b, errSelf := url.Parse(self)
	return err == nil && errSelf == nil && b.Host != "" &&
		strings.EqualFold(a.Hostname(), b.Hostname()) && port(a) == port(b)
}

// Run delivers until ctx ends, then waits for the tries under way, each of which takes no
// longer than Config.Timeout and one write. It polls the outbox once a second and on
// [Sender.Kick], and always returns nil.
func (s *Sender) Run(ctx context.Context) error {
	var lines sync.WaitGroup
	for _, l := range s.workers {
		lines.Go(func() { l.run(ctx) })
	}
	<-ctx.Done()
	lines.Wait()
	s.client.CloseIdleConnections()
	return nil
}

// Pass makes one try of what is due now, at most four for each endpoint, waits for their end
// and returns their number. Errors are the outbox's; a failing endpoint is none.
func (s *Sender) Pass(ctx context.Context) (n int, err error) {
	var tries errgroup.Group
	for _, l := range s.workers {
		if l.gone.Load() {
			continue
		}
		due, claimErr := l.claimDue(ctx, inFlight)
		n += len(due)
		err = errors.Join(err, claimErr)
		for _, d := range due {
			tries.Go(func() error { return l.deliver(ctx, d) })
		}
	}

	return n, errors.Join(err, tries.Wait())
}

// Kick says that something new was committed. It never blocks.
func (s *Sender) Kick() {
	for _, l := range s.workers {
		select {
		case l.kick <- struct{}{}:
		default: // a check is due already
		}
	}
}

// Stats are the figures of a [Sender].
type Stats struct {
	Endpoints int // that are configured
	Gone      int // those of them that have answered 410
	// LastBeat is when the worker that has been busy for the longest last checked for work,
	// with a slot for it; zero = no worker runs.
	LastBeat time.Time
}

// Stats returns the present state.
func (s *Sender) Stats() Stats {
	stats := Stats{Endpoints: len(s.workers), Gone: len(s.Gone())}
	for _, l := range s.workers {
		stats.LastBeat = background.Earliest(stats.LastBeat, l.heartbeat.Last())
	}
	return stats
}

// Gone returns the endpoints that have answered 410 and are not sent anything
// until the process starts anew; nil if there are none.
func (s *Sender) Gone() []string {
	var gone []string
	for _, l := range s.workers {
		if l.gone.Load() {
			gone = append(gone, l.endpoint)
		}
	}
	return gone
}
