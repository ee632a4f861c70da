package server_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"coinslot/bff/sandbox"
)

// A shopper whose create gets 429 waits on the page, and gets one address.
func TestBusyGateway(t *testing.T) {
	t.Parallel()
	w := newPolicyRig(t, ownOrigin, []string{shop}, noLimits)
	id := w.Open(`{"amount_usd":"25.00"}`)
	w.Do("GET", "/v1/currencies", "", bearer)
	w.Gateway.Inject(sandbox.Fault{
		Path: "create", Status: http.StatusTooManyRequests, RetryAfter: 4 * time.Second,
	})
	w.Choose(id)
	w.Await(id, "preparing")
	page := w.Do("GET", "/checkout/"+id, "").Body.String()
	if !strings.Contains(page, `data-status="preparing"`) ||
		strings.Contains(page, `data-part="address"`) {
		t.Errorf("the page is not that of a payment being prepared: %.500s", page)
	}
	w.Await(id, "pending")
	if n := len(w.Gateway.Transactions()); n != 1 {
		t.Errorf("%d transactions at the gateway; want 1", n)
	}
}
