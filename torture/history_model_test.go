//go:build linux

package torture

import (
	"net/http"
	"testing"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/fortest"

	"github.com/anishathalye/porcupine"
)

// The checker of histories accepts right ones, and no other.
func TestHistoryChecker(t *testing.T) {
	seen := func(call, end, version int64, status wire.Status, attempt ...viewAttempt) porcupine.Operation {
		s := sight{version: version, status: status}
		for _, a := range attempt {
			s.attempt = a
		}
		return porcupine.Operation{Input: ask{client: "a", what: "GET view"}, Output: s, Call: call, Return: end}
	}
	choice := func(call, end int64, s sight) porcupine.Operation {
		return porcupine.Operation{ClientId: 1, Input: ask{client: "b", what: "POST attempts", coin: "TON/ton"}, Output: s, Call: call, Return: end}
	}
	notified := func(at, version int64, status wire.Status) porcupine.Operation {
		op := seen(at, at, version, status)
		op.Output = sight{version: version, status: status, late: true}
		return op
	}
	ton, other := viewAttempt{1, "TON/ton", "EQ1"}, viewAttempt{1, "TON/ton", "EQ2"}
	second := viewAttempt{2, "TON/ton", "EQ3"}
	chosen := choice(10, 20, sight{version: 3, status: wire.Pending, attempt: ton})
	for name, c := range map[string]struct {
		list  []porcupine.Operation
		wrong bool
	}{
		"reads that grow":                    {list: []porcupine.Operation{seen(0, 1, 1, wire.Open), chosen, seen(30, 31, 3, wire.Pending, ton), seen(40, 41, 7, wire.Confirmed, ton)}},
		"reads at once in any order":         {list: []porcupine.Operation{seen(0, 1, 1, wire.Open), chosen, seen(5, 25, 1, wire.Open), seen(6, 25, 2, wire.Open)}},
		"unknown choice that took effect":    {list: []porcupine.Operation{seen(0, 1, 1, wire.Open), choice(10, never, sight{}), seen(500, 501, 3, wire.Pending, ton)}},
		"unknown choice that took none":      {list: []porcupine.Operation{seen(0, 1, 1, wire.Open), choice(10, never, sight{}), seen(500, 501, 1, wire.Open)}},
		"late webhook":                       {list: []porcupine.Operation{seen(0, 1, 1, wire.Open), chosen, seen(30, 31, 4, wire.Confirmed), notified(50, 3, wire.Pending)}},
		"stale read, same client":            {wrong: true, list: []porcupine.Operation{seen(0, 1, 1, wire.Open), seen(2, 3, 2, wire.Cancelled), seen(4, 5, 1, wire.Open)}},
		"stale read, other client":           {wrong: true, list: []porcupine.Operation{seen(0, 1, 1, wire.Open), chosen, seen(21, 22, 2, wire.Preparing)}},
		"lost write that was acknowledged":   {wrong: true, list: []porcupine.Operation{seen(0, 1, 1, wire.Open), chosen, seen(30, 31, 1, wire.Open)}},
		"lost write, and another in between": {wrong: true, list: []porcupine.Operation{seen(0, 1, 1, wire.Open), chosen, choice(30, 40, sight{version: 6, status: wire.Pending, attempt: other})}},
		"lost change of the coin":            {wrong: true, list: []porcupine.Operation{chosen, choice(30, 40, sight{version: 6, status: wire.Pending, attempt: second}), seen(50, 51, 8, wire.Pending, ton)}},
		"version with two meanings":          {wrong: true, list: []porcupine.Operation{seen(0, 1, 2, wire.Expired), seen(2, 3, 2, wire.Cancelled)}},
		"version with two attempts":          {wrong: true, list: []porcupine.Operation{chosen, choice(30, 40, sight{version: 3, status: wire.Pending, attempt: second})}},
		"version older than a webhook":       {wrong: true, list: []porcupine.Operation{seen(0, 1, 1, wire.Open), notified(10, 5, wire.Expired), seen(20, 21, 4, wire.Pending)}},
		"confirmation taken back":            {wrong: true, list: []porcupine.Operation{seen(0, 1, 5, wire.Confirmed), seen(2, 3, 6, wire.Expired)}},
		"coin that was not chosen":           {wrong: true, list: []porcupine.Operation{seen(0, 1, 1, wire.Open), seen(2, 3, 3, wire.Pending, ton), choice(10, 20, sight{})}},
	} {
		result := porcupine.CheckOperationsTimeout(versions, inOrder(c.list), time.Minute)
		fortest.Equal(t, result == porcupine.Ok, !c.wrong, "%s is right", name)
	}
}

// What a request says is read from its answer, and one without an answer may come later.
func TestObservations(t *testing.T) {
	w := &world{t: t, observed: newObservations(), client: http.DefaultClient, hosts: []string{"127.0.0.1:1"}}
	_, _, err := w.call(t.Context(), w.hosts[0], "POST", "/checkout/cs_a/attempts", `{"currency_symbol":"TON","network_code":"ton"}`, nil)
	list := w.observed.list["cs_a"]
	if err == nil || len(list) != 1 || list[0].Input.(ask).coin != "TON/ton" || list[0].Return < never {
		t.Errorf("a choice without an answer is %+v, %v", list, err)
	}
	id, s := see([]byte(`{"id":"cs_b","version":2,"status":"pending","attempt":{"number":1,"currency_symbol":"TON","network_code":"ton","address":"EQ1"}}`))
	fortest.Equal(t, id, "cs_b", "session")
	fortest.Equal(t, s, sight{version: 2, status: wire.Pending, attempt: viewAttempt{1, "TON/ton", "EQ1"}}, "sight")
}
