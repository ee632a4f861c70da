package server_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"
)

// A merchant who reads page by page misses nothing, and goes on later where
// the log ended.
func TestEvents(t *testing.T) {
	r := newRig(t)
	if list := r.Events(""); len(list.Data) != 0 || list.More {
		t.Fatalf("events of an empty server: %+v", list)
	}
	var ids []string
	for range 3 {
		id := r.Open(`{"amount_usd":"25.00"}`)
		r.Choose(id)
		r.Await(id, "pending")
		ids = append(ids, id)
	}
	var seen []string
	cursor := ""
	for more := true; more; {
		list := r.Events("?limit=2&after=" + cursor)
		for _, e := range list.Data {
			seen = append(seen, e.Data.ID)
			if e.Type != "checkout.pending" || e.Data.Status != "pending" || e.ID == "" {
				t.Errorf("event = %+v", e)
			}
		}
		cursor, more = list.Next, list.More
	}
	if fmt.Sprint(seen) != fmt.Sprint(ids) {
		t.Errorf("sessions in the log = %v; want %v", seen, ids)
	}
	if list := r.Events("?after=" + cursor); len(list.Data) != 0 || list.Next != cursor {
		t.Errorf("after the end: %+v; want nothing and the same cursor", list)
	}
	r.Pay(ids[0])
	r.Await(ids[0], "confirmed")
	if list := r.Events("?after=" + cursor); len(list.Data) != 1 || list.Data[0].Type != "checkout.confirmed" {
		t.Errorf("after the cursor: %+v; want what has come since", list)
	}
	if list := r.Events("?session=" + ids[0]); len(list.Data) != 2 {
		t.Errorf("events of one session: %+v; want two", list)
	}
}

func TestEventRequests(t *testing.T) {
	r := newRig(t)
	day := func(days int) string { return time.Now().UTC().AddDate(0, 0, days).Format(time.RFC3339) }
	body := func(from, to string) string { return fmt.Sprintf(`{"from":%q,"to":%q}`, from, to) }
	replay := func(name, body string, status int, code, has string) scenario {
		return scenario{name: name, method: "POST", path: "/v1/events/replay", body: body, headers: []string{bearer, isJSON}, status: status, code: code, has: has}
	}
	list := func(name, query string, status int, code, has string) scenario {
		return scenario{name: name, method: "GET", path: "/v1/events" + query, headers: []string{bearer}, status: status, code: code, has: has}
	}
	r.run([]scenario{
		replay("nothing in the range", body(day(-3650), day(1)), 200, "", `"events":0`),
		replay("to before from", body(day(-1), day(-2)), 422, "invalid", `"param":"to"`),
		replay("to equals from", body(day(-1), day(-1)), 422, "invalid", `"param":"to"`),
		replay("from in the future", body(day(1), day(2)), 422, "invalid", `"param":"from"`),
		replay("without from", `{"to":"2026-11-21T00:00:00Z"}`, 422, "invalid", `"param":"from"`),
		replay("not times", body("yesterday", day(0)), 422, "invalid", `"param":"from"`),
		replay("a number", `{"from":1,"to":2}`, 422, "invalid", `"param":"from"`),
		replay("unknown member", `{"from":"2026-11-21T00:00:00Z","until":"2026-11-22T00:00:00Z"}`, 422, "unknown_field", `"param":"until"`),
		replay("too many", `{"from":"2026-11-21T00:00:00Z","to":"2036-11-22T00:00:00Z","limit":10001}`, 422, "invalid", `"param":"limit"`),
		replay("negative limit", `{"from":"2026-11-21T00:00:00Z","to":"2036-11-22T00:00:00Z","limit":-1}`, 422, "invalid", `"param":"limit"`),
		list("limit of zero", "?limit=0", 422, "invalid", `"param":"limit"`),
		list("not our cursor", "?after=x", 422, "invalid", `"param":"after"`),
		list("cursor of an injection", "?after=1%27--", 422, "invalid", `"param":"after"`),
		list("cursor of another database", "?after=0.7.0123456789ab", 410, "cursor_gone", `"param":"after"`),
		list("a session that is not there", "?session=cs_none", 200, "", `"data":[]`),
	})
	for _, c := range []scenario{{method: "GET", path: "/v1/events"}, {method: "POST", path: "/v1/events/replay"}} {
		if w := r.Do(c.method, c.path, "{}", isJSON); w.Code != http.StatusUnauthorized {
			t.Errorf("%s %s without a key = %d", c.method, c.path, w.Code)
		}
	}
}
