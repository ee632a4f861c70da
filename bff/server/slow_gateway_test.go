package server_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/bff/sandbox"
	"coinslot/bff/server"
	"coinslot/bff/server/servertest"
	"coinslot/bff/web"
)

// Requests are answered before the server stops writing.
func TestActionsEndBeforeTheWriteTimeout(t *testing.T) {
	timeout := server.HTTP(nil).WriteTimeout
	if timeout-web.ActionTime < 3*time.Second {
		t.Errorf("actions may take %s of %s", web.ActionTime, timeout)
	}
}

// While the gateway is slow and refuses, twelve clients cancel, and then the merchant: all are
// answered, the merchant first, and the gateway is asked three times.
func TestManyCancelAtASlowGateway(t *testing.T) {
	t.Parallel()
	w := newPolicyRig(t, ownOrigin, []string{shop}, servertest.NoLimits)
	id := w.Open(`{"amount_usd":"25.00"}`)
	w.Choose(id)
	w.Await(id, "pending")
	w.Gateway.Inject(sandbox.Fault{Path: "status", Times: -1, Latency: time.Second})
	w.Gateway.Inject(sandbox.Fault{
		Path:   "cancel",
		Times:  -1,
		Status: http.StatusUnprocessableEntity,
	})

	var all sync.WaitGroup
	var mu sync.Mutex // guards order
	var order []string
	ask := func(who, path string, headers ...string) {
		all.Go(func() {
			answer := w.Do("POST", path, "", headers...)
			fortest.Answer(t, who, answer, http.StatusConflict)
			mu.Lock()
			defer mu.Unlock()
			order = append(order, who)
		})
	}
	began := time.Now()
	for range 12 {
		ask("shopper", "/checkout/"+id+"/cancel")
	}
	fortest.Until(t, "a cancel that the gateway works on", func() bool {
		return slices.ContainsFunc(w.Gateway.Requests(), func(q sandbox.Request) bool {
			return q.Time.After(began) && q.Endpoint != "create"
		})
	})
	ask("merchant", "/v1/sessions/"+id+"/cancel", bearer)
	all.Wait()
	if len(order) != 13 || order[0] != "shopper" || order[1] != "merchant" {
		t.Errorf("answered in the order %q", order)
	}
	if took := time.Since(began); took > web.ActionTime {
		t.Errorf("took %s", took)
	}
}

// Cancel and change wait for a gateway that answers 429 for some seconds.
func TestActionsAtABusyGateway(t *testing.T) {
	t.Parallel()
	w := newPolicyRig(t, ownOrigin, []string{shop}, servertest.NoLimits)
	for _, path := range []string{"status", "cancel", "create"} {
		id := w.Open(`{"amount_usd":"25.00"}`)
		w.Choose(id)
		w.Await(id, "pending")
		fault := sandbox.Fault{
			Path: path, Times: 2, Status: http.StatusTooManyRequests, RetryAfter: time.Second,
		}
		w.Gateway.Inject(fault)
		change := `{"currency_symbol":"USDT","network_code":"bep20"}`
		answer := w.Do("POST", "/checkout/"+id+"/attempts", change, servertest.IsJSON)
		fortest.Answer(t, path+": change", answer, http.StatusOK)
		w.Await(id, "pending")
		w.Gateway.ClearFaults()
		w.Gateway.Inject(fault)
		fortest.Answer(t, path+": cancel", w.Do("POST", "/checkout/"+id+"/cancel", ""),
			http.StatusOK)
		w.Await(id, "cancelled")
	}
}

// An error at a busy gateway says when to come back.
func TestBusyGatewaySaysWhen(t *testing.T) {
	t.Parallel()
	w := newPolicyRig(t, ownOrigin, []string{shop}, servertest.NoLimits)
	id := w.Open(`{"amount_usd":"25.00"}`)
	w.Choose(id)
	w.Await(id, "pending")
	w.Gateway.Inject(sandbox.Fault{
		Times: -1, Status: http.StatusTooManyRequests, RetryAfter: 40 * time.Second,
	})
	var answer *httptest.ResponseRecorder
	for range 2 { // the poller may have seen the 429, so that the first was not sent
		answer = w.Do("POST", "/v1/sessions/"+id+"/cancel", "", bearer)
	}
	fortest.Answer(t, "cancel", answer, http.StatusServiceUnavailable)
	after := answer.Header().Get("Retry-After")
	if seconds, err := time.ParseDuration(after + "s"); err != nil || seconds < 30*time.Second {
		t.Errorf("Retry-After: %q; want what the gateway says", after)
	}
}
