package server_test

import (
	"context"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"coinslot/bff/config"
	"coinslot/bff/fortest"
	"coinslot/bff/server"
	"coinslot/bff/server/servertest"

	"github.com/gorilla/websocket"
)

// startStoppable is a server whose end the test decides; stop returns when Run has.
func startStoppable(t *testing.T, r *rig) (addr string, stop func()) {
	t.Helper()
	c := config.Config{
		PublicURL: ownOrigin, Database: filepath.Join(t.TempDir(), "stop.db"), GatewayURL: "http://127.0.0.1:1",
		GatewayKey: config.NewSecret(gatewayKey), GatewayRPS: 10, SecretKeys: []config.Secret{config.NewSecret(secretKey)}, PollInterval: time.Second,
	}
	srv := fortest.Must(server.New(t.Context(), c, server.Options{}))(t)
	r.Handler = deferHeaders(t, srv.Handler)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- srv.Run(ctx) }()
	t.Cleanup(func() {
		if err := srv.Close(); err != nil {
			t.Error(err)
		}
	})
	return listen(t, r.Handler), func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run = %v", err)
		}
	}
}

// When Run has returned, every page is notified: the process may end.
func TestLiveClosesOnRestart(t *testing.T) {
	r := &rig{Rig: &servertest.Rig{T: t, Public: ownOrigin, Log: &servertest.Log{}}}
	addr, stop := startStoppable(t, r)
	id := r.Open(`{"amount_usd":"25.00"}`)
	var all []*websocket.Conn
	for range 20 {
		conn := connect(t, addr, id)
		next(t, conn)
		all = append(all, conn)
	}
	before := runtime.NumGoroutine()
	stop()
	if now := runtime.NumGoroutine(); now > before-20 {
		t.Errorf("%d goroutines after Run, %d before: sockets are still being told", now, before)
	}
	for i, conn := range all {
		if code := closed(t, conn); code != websocket.CloseServiceRestart {
			t.Errorf("socket %d ended with %d; want %d", i, code, websocket.CloseServiceRestart)
		}
	}
	_, response, err := dial(addr, id)
	if err == nil || response == nil || response.StatusCode < 400 {
		t.Errorf("a socket after the end = %v, %v; want a refusal", response, err)
	}
}
