package server_test

import (
	"fmt"
	"testing"
)

// A merchant who reads page by page misses nothing, and can continue at the end of the log.
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
	problem(t, r.Do("GET", "/v1/events?after=0.7.0123456789ab", "", bearer), "cursor_gone") // of another database
	r.Pay(ids[0])
	r.Await(ids[0], "confirmed")
	if list := r.Events("?after=" + cursor); len(list.Data) != 1 || list.Data[0].Type != "checkout.confirmed" {
		t.Errorf("after the cursor: %+v; want what has come since", list)
	}
	if list := r.Events("?session=" + ids[0]); len(list.Data) != 2 {
		t.Errorf("events of one session: %+v; want two", list)
	}
}
