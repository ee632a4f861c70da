package server_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/bff/server"
)

// Accepting a session costs the server little besides the database.
func TestCostOfAccepting(t *testing.T) {
	srv, err := server.New(t.Context(), settings(t, "http://127.0.0.1:9"), server.Options{})
	fortest.OK(t, err)
	defer srv.Close()
	n := 0
	allocations := testing.AllocsPerRun(50, func() {
		n++
		body := fmt.Sprintf(`{"amount_usd":"25.00","order_ref":"order-%d","title":"Two tickets","metadata":{"cart":"%d"}}`, n, n)
		r := httptest.NewRequest(http.MethodPost, "/v1/sessions", strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer "+secretKey)
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		if srv.Handler.ServeHTTP(w, r); w.Code != http.StatusCreated {
			t.Fatalf("POST /v1/sessions = %d %.200s", w.Code, w.Body)
		}
	})
	if allocations > 260 {
		t.Errorf("%.0f allocations for a session; want 260 at most", allocations)
	}
}
