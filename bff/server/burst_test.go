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
		{
			"attempts",
			"currency_symbol=USDT&network_code=USDT:trc20",
			nil,
			map[string]int{"create": 1},
			"pending",
		},
		{
			"cancel",
			"",
			func(*rig, string) {},
			map[string]int{"cancel": 1, "status": 2},
			"cancelled",
		},
		{
			"attempts",
			"currency_symbol=USDT&network_code=bep20",
			func(*rig, string) {},
			map[string]int{"cancel": 1, "create": 2, "status": 2},
			"pending",
		},
		{
			"extend",
			"",
			func(*rig, string) {},
			map[string]int{"cancel": 1, "create": 2, "status": 2},
			"pending",
		},
		{
			"extend",
			"attempt=1",
			func(*rig, string) {},
			map[string]int{"cancel": 1, "create": 2, "status": 2},
			"pending",
		},
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
					w := r.Do("POST", "/checkout/"+id+"/"+c.action, c.body, isForm)
					if w.Code != http.StatusSeeOther {
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

// A gateway that refuses what is asked for is asked at most twice by a burst, not by each of its
// posts, which all get the same answer.
func TestRefusedBurstsAskTheGatewayTwice(t *testing.T) {
	const coin = "currency_symbol=USDT&network_code=USDT:trc20"
	for name, c := range map[string]struct {
		action, body string
		refused      string // endpoint
		begun        bool   // a coin was chosen before
	}{
		"choice": {"attempts", coin, "create", false},
		"change": {"attempts", "currency_symbol=USDT&network_code=bep20", "create", true},
		"extend": {"extend", "", "create", true},
		"cancel": {"cancel", "", "cancel", true},
	} {
		t.Run(name, func(t *testing.T) {
			r := newConfiguredRig(t, func(c *config.Config) { c.PollInterval = time.Hour })
			id := r.Open(`{"amount_usd":"25.00"}`)
			if c.begun {
				r.Choose(id)
				r.Await(id, "pending")
			}
			r.Gateway.Inject(sandbox.Fault{
				Path: c.refused, Times: -1, Status: 422, Latency: 500 * time.Millisecond,
			})
			before := askedFor(r, c.refused)

			statuses := make(chan int, 10)
			var group sync.WaitGroup
			for range cap(statuses) {
				group.Go(func() {
					statuses <- r.Do("POST", "/checkout/"+id+"/"+c.action, c.body, isForm).Code
				})
			}
			group.Wait()
			close(statuses)

			different := map[int]bool{}
			for status := range statuses {
				different[status] = true
			}
			if len(different) != 1 {
				t.Errorf("answered with %v; want one status for all", different)
			}
			if asked := askedFor(r, c.refused) - before; asked < 1 || asked > 2 {
				t.Errorf("%d requests of %s; want one or two", asked, c.refused)
			}
		})
	}
}

// askedFor counts the requests of an endpoint of the gateway.
func askedFor(r *rig, endpoint string) (n int) {
	for _, request := range r.Gateway.Requests() {
		if request.Endpoint == endpoint {
			n++
		}
	}
	return n
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
		"order_ref": {
			"/v1/sessions",
			`{"amount_usd":"25.00","order_ref":"once"}`,
			[]string{bearer, isJSON},
		},
		"Idempotency-Key": {
			"/v1/sessions",
			`{"amount_usd":"25.00"}`,
			[]string{bearer, isJSON, "Idempotency-Key: once"},
		},
		"page": {"/checkout", `{"item":"coffee","key":"page_once",` + coin + `}`, []string{isJSON}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			ids := make(chan string, 50)
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
				t.Errorf("%d sessions, %d transactions; want one", len(different),
					len(r.Gateway.Transactions()))
			}
		})
	}
}
