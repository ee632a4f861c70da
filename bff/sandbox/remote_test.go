package sandbox

import (
	"net/http/httptest"
	"strings"
	"testing"

	"coinslot/bff/fortest"
)

func TestRemotePays(t *testing.T) {
	gateway := New(Config{})
	server := httptest.NewServer(gateway)
	t.Cleanup(server.Close)
	code := create(t, gateway).TrackingCode
	fortest.OK(t, (Remote{URL: server.URL + "/"}).Pay(t.Context(), code, KindPay))
	fortest.Equal(t, gateway.Transactions()[0].Status, Confirmed, "the transaction")
}

func TestRemoteSaysWhyNot(t *testing.T) {
	gateway := New(Config{})
	server := httptest.NewServer(gateway)
	t.Cleanup(server.Close)
	code := create(t, gateway).TrackingCode
	for name, c := range map[string]struct {
		url, code, kind, has string
	}{
		"no such code": {server.URL, "nothing", "pay", "no transaction has this tracking code"},
		"no such kind": {server.URL, code, "rob", "unknown kind"},
		"a path":       {server.URL, "../../x", "pay", "no transaction has this tracking code"},
		"no server":    {"http://127.0.0.1:1", code, "pay", "connection refused"},
	} {
		err := Remote{URL: c.url}.Pay(t.Context(), c.code, Kind(c.kind))
		if err == nil || !strings.Contains(err.Error(), c.has) {
			t.Errorf("%s: %v; want %q", name, err, c.has)
		}
	}
}
