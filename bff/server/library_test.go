package server_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/fortest"
	"coinslot/bff/payment"
	"coinslot/bff/sandbox"
	"coinslot/bff/server"
	"coinslot/bff/server/servertest"

	"github.com/shopspring/decimal"
)

// A program that has only the settings shows play money as such.
func TestSandboxInALibrary(t *testing.T) {
	_, c := servertest.NewGateway(t)
	c.Sandbox = true
	var log bytes.Buffer
	pay := fortest.Must(server.New(t.Context(), c,
		server.Options{Log: slog.New(slog.NewTextHandler(&log, nil))}))(t)
	t.Cleanup(func() {
		if err := pay.Close(); err != nil {
			t.Error(err)
		}
	})
	fortest.Has(t, "the log", log.String(), "level=WARN msg=\"sandbox mode (COINSLOT_SANDBOX)")
	session, _, err := pay.Open(t.Context(), payment.Order{AmountUSD: decimal.NewFromInt(25)}, "")
	if err != nil || !session.Test {
		t.Errorf("Open = a session with Test %v, %v; want a test", session.Test, err)
	}
}

// Close waits for a create of a canceled request: its address would be lost.
func TestCloseWaitsForCreates(t *testing.T) {
	gateway, c := servertest.NewGateway(t)
	pay := fortest.Must(server.New(t.Context(), c, server.Options{}))(t)
	session, _, err := pay.Open(t.Context(), payment.Order{AmountUSD: decimal.NewFromInt(25)}, "")
	fortest.OK(t, err)
	gateway.Inject(sandbox.Fault{Path: "create", Latency: 300 * time.Millisecond})
	ctx, leave := context.WithCancel(t.Context())
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		r := httptest.NewRequestWithContext(
			ctx,
			"POST",
			c.PublicURL+"/checkout/"+session.ID+"/attempts",
			strings.NewReader("currency_symbol=USDT&network_code=trc20"),
		)
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		pay.ServeHTTP(httptest.NewRecorder(), r)
	}()
	for status := session.Status; status != wire.Preparing; {
		found := fortest.Must(pay.Session(t.Context(), session.ID))(t)
		status = found.Status
	}
	leave()
	<-answered
	fortest.OK(t, pay.Close())
	again := fortest.Must(server.New(t.Context(), c, server.Options{}))(t)
	defer again.Close()
	if found, err := again.Session(t.Context(),
		session.ID); err != nil || found.Status != wire.Pending {
		t.Errorf("after a restart it is %s, %v; want pending", found.Status, err)
	}
}

// Nothing of a server is left when it has ended, and two are two.
func TestServerLeavesNothingBehind(t *testing.T) {
	api := httptest.NewServer(sandbox.New(sandbox.Config{Key: gatewayKey}))
	t.Cleanup(api.Close)
	live := func(run bool) {
		c := servertest.Settings(t, api.URL)
		pay := fortest.Must(server.New(t.Context(), c, server.Options{}))(t)
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		if run {
			go func() { ended <- pay.Run(ctx) }()
		} else {
			ended <- nil
		}
		r := httptest.NewRequest("GET", c.PublicURL+"/v1/currencies", nil)
		r.Header.Set("Authorization", "Bearer "+secretKey)
		w := httptest.NewRecorder()
		pay.ServeHTTP(w, r)
		if w.Code != 200 {
			t.Fatal(w.Body)
		}
		stop()
		fortest.OK(t, errors.Join(<-ended, pay.Close()))
	}
	live(true)
	before := runtime.NumGoroutine()
	for n := range 4 {
		live(n%2 == 0)
	}
	for end := time.Now().Add(30 * time.Second); runtime.NumGoroutine() > before+3 &&
		time.Now().Before(end); {
		runtime.Gosched()
	}
	if n := runtime.NumGoroutine(); n > before+3 {
		stacks := make([]byte, 1<<20)
		t.Errorf("%d goroutines after four servers; %d before\n%s", n, before,
			stacks[:runtime.Stack(stacks, true)])
	}
}
