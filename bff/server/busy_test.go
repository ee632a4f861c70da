package server_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/bff/sandbox"
	"coinslot/bff/server/servertest"
)

// A shopper whose create gets 429 waits on the page, and gets one address.
func TestBusyGateway(t *testing.T) {
	t.Parallel()
	w := newPolicyRig(t, ownOrigin, []string{shop}, servertest.NoLimits)
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
	fortest.Equal(t, len(w.Gateway.Transactions()), 1, "transactions at the gateway")
}

// A transaction that the gateway does not know is an answer, not a gateway failure.
func TestAbsentTransaction(t *testing.T) {
	t.Parallel()
	w := newPolicyRig(t, ownOrigin, []string{shop}, servertest.NoLimits)
	id := w.Open(`{"amount_usd":"25.00"}`)
	w.Choose(id)
	w.Await(id, "pending")
	w.Gateway.Inject(sandbox.Fault{Path: "status", Times: -1, Status: http.StatusNotFound})
	for range 2 {
		answer := w.Do("POST", "/v1/sessions/"+id+"/recheck", "", bearer)
		fortest.Answer(t, "recheck", answer, http.StatusOK)
	}
	w.Await(id, "pending")
	w.Gateway.ClearFaults()
	fortest.OK(t, w.Gateway.Pay(w.code(id), sandbox.KindPay))
	// On a busy machine the poller may have met the fault too, and then reads less often.
	deadline := time.Now().Add(2 * time.Minute)
	for w.Status(id) != "confirmed" {
		if time.Now().After(deadline) {
			t.Fatalf("the transaction is known again, and paid; the status is still %q",
				w.Status(id))
		}
		w.Do("POST", "/v1/sessions/"+id+"/recheck", "", bearer)
		<-time.After(200 * time.Millisecond)
	}
}
