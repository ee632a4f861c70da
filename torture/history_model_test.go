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
	type history = []porcupine.Operation
	op := func(call, end int64, coin string, s sight) porcupine.Operation {
		return porcupine.Operation{Input: ask{coin: coin}, Output: s, Call: call, Return: end}
	}
	seen := func(call, version int64, status wire.Status, shown viewAttempt) porcupine.Operation {
		return op(call, call+1, "", sight{version: version, status: status, attempt: shown})
	}
	chose := func(call, end, version int64, shown viewAttempt) porcupine.Operation {
		s := sight{version: version, status: wire.Pending, attempt: shown}
		return op(call, end, "TON/ton", s)
	}
	notified := func(at, version int64, status wire.Status) porcupine.Operation {
		return op(at, at, "", sight{version: version, status: status, late: true})
	}
	none, ton := viewAttempt{}, viewAttempt{1, "TON/ton", "EQ1"}
	other, second := viewAttempt{1, "TON/ton", "EQ2"}, viewAttempt{2, "TON/ton", "EQ3"}
	first, chosen := seen(0, 1, wire.Open, none), chose(10, 20, 3, ton)
	unknown := op(10, never, "TON/ton", sight{})
	right := map[string]history{
		"versions that grow": {first, chosen, seen(30, 3, wire.Pending, ton),
			seen(40, 7, wire.Confirmed, ton)},
		"reads while it changes": {first, chosen,
			op(5, 25, "", sight{version: 1, status: wire.Open}),
			op(6, 25, "", sight{version: 2, status: wire.Open})},
		"unknown choice that took effect": {first, unknown, seen(500, 3, wire.Pending, ton)},
		"unknown choice that took none":   {first, unknown, seen(500, 1, wire.Open, none)},
		"late webhook": {first, chosen, seen(30, 4, wire.Confirmed, none),
			notified(50, 3, wire.Pending)},
	}
	wrong := map[string]history{
		"stale read, same client": {first, seen(2, 2, wire.Cancelled, none),
			seen(4, 1, wire.Open, none)},
		"stale read, other client":           {first, chosen, seen(21, 2, wire.Preparing, none)},
		"lost write":                         {first, chosen, seen(30, 1, wire.Open, none)},
		"lost write, and another in between": {first, chosen, chose(30, 40, 6, other)},
		"lost change of the coin": {chosen, chose(30, 40, 6, second),
			seen(50, 8, wire.Pending, ton)},
		"version with two statuses": {seen(0, 2, wire.Expired, none),
			seen(2, 2, wire.Cancelled, none)},
		"version with two attempts": {chosen, chose(30, 40, 3, second)},
		"version older than a webhook": {first, notified(10, 5, wire.Expired),
			seen(20, 4, wire.Expired, none)},
		"confirmation taken back": {seen(0, 5, wire.Confirmed, none),
			seen(2, 6, wire.Expired, none)},
		"coin that was not chosen": {first, seen(2, 3, wire.Pending, ton), unknown},
	}
	for expected, list := range map[porcupine.CheckResult]map[string]history{
		porcupine.Ok: right, porcupine.Illegal: wrong,
	} {
		for name, h := range list {
			result := porcupine.CheckOperationsTimeout(versions, inOrder(h), time.Minute)
			fortest.Equal(t, result, expected, "%s", name)
		}
	}
}

// What a request says is read from its answer, and one without an answer may come later.
func TestObservations(t *testing.T) {
	w := &world{t: t, observed: newObservations(), client: http.DefaultClient,
		hosts: []string{"127.0.0.1:1"}}
	const choice = `"currency_symbol":"TON","network_code":"ton"`
	const path = "/checkout/cs_a/attempts"
	_, _, err := w.call(t.Context(), w.hosts[0], "POST", path, "{"+choice+"}", nil)
	list := w.observed.list["cs_a"]
	if err == nil || len(list) != 1 || list[0].Return < never ||
		list[0].Input.(ask).coin != "TON/ton" {
		t.Errorf("a choice without an answer is %+v, %v", list, err)
	}
	id, s := see([]byte(`{"id":"cs_b","version":2,"status":"pending",
		"attempt":{"number":1,"address":"EQ1",` + choice + `}}`))
	fortest.Equal(t, id, "cs_b", "session")
	want := sight{version: 2, status: wire.Pending, attempt: viewAttempt{1, "TON/ton", "EQ1"}}
	fortest.Equal(t, s, want, "sight")
}
