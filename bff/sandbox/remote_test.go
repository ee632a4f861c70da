package sandbox

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"coinslot/bff/fortest"
)

func TestRemotePays(t *testing.T) {
	gateway := New(Config{})
	server := httptest.NewServer(gateway)
	t.Cleanup(server.Close)
	code := createdAt(t, server.URL)
	fortest.OK(t, (Remote{URL: server.URL + "/"}).Pay(t.Context(), code, KindPay))
	fortest.Equal(t, gateway.Transactions()[0].Status, Confirmed, "the transaction")
}

func TestRemoteSaysWhyNot(t *testing.T) {
	server := httptest.NewServer(New(Config{}))
	t.Cleanup(server.Close)
	code := createdAt(t, server.URL)
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

// createdAt opens a transaction there and returns its tracking code.
func createdAt(t *testing.T, url string) string {
	t.Helper()
	request := fortest.Must(http.NewRequest(http.MethodPost, url+"/api/v1/merchant/transaction/create", strings.NewReader(with(t, nil))))(t)
	request.Header.Set("x-api-key", DefaultKey)
	request.Header.Set("Content-Type", "application/json")
	answer := fortest.Must(http.DefaultClient.Do(request))(t)
	defer answer.Body.Close()
	var created struct {
		Data struct {
			TrackingCode string `json:"tracking_code"`
		}
	}
	if err := json.NewDecoder(answer.Body).Decode(&created); err != nil || created.Data.TrackingCode == "" {
		t.Fatalf("creating: %s, %v", answer.Status, err)
	}
	return created.Data.TrackingCode
}
