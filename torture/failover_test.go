//go:build linux

package torture

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"strings"
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
		c.promote(p, c.synchronous())
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
		return nil, func() {}
	}},
}

// TestTortureFailovers breaks the database's cluster under load, round after round. The instances
// are never restarted.
func TestTortureFailovers(t *testing.T) {
	began := time.Now()
	r := goal.Result{Goal: "failovers", Wanted: 500, Seed: goal.Seed(t)}
	c := newCluster(t)
	rng := rand.New(rand.NewPCG(r.Seed, 1))
	var slowest time.Duration
	var sessions, events int
	happened := map[string]int{}
	rounds := goal.Rounds(1, 500)
	for r.Rounds < rounds && r.Violations == 0 {
		name := fmt.Sprint("torture_", r.Rounds)
		execute(t, c.dsn("postgres"), "CREATE DATABASE "+name)
		w := newWorld(t, r.Seed+uint64(r.Rounds), postgres{c.dsn(name)}, 2)
		for i := range 2 {
			w.startAndWait(i)
		}
		stop := w.startShoppers(orders / 2)
		w.awaitOrders()
		for range min(20, rounds-r.Rounds) {
			f := failures[0] // the short form
			if goal.Long() {
				f = failures[(r.Rounds+rng.IntN(2))%len(failures)]
			}
			slowest = max(slowest, w.survive(c, f))
			happened[f.name]++
			r.Rounds++
			t.Logf("%s: %d of %d, %s", time.Since(began).Round(time.Second), r.Rounds, rounds, f.name)
		}
		stop()
		w.finalCheck()
		if w.starts != 2 {
			w.violate("", "instances started %d times", w.starts)
		}
		r.Violations += w.reportViolations()
		sessions, events = sessions+len(w.sessions), events+len(w.sink.events)
		execute(t, c.dsn("postgres"), "DROP DATABASE "+name)
	}
	r.Took = time.Since(began)
	r.Figure = fmt.Sprintf("%d sessions, %d events; slowest write after a new primary %.1f s; %s",
		sessions, events, slowest.Seconds(), strings.Trim(fmt.Sprint(happened), "map[]"))
	goal.Report(t, r)
}

// survive lets f happen and returns how long after a new primary the first write succeeded. When
// it returns, the cluster is whole again.
func (w *world) survive(c *cluster, f failure) time.Duration {
	primary := c.primary()
	w.note("", "%s is the primary: %s", primary.name, f.name)
	lost, end := f.happen(c, primary)
	var next *node
	fortest.Until(w.t, "a node leads after "+f.name, func() bool { next = c.primary(lost...); return next != nil })
	elected := time.Now()
	w.note("", "%s leads", next.name)
	for n := 0; !w.canWrite(n); n++ {
		if time.Since(elected) > patience {
			w.violate("", "%s: no write for %v after a new primary", f.name, patience)
			break
		}
	}
	took := time.Since(elected)
	w.note("", "writes resumed after %v", took)
	if took > mostResume {
		w.violate("", "%s: writes resumed %v after a new primary", f.name, took)
	}
	end()
	c.awaitHealthy()
	return took
}

// canWrite reports whether every instance opens a session now.
func (w *world) canWrite(n int) bool {
	ctx, cancel := context.WithTimeout(context.Background(), 12*time.Second)
	defer cancel()
	key := http.Header{"Authorization": {"Bearer " + w.secrets.secretKey}}
	for _, host := range w.hosts {
		status, _, err := w.call(ctx, host, http.MethodPost, "/v1/sessions",
			fmt.Sprintf(`{"amount_usd":"20.00","order_ref":"probe-%d-%d"}`, time.Now().UnixNano(), n), key)
		if err != nil || status/100 != 2 {
			<-wait(50 * time.Millisecond)
			return false
		}
	}
	return true
}

// synchronous returns the standby that commits wait for.
func (c *cluster) synchronous() *node {
	for _, n := range c.nodes {
		res, err := c.asks.Get(fmt.Sprintf("http://%s:%d/synchronous", n.host, n.port+1))
		if err != nil {
			continue
		}
		res.Body.Close()
		if res.StatusCode == http.StatusOK {
			return n
		}
	}
	c.t.Fatal("no standby is synchronous")
	return nil
}
