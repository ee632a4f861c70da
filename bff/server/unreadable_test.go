package server_test

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/bff/server"
	"coinslot/bff/server/servertest"
	"coinslot/bff/store"
)

// A session and an event that cannot be decoded stop nothing else, from the start on, and are named
// in the log, counted, and shown in the console. TestUnreadableOnPostgres of package store is of the
// other database.
func TestUnreadableRows(t *testing.T) {
	gateway, c := servertest.NewGateway(t)
	c.AdminProxyHeader = "X-Remote-User"
	c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}
	r, stop := servertest.Start(t, gateway, c, server.Options{Limits: servertest.NoLimits})
	var ids []string
	for _, ref := range []string{"one", "two", "three"} {
		id := r.Open(`{"amount_usd":"25.00","order_ref":"` + ref + `"}`)
		r.Choose(id)
		ids = append(ids, id)
	}
	bad, event := ids[0], r.Events("").Data[1].ID
	stop()

	db := fortest.Must(store.OpenBeside(t.Context(), store.Config{DSN: c.Database}))(t)
	fortest.OK(t, db.Execute(t.Context(), `UPDATE sessions SET status = 'preparing', due_at = 1,
		doc = '{bad json' WHERE id = $1`, bad))
	body := []byte(`{"type":"checkout.pending","timestamp":1,"data":{}}`)
	fortest.OK(t, db.Execute(t.Context(), `UPDATE events SET body = $2 WHERE id = $1`, event, body))
	fortest.OK(t, db.Close())

	r, _ = servertest.Start(t, gateway, c, server.Options{Limits: servertest.NoLimits})
	for _, id := range ids[1:] {
		r.Pay(id)
		r.Await(id, "confirmed")
	}
	list := r.Do("GET", "/v1/sessions", "", servertest.Bearer)
	fortest.Answer(t, "the list", list, http.StatusOK)
	fortest.Has(t, "the list", list.Body.String(), ids[1], ids[2])
	fortest.Lacks(t, "the list", list.Body.String(), bad)
	fortest.Equal(t, len(r.Events("").Data), 4, "events")
	for _, path := range []string{"/v1/sessions/" + bad, "/v1/sessions?order_ref=one"} {
		got := r.Do("GET", path, "", servertest.Bearer)
		fortest.Equal(t, got.Code == http.StatusServiceUnavailable, false, "%s is %d", path,
			got.Code)
	}
	again := r.Do("POST", "/v1/sessions", `{"amount_usd":"25.00","order_ref":"one"}`,
		servertest.Bearer, servertest.IsJSON)
	fortest.Answer(t, "the same order again", again, http.StatusInternalServerError)

	ops := func(path string) string {
		answer := httptest.NewRecorder()
		r.Server.Ops.ServeHTTP(answer, httptest.NewRequest("GET", path, nil))
		fortest.Answer(t, path, answer, http.StatusOK)
		return answer.Body.String()
	}
	ops("/readyz")
	fortest.Has(t, "metrics", ops("/metrics"), `coinslot_unreadable_rows{kind="session"} 1`,
		`coinslot_unreadable_rows{kind="event"} 1`)
	overview := r.DoFrom("192.0.2.1", "GET", "/admin", "", "X-Remote-User: ann")
	fortest.Has(t, "the console", overview.Body.String(), "2 stored rows unreadable", bad, event)
	log := r.Log.String()
	fortest.Equal(t, strings.Count(log, "unreadable and was set aside"), 2, "lines in the log")
	fortest.Has(t, "the log", log, "session="+bad, "event="+event)
}
