package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"coinslot/bff/config"
	"coinslot/bff/fortest"
	"coinslot/bff/sandbox"
	"coinslot/bff/server"
	"coinslot/e2e/need"
	"coinslot/static"
)

// get returns the status and body of an answer, 0 if there is none.
func get(url string) (int, string) {
	res, err := http.Get(url)
	if err != nil {
		return 0, ""
	}
	defer res.Body.Close()
	body, _ := io.ReadAll(res.Body)
	return res.StatusCode, strings.TrimSpace(string(body))
}

// A server that gets a stop reports announces it first and continues to serve, so that no request is
// lost; the operator's listener ends last.
func TestDrain(t *testing.T) {
	need.Assets(t, static.Files)
	gateway := httptest.NewServer(sandbox.New(sandbox.Config{Key: secretCanary}))
	t.Cleanup(gateway.Close)
	c := fortest.Must(config.Load([]string{
		"COINSLOT_GATEWAY_URL=" + gateway.URL, "COINSLOT_GATEWAY_KEY=" + secretCanary,
		"COINSLOT_SECRET_KEY=" + secretCanary,
		"COINSLOT_DATABASE=" + filepath.Join(t.TempDir(), "drain.db"),
		"COINSLOT_LISTEN=127.0.0.1:0", "COINSLOT_OPS_LISTEN=127.0.0.1:" + fortest.FreePort(t),
		"COINSLOT_DRAIN=600ms",
	}, nil))(t)
	srv := fortest.Must(server.New(t.Context(), c, server.Options{}))(t)
	defer srv.Close()
	ctx, stop := context.WithCancel(t.Context())
	public, ended := make(chan net.Addr, 1), make(chan error, 1)
	go func() { ended <- listen(ctx, c, srv, nil, func(a net.Addr) { public <- a }) }()
	shop, ops := "http://"+(<-public).String()+"/checkout.js", "http://"+c.OpsListen
	if status, body := get(ops + "/readyz"); status != 200 || body != "ok" {
		t.Fatalf("/readyz = %d %q", status, body)
	}
	if status, _ := get(ops + "/debug/pprof/"); status != 404 {
		t.Errorf("/debug/pprof = %d", status)
	}
	stopped := time.Now()
	stop()
	for status := 200; status != 503; <-time.After(5 * time.Millisecond) {
		var body string
		if status, body = get(ops + "/readyz"); status == 503 && body != "shutdown" {
			t.Errorf("/readyz says %q", body)
		}
		if time.Since(stopped) > 10*time.Second {
			t.Fatal("/readyz does not fail")
		}
	}
	if status, _ := get(shop); status != 200 && time.Since(stopped) < c.Drain {
		t.Errorf("GET /checkout.js while draining = %d", status)
	}
	if status, _ := get(ops + "/healthz"); status != 200 && time.Since(stopped) < c.Drain {
		t.Errorf("/healthz while draining = %d", status)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if took := time.Since(stopped); took < c.Drain {
		t.Errorf("it has taken requests for %v only; want %v", took, c.Drain)
	}
	if status, _ := get(shop); status != 0 {
		t.Errorf("GET /checkout.js after the end = %d", status)
	}
}
