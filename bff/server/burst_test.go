package server_test

import (
	"encoding/json"
	"net/http"
	"sync"
	"testing"
	"time"

	"coinslot/bff/config"
	"coinslot/bff/fortest"
	"coinslot/bff/sandbox"
)

// Many equal posts at once cost the gateway as much as one.
func TestBurstsAskTheGatewayOnce(t *testing.T) {
	for _, c := range []struct {
		action string
		body   string
		begin  func(r *rig, id string) // nil = no coin is chosen
		most   map[string]int          // calls of the gateway's endpoints
		ends   string
	}{
		{"attempts", "currency_symbol=USDT&network_code=USDT:trc20", nil, map[string]int{"create": 1}, "pending"},
		{"cancel", "", func(*rig, string) {}, map[string]int{"cancel": 1, "status": 2}, "cancelled"},
		{"attempts", "currency_symbol=USDT&network_code=bep20", func(*rig, string) {}, map[string]int{"cancel": 1, "create": 2, "status": 2}, "pending"},
		{"extend", "", func(*rig, string) {}, map[string]int{"cancel": 1, "create": 2, "status": 2}, "pending"},
		{"extend", "attempt=1", func(*rig, string) {}, map[string]int{"cancel": 1, "create": 2, "status": 2}, "pending"},
		{"recheck", "", func(*rig, string) {}, map[string]int{"recheck": 0}, "pending"},
		{"recheck", "", (*rig).cancelled, map[string]int{"recheck": 1, "cancel": 1}, "cancelled"},
	} {
		t.Run(c.action, func(t *testing.T) {
			// The poller asks by the clock, so a slow machine would count its calls, too.
			r := newConfiguredRig(t, func(c *config.Config) { c.PollInterval = time.Hour })
			id := r.Open(`{"amount_usd":"25.00"}`)
			if c.begin != nil {
				r.Choose(id)
				r.Await(id, "pending")
				c.begin(r, id)
			}
			var group sync.WaitGroup
			for range 100 {
				group.Go(func() {
					if w := r.Do("POST", "/checkout/"+id+"/"+c.action, c.body, isForm); w.Code != http.StatusSeeOther {
						t.Errorf("%s = %d %.200s", c.action, w.Code, w.Body)
					}
				})
			}
			group.Wait()
			calls := map[string]int{}
			for _, q := range r.Gateway.Requests() {
				calls[q.Endpoint]++
			}
			t.Log(calls)
			for endpoint, most := range c.most {
				if calls[endpoint] > most {
					t.Errorf("%d calls of %s; want at most %d", calls[endpoint], endpoint, most)
				}
			}
			fortest.Equal(t, r.Status(id), c.ends, "status")
		})
	}
}

// A gateway that refuses a coin is asked for it twice by a burst, not by each of its posts: once for
// the first, and once for those that have waited meanwhile.
func TestRefusedBurstAsksTheGatewayTwice(t *testing.T) {
	r := newConfiguredRig(t, func(c *config.Config) { c.PollInterval = time.Hour })
	id := r.Open(`{"amount_usd":"25.00"}`)
	r.Gateway.Inject(sandbox.Fault{Path: "create", Times: -1, Status: 422, Latency: time.Second})

	const body = "currency_symbol=USDT&network_code=USDT:trc20"
	var group sync.WaitGroup
	for range 10 {
		group.Go(func() {
			w := r.Do("POST", "/checkout/"+id+"/attempts", body, isForm)
			fortest.Equal(t, w.Code, http.StatusSeeOther, "status")
		})
	}
	group.Wait()

	creates := 0
	for _, request := range r.Gateway.Requests() {
		if request.Endpoint == "create" {
			creates++
		}
	}
	if creates < 1 || creates > 2 {
		t.Errorf("%d creates; want one or two", creates)
	}
}

// cancelled ends a session as its shopper does.
func (r *rig) cancelled(id string) {
	r.Do("POST", "/checkout/"+id+"/cancel", "", isForm)
	r.Await(id, "cancelled")
}

// Equal posts at once, by a retrying server or a double click, are stored once.
func TestBurstsStoreOnce(t *testing.T) {
	coin := `"currency_symbol":"USDT","network_code":"trc20"`
	for name, c := range map[string]struct {
		path, body string
		headers    []string
	}{
		"order_ref":       {"/v1/sessions", `{"amount_usd":"25.00","order_ref":"once"}`, []string{bearer, isJSON}},
		"Idempotency-Key": {"/v1/sessions", `{"amount_usd":"25.00"}`, []string{bearer, isJSON, "Idempotency-Key: once"}},
		"page":            {"/checkout", `{"item":"coffee","key":"page_once",` + coin + `}`, []string{isJSON}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			ids := make(chan string, 200)
			var group sync.WaitGroup
			for range cap(ids) {
				group.Go(func() {
					w := r.Do("POST", c.path, c.body, c.headers...)
					var got struct{ ID, Session string }
					if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code/100 != 2 {
						t.Errorf("POST = %d %.200s", w.Code, w.Body)
					}
					ids <- got.ID + got.Session
				})
			}
			group.Wait()
			close(ids)
			different := map[string]bool{}
			for id := range ids {
				different[id] = true
			}
			if len(different) != 1 || len(r.Gateway.Transactions()) > 1 {
				t.Errorf("%d sessions, %d transactions; want one", len(different), len(r.Gateway.Transactions()))
			}
		})
	}
}
