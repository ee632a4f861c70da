//go:build linux

package torture

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/torture/goal"
)

// mostResume is how long writes may take to resume once there is a new primary.
const mostResume = 15 * time.Second

// failure is something that happens to a cluster whose primary is given. It returns the nodes that
// cannot lead meanwhile, and what ends it.
type failure struct {
	name   string
	happen func(c *cluster, primary *node) (lost []*node, end func())
}

var failures = []failure{
	{"server killed", func(c *cluster, p *node) ([]*node, func()) {
		p.signal(syscall.SIGKILL, "-D\x00")
		return nil, func() {}
	}},
	{"server stopped", func(c *cluster, p *node) ([]*node, func()) {
		p.signal(syscall.SIGINT, "-D\x00")
		return nil, func() {}
	}},
	{"machine lost", func(c *cluster, p *node) ([]*node, func()) {
		p.kill()
		return []*node{p}, p.start
	}},
	{"machine frozen", func(c *cluster, p *node) ([]*node, func()) {
		p.signal(syscall.SIGSTOP, "")
		return []*node{p}, func() { p.signal(syscall.SIGCONT, "") }
	}},
	{"Patroni frozen", func(c *cluster, p *node) ([]*node, func()) {
		p.signal(syscall.SIGSTOP, "patroni\x00")
		return []*node{p}, func() { p.signal(syscall.SIGCONT, "patroni\x00") }
	}},
	{"cut from etcd", func(c *cluster, p *node) ([]*node, func()) {
		p.cut.Store(true)
		return []*node{p}, func() { p.cut.Store(false) }
	}},
	{"disk full", func(c *cluster, p *node) ([]*node, func()) {
		file := p.fillDisk()
		<-wait(2 * time.Second) // Patroni may try to start the server for as long as this lasts
		fortest.OK(c.t, os.Remove(file))
		return nil, func() {}
	}},
	{"promoted by hand", func(c *cluster, p *node) ([]*node, func()) {
		c.promote(p)
		return []*node{p}, func() {}
	}},
	{"standby lost", func(c *cluster, p *node) ([]*node, func()) {
		s := c.synchronous()
		s.kill()
		return []*node{s}, s.start
	}},
	{"both standbys lost", func(c *cluster, p *node) ([]*node, func()) {
		both := c.standbys(p)
		for _, s := range both {
			s.kill()
		}
		<-wait(2 * time.Second) // no write is acknowledged meanwhile, or it would be lost with p
		for _, s := range both {
			s.start()
		}
		c.await("a standby is back", func() string { // until then, the primary takes no writes
			if !both[0].answers("/replica") && !both[1].answers("/replica") {
				return "none is"
			}
			return ""
		})
		return nil, func() {}
	}},
}

// The names of counts in milliseconds.
const slowestWrite, slowestPage = "slowest write, ms", "slowest page, ms"

// batchRounds is how many rounds one world lives for; an interrupted run continues after its last.
const batchRounds = 5

// TestTortureFailovers breaks the database's cluster under load, round after round. The instances
// are never restarted. Half of them reach the cluster through HAProxy.
func TestTortureFailovers(t *testing.T) {
	rounds := goal.Rounds(1, 500)
	r := goal.Resume(
		t,
		goal.Result{Goal: "failovers", Wanted: 500, Seed: goal.Seed(t), Counts: map[string]int{}},
		rounds,
	)
	c := newCluster(t)
	through := c.startProxy()
	for r.Rounds < rounds && r.Violations == 0 {
		began, batch := time.Now(), r.Rounds/batchRounds
		name := fmt.Sprint("torture_", r.Rounds)
		c.createDatabase(name)
		dsn := c.dsn(name)
		if (batch+batch/2)%2 == 1 { // all failures come both ways in the course of 20 rounds
			dsn = fmt.Sprintf("postgres://postgres@%s/%s?connect_timeout=2&sslmode=disable",
				through, name)
		}
		c.awaitDatabase(dsn)
		w := newWorld(t, r.Seed+uint64(r.Rounds), postgres{dsn}, 2+batch/4%2)
		w.failovers(c, &r, min(rounds, (batch+1)*batchRounds))
		r.Took += time.Since(began)
		n := r.Counts
		r.Figure = fmt.Sprintf("%d sessions, %d events, %d requests acknowledged, %d histories of %d observations; slowest write after a new primary %.1f s, "+
			"slowest of %d pages %.1f s, %d of them not available; %v", n["sessions"], n["events"], n["acknowledged"], n["histories"], n["observations"],
			float64(n[slowestWrite])/1000, n["pages"], float64(n[slowestPage])/1000, n["pages that explain"], n)
		if r.Violations == 0 && r.Rounds < rounds {
			goal.Save(t, r)
		}
		execute(t, c.dsn("postgres"), "DROP DATABASE "+name)
	}
	goal.Report(t, r)
}

