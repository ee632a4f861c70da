package store

import (
	"path/filepath"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/bff/store/pgtest"
	"coinslot/bff/store/storetest"
	"coinslot/bff/webhook"
)

func TestRerouting(t *testing.T) {
	for name, address := range map[string]func(*testing.T) string{
		"SQLite": func(t *testing.T) string {
			return filepath.Join(t.TempDir(), "coinslot.db")
		},
		"PostgreSQL": func(t *testing.T) string { return pgtest.DSN(t) },
	} {
		t.Run(name, func(t *testing.T) {
			storetest.RunRerouting(t, func(t *testing.T, now func() time.Time) storetest.Starter {
				dsn := address(t)
				return func(endpoints ...string) (storetest.Backend, func()) {
					db := instance(t, dsn, now, endpoints...)
					return db, func() { _ = db.Close() }
				}
			})
		})
	}
}

// instance starts a process by the clock now, and waits until it has done what it does
// at its start.
func instance(t *testing.T, dsn string, now func() time.Time, endpoints ...string) *DB {
	t.Helper()
	db := fortest.Must(Open(t.Context(), Config{DSN: dsn, Endpoints: endpoints, Now: now}))(t)
	t.Cleanup(func() { _ = db.Close() }) // or it is closed already
	<-db.rerouted
	return db
}

// While instances of a rolling deployment have different URLs, each keeps its own: what
// one has not delivered is moved only after it has been gone for a while, and is not
// moved back when it returns.
func TestReroutingOfInstances(t *testing.T) {
	const oldURL, newURL = "https://old.example/", "https://new.example/"
	dsn, clock := pgtest.DSN(t), sample(1).CreatedAt.Add(time.Hour)
	now := func() time.Time { return clock }
	before := instance(t, dsn, now, oldURL)
	tell(t, before, 1)
	tell(t, before, 2)
	after := instance(t, dsn, now, newURL)
	tell(t, after, 3)
	bound := func(endpoint string) int {
		t.Helper()
		return count(t, after.Reader,
			`SELECT count(*) FROM deliveries WHERE state = 'open' AND endpoint = '`+endpoint+`'`)
	}
	of := map[*DB]*rerouter{before: before.newRerouter(), after: after.newRerouter()}
	pass := func(step time.Duration, instances ...*DB) {
		t.Helper()
		clock = clock.Add(step)
		for _, db := range instances {
			fortest.OK(t, of[db].pass(t.Context()))
		}
	}
	want := func(when string, old, new int) {
		t.Helper()
		if gotOld, gotNew := bound(oldURL), bound(newURL); gotOld != old || gotNew != new {
			t.Errorf("%s: %d deliveries to the old URL and %d to the new one; want %d and %d", when,
				gotOld, gotNew, old, new)
		}
	}
	for range 10 {
		pass(rerouteEvery, before, after)
	}
	want("while both run", 2, 1)
	if s, err := after.Stats(t.Context()); err != nil || s.Unrouted != 0 {
		t.Errorf("unrouted while both run = %d, %v; want 0", s.Unrouted, err)
	}

	// The old instance hangs in the middle of a delivery.
	for range 3 {
		pass(rerouteEvery, after)
	}
	held, err := before.ClaimDeliveries(t.Context(), now(), 40*time.Second, 1, []string{oldURL})
	if err != nil || len(held) != 1 {
		t.Fatalf("ClaimDeliveries = %v, %v; want one", held, err)
	}
	want("within the lease of the old URL", 2, 1)
	pass(rerouteEvery, after)
	want("after the lease of the old URL", 1, 2)
	for range int(rerouteAgain / rerouteEvery) {
		pass(rerouteEvery, after)
	}
	want("after the lease of its delivery", 0, 3)

	// It wakes up. Nothing goes back, and its late answer changes nothing.
	for range 10 {
		pass(rerouteEvery, before, after)
	}
	want("after it woke up", 0, 3)
	if err := before.RecordResult(t.Context(), held[0],
		webhook.DeliveryResult{NextAt: clock}); err == nil {
		t.Error("a delivery that was moved was settled")
	}
	want("after its answer", 0, 3)

	// No instance could renew while the database was down: the first one afterwards waits for
	// the others.
	tell(t, before, 4)
	pass(10*time.Minute, after, before)
	want("after an outage", 1, 3)
	pass(rerouteEvery, after, before)
	want("when all are back", 1, 3)
}

// What no instance sends is counted, also where no URL is configured any more.
func TestStatsOfUnrouted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "coinslot.db")
	before := instance(t, path, nil, "https://a.example/", "https://b.example/")
	tell(t, before, 1)
	fortest.OK(t, before.Close())
	s, err := instance(t, path, nil).Stats(t.Context())
	if err != nil || s.Unrouted != 2 || s.Undelivered != 0 {
		t.Errorf("Stats = %+v, %v; want 2 unrouted", s, err)
	}
}

// A URL that no instance has renewed counts as configured for a while after it was first met.
func TestReroutingOfAnUnknownURL(t *testing.T) {
	dsn, clock := pgtest.DSN(t), sample(1).CreatedAt.Add(time.Hour)
	now := func() time.Time { return clock }
	before := instance(t, dsn, now, "https://old.example/")
	tell(t, before, 1)
	run(t, before.Writer, `DELETE FROM webhook_endpoints`)
	fortest.OK(t, before.Close())
	after := instance(t, dsn, now, "https://new.example/")
	r := after.newRerouter()
	for _, moved := range []int{0, 1} {
		n := count(t, after.Reader,
			`SELECT count(*) FROM deliveries WHERE endpoint = 'https://new.example/'`)
		fortest.Equal(t, n, moved, "deliveries moved")
		clock = clock.Add(endpointLease)
		fortest.OK(t, r.pass(t.Context()))
	}
}
