//go:build linux

package torture

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/torture/goal"
)

// TestTortureAsynchronousFailovers measures how many acknowledged sessions are lost with the
// machine of a primary that does not wait for a standby. Losses are no violations here.
func TestTortureAsynchronousFailovers(t *testing.T) {
	if !goal.Long() {
		t.Skip("it measures; nothing that it finds is a failure")
	}
	r := goal.Result{Goal: "failovers, asynchronous", Wanted: 20, Seed: goal.Seed(t)}
	began := time.Now()
	c := newCluster(t)
	c.replicateAsynchronously()
	c.createDatabase("torture")
	w := newWorld(t, r.Seed, postgres{c.dsn("torture")}, 2)
	for i := range w.hosts {
		w.startAndWait(i)
	}
	var lost, acknowledged [2]int // standbys that follow, standbys that were away for a second
	var longest [2]time.Duration  // how long before the end of the primary a lost session was acknowledged
	for rounds := goal.Rounds(2, r.Wanted); r.Rounds < rounds; r.Rounds++ {
		away := r.Rounds % 2
		opened, ended := w.loseWhileOpening(c, away == 1)
		acknowledged[away] += len(opened)
		for _, s := range opened {
			status, body, err := w.merchant(t.Context(), http.MethodGet, "/v1/sessions/"+s.id, "")
			switch {
			case err != nil || status != http.StatusOK && status != http.StatusNotFound:
				t.Fatalf("reading a session: %v %d %s", err, status, body)
			case status == http.StatusNotFound:
				lost[away]++
				longest[away] = max(longest[away], ended.Sub(w.acknowledgedAt(s.id)))
			}
		}
	}
	w.kill()
	r.Took = time.Since(began)
	r.Figure = fmt.Sprintf("%d of %d sessions lost, the oldest %d ms old; %d of %d, the oldest %d ms old, if both standbys had been away for 1 s",
		lost[0], acknowledged[0], longest[0].Milliseconds(), lost[1], acknowledged[1], longest[1].Milliseconds())
	goal.Report(t, r)
}

// replicateAsynchronously makes commits wait for no standby.
func (c *cluster) replicateAsynchronously() {
	p := c.primary()
	body := strings.NewReader(`{"synchronous_mode":false,"synchronous_mode_strict":false}`)
	req := fortest.Must(http.NewRequest(http.MethodPatch, fmt.Sprintf("http://%s:%d/config", p.host, p.port+1), body))(c.t)
	res := fortest.Must(c.asks.Do(req))(c.t)
	res.Body.Close()
	c.asynchronous = true
	c.awaitHealthy()
}

// loseWhileOpening opens sessions for two seconds, and loses the primary's machine meanwhile. away
// loses the standbys a second before it. It returns what was acknowledged, and when the primary
// ended. The cluster is whole again then.
func (w *world) loseWhileOpening(c *cluster, away bool) (opened []*session, ended time.Time) {
	primary := c.primary()
	ctx, cancel := context.WithCancel(w.t.Context())
	var all sync.WaitGroup
	w.mu.Lock()
	clear(w.sessions) // those of earlier rounds
	w.mu.Unlock()
	for range orders / 3 {
		all.Go(func() {
			for ctx.Err() == nil {
				_, _ = w.open(ctx, w.host()) // some fail at the end
			}
		})
	}
	var lost []*node
	if away {
		lost = c.standbys(primary)
	}
	<-wait(time.Second)
	for _, s := range lost {
		s.kill()
	}
	<-wait(time.Second)
	primary.kill()
	ended = time.Now()
	cancel()
	all.Wait()
	opened = w.allSessions()
	for _, s := range lost {
		s.start()
	}
	c.awaitPrimary(primary)
	w.awaitWrites()
	primary.start()
	c.awaitHealthy()
	return opened, ended
}