// failovers makes rounds until there are so many, and checks what is left.
func (w *world) failovers(c *cluster, r *goal.Result, rounds int) {
	rng := rand.New(rand.NewPCG(w.seed, 1))
	for i := range w.hosts {
		w.startAndWait(i)
	}
	stop := w.startShoppers(orders / 2)
	w.awaitOrders()
	stopReading, stopFollowing := w.startReading(), w.startFollowing()
	for ; r.Rounds < rounds; r.Rounds++ {
		f := failures[0] // the short form
		if goal.Long() {
			f = failures[(r.Rounds+rng.IntN(2))%len(failures)]
		}
		took := w.survive(c, f)
		r.Counts[slowestWrite] = max(r.Counts[slowestWrite], int(took.Milliseconds()))
		r.Counts[f.name]++
		w.t.Logf("%d of %d, %s: %.1f s", r.Rounds+1, rounds, f.name, took.Seconds())
	}
	slowest, pages, unavailable := stopReading()
	stop()
	w.finalCheck()
	if w.starts != len(w.hosts) {
		w.violate("", "instances started %d times", w.starts)
	}
	r.Violations += w.reportViolations()
	r.Counts[slowestPage] = max(r.Counts[slowestPage], int(slowest.Milliseconds()))
	for name, n := range map[string]int{
		"sessions": len(w.sessions), "events": len(w.sink.events), "acknowledged": w.writes,
		"histories": w.histories, "observations": w.observations, "nodes replaced": c.replaced,
		"pages": pages, "pages that explain": unavailable, "events followed": stopFollowing(),
	} {
		r.Counts[name] += n
	}
	c.replaced = 0
}

// pageBound is how long a page may take while the database does not answer: Coinslot waits for it
// for ten seconds, and for two more before it shows a page without the order.
const pageBound = 15 * time.Second

// startReading opens a page of each instance again and again, as a browser without scripts does,
// until the returned function is called. Each must show the order, or say that the database is
// unavailable; so many do.
func (w *world) startReading() (stop func() (slowest time.Duration, pages, unavailable int)) {
	session := fortest.Must(w.open(context.Background(), w.hosts[0]))(w.t).id
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	var mu sync.Mutex // guards the results
	var slowest time.Duration
	var pages, unavailable int
	for _, host := range w.hosts {
		all.Go(func() {
			for ctx.Err() == nil {
				began := time.Now()
				status, page, err := w.call(context.Background(), host, http.MethodGet,
					"/checkout/"+session, "", nil)
				took := time.Since(began)
				shows := status == http.StatusOK && bytes.Contains(page, []byte(session)) &&
					bytes.Contains(page, []byte(`data-status="open"`))
				explains := status == http.StatusServiceUnavailable &&
					bytes.Contains(page, []byte(`data-code="storage_unavailable"`))
				if err != nil || took > pageBound || !shows && !explains {
					w.violate(session, "I12: after %v, its page is %v %d %.500s", took, err, status,
						page)
				}
				mu.Lock()
				slowest, pages = max(slowest, took), pages+1
				if explains {
					unavailable++
				}
				mu.Unlock()
				<-wait(50 * time.Millisecond)
			}
		})
	}
	return func() (time.Duration, int, int) {
		cancel()
		all.Wait()
		return slowest, pages, unavailable
	}
}

// survive lets f happen and returns how long after a new primary the first write succeeded. When
// it returns, the cluster is whole again.
func (w *world) survive(c *cluster, f failure) time.Duration {
	primary := c.awaitPrimary()
	w.note("", "%s is the primary: %s", primary.name, f.name)
	lost, end := f.happen(c, primary)
	next := c.awaitPrimary(lost...)
	w.note("", "%s leads", next.name)
	took := w.awaitWrites()
	w.note("", "writes resumed after %v", took)
	if took > mostResume {
		c.showLogs()
		w.violate("", "%s: writes resumed %v after a new primary", f.name, took)
	}
	end()
	c.awaitHealthy()
	return took
}

// awaitWrites returns how long it takes until every instance has acknowledged a write. A write may
// hang on a replaced primary for as long as Coinslot waits for a database; the next one does not.
func (w *world) awaitWrites() time.Duration {
	began := time.Now()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var all sync.WaitGroup
	for _, host := range w.hosts {
		wrote := make(chan bool, 1000) // more than are tried
		open := func() {
			if _, err := w.open(ctx, host); err == nil {
				wrote <- true
			}
		}
		all.Go(func() {
			for done := false; !done && ctx.Err() == nil; {
				go open()
				select {
				case done = <-wrote:
				case <-wait(250 * time.Millisecond):
				}
			}
		})
	}
	all.Wait()
	return time.Since(began)
}

// open returns a new session that an instance has acknowledged. Errors: it has not.
func (w *world) open(ctx context.Context, host string) (*session, error) {
	ref := fmt.Sprint("probe-", rand.Uint64())
	key := http.Header{"Authorization": {"Bearer " + w.secrets.secretKey}}
	status, body, err := w.call(ctx, host, http.MethodPost, "/v1/sessions",
		fmt.Sprintf(`{"amount_usd":"20.00","order_ref":%q}`, ref), key)
	var o object
	if err != nil || status/100 != 2 || json.Unmarshal(body, &o) != nil {
		return nil, fmt.Errorf("opening a session: %v %d %s", err, status, body)
	}
	return w.acknowledged(o, "20.00", ref, "look on"), nil
}

// synchronous returns the standby that commits wait for, once it knows that it is that.
func (c *cluster) synchronous() (standby *node) {
	fortest.Until(c.t, "a standby is synchronous", func() bool {
		i := slices.IndexFunc(c.nodes, func(n *node) bool { return n.answers("/synchronous") })
		if i >= 0 {
			standby = c.nodes[i]
		}
		return i >= 0
	})
	return standby
}
