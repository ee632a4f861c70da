package server

import (
	"context"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/checkout"
	"coinslot/bff/config"
	"coinslot/bff/fortest"
	"coinslot/bff/gateway"
	"coinslot/bff/payment"
	"coinslot/bff/realtime"
	"coinslot/bff/sandbox"
	"coinslot/bff/store"

	"github.com/shopspring/decimal"
)

// newFlood returns a server with the default limiter, and a service on the same database whose
// calls take neither time nor a slot of the limiter. Their clock is synctest's.
func newFlood(t *testing.T) (s *Server, unpaced *checkout.Service) {
	simulated := sandbox.New(sandbox.Config{Key: "key", Seed: 7})
	db := fortest.Must(store.Open(t.Context(),
		store.Config{DSN: filepath.Join(t.TempDir(), "flood.db"), Now: time.Now}))(t)
	s = &Server{hub: realtime.NewHub(realtime.HubConfig{}), store: db}
	service := func(rps int, takes time.Duration) (*checkout.Service, *gateway.Limiter) {
		c := config.Config{
			GatewayURL: "http://localhost:1",
			GatewayKey: config.NewSecret("key"),
			GatewayRPS: rps,
		}
		client, admission, err := newGateway(c,
			Options{transport: GatewayTransport{simulated, takes}}, nil, nil)
		fortest.OK(t, err)
		return checkout.New(checkout.Config{
			Store:   db,
			Gateway: creates{client},
			Page:    "https://pay.example/checkout/",
			Now:     time.Now,
		}), admission
	}
	s.checkout, s.limiter = service(10, 100*time.Millisecond)
	unpaced, _ = service(100_000, 0)
	return s, unpaced
}

// open opens a payment.
func open(ctx context.Context, c *checkout.Service) (payment.Session, error) {
	s, err := c.Open(ctx, payment.Order{AmountUSD: decimal.NewFromInt(25), TTLMinutes: 30}, "")
	if err != nil {
		return s.Session, err
	}
	return c.Choose(ctx, s.ID, wire.Choice{CurrencySymbol: "USDT", NetworkCode: "bep20"})
}

// Late checks wait behind all other checks for the gateway. Packages gateway and checkout test
// what the priority and the slots of late checks do.
func TestLateChecksWaitBehindOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, unpaced := newFlood(t)
		ctx, stop := context.WithCancel(t.Context())
		var checks sync.WaitGroup
		check := func(late bool) {
			for range 40 {
				s := fortest.Must(open(ctx, unpaced))(t)
				if late {
					s.LateFrom = s.DueAt
				}
				checks.Go(func() { _ = server.process(ctx, checkout.StoredSession{Session: s}) })
			}
			synctest.Wait()
		}
		check(false)
		before := server.limiter.State().Waiting
		check(true)
		after := server.limiter.State().Waiting
		if before[gateway.Poll] == 0 || after[gateway.Poll] != before[gateway.Poll] ||
			after[gateway.Late] != 40 {
			t.Errorf("waiting before = %v, with 40 late checks = %v; want these at priority %d",
				before, after, gateway.Late)
		}
		stop()
		checks.Wait()
		server.checkout.Close()
		unpaced.Close()
		_ = server.store.Close()
	})
}
