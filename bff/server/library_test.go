package server_test

import (
	"bytes"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"

	"coinslot/bff/checkout"
	"coinslot/bff/sandbox"
	"coinslot/bff/server"

	"github.com/shopspring/decimal"
)

// Play money is called so in a program that only has the settings, too: it used to
// pass for real there.
func TestSandboxInALibrary(t *testing.T) {
	api := httptest.NewServer(sandbox.New(sandbox.Config{Key: gatewayKey}))
	t.Cleanup(api.Close)
	c := settings(t, api.URL)
	c.Sandbox = true
	var log bytes.Buffer
	pay, err := server.New(t.Context(), c, server.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := pay.Close(); err != nil {
			t.Error(err)
		}
	})
	if !strings.Contains(log.String(), "level=WARN msg=\"COINSLOT_SANDBOX is true") {
		t.Errorf("the log does not say that it is on:\n%s", &log)
	}
	session, _, err := pay.Open(t.Context(), checkout.Order{AmountUSD: decimal.NewFromInt(25)}, "")
	if err != nil || !session.Test {
		t.Errorf("Open = a session with Test %v, %v; want a test", session.Test, err)
	}
}
