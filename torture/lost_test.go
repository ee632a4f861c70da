//go:build linux

package torture

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/torture/goal"
)

const (
	// knownWithin is how soon a lost transaction must be known. Here the process runs at real pace.
	knownWithin = 120 * time.Second
	lostBatch   = 50
)

// TestTortureLostAnswers loses the answer to sessions' first creates, after the gateway has opened
// the transaction. In every second batch the process is killed as well.
func TestTortureLostAnswers(t *testing.T) {
	began := time.Now()
	r := goal.Result{Goal: "lost create answers", Wanted: 1000, Seed: goal.Seed(t)}
	w := newWorld(t, r.Seed, newSQLite(t), 1)
	w.env = append(w.env, "CRASH_HURRY=1")
	w.pause, w.listens, w.plans = 2*time.Second, 0, []string{"pay"}
	l := &lostAnswers{w: w, all: map[string]string{}, waiting: map[string]time.Time{}}
	w.gateway.dropCreateAnswer = l.dropAnswer
	w.startAndWait(0)
	stop := w.startShoppers(lostBatch)
	for want := goal.Rounds(10, 1000); r.Rounds < want; {
		n := min(lostBatch, want-r.Rounds)
		l.batch(n, r.Rounds/lostBatch%2 == 1)
		r.Rounds += n
	}
	stop()
	w.finalCheck()
	l.oneExtraEach()
	r.Violations = w.reportViolations()
	r.Took = time.Since(began)
	r.Figure = fmt.Sprintf("every orphan known within %.1f s, none ever shown, %d replaced",
		l.worst.Seconds(), len(l.all))
	goal.Report(t, r)
}

// lostAnswers is the losing of answers: the first create of each e-mail address.
type lostAnswers struct {
	w     *world
	worst time.Duration // until a lost transaction was known

	mu      sync.Mutex           // guards the fields below
	left    int                  // to be lost in this batch
	all     map[string]string    // tracking code of what was lost, by e-mail; "" = not known yet
	waiting map[string]time.Time // when that was lost which the checkout does not know, by e-mail
}

// dropAnswer reports whether the answer to a create is to be lost.
func (l *lostAnswers) dropAnswer(body []byte) bool {
	var got struct{ Email string }
	l.mu.Lock()
	defer l.mu.Unlock()
	if json.Unmarshal(body, &got) != nil || l.left == 0 {
		return false
	}
	if _, again := l.all[got.Email]; again {
		return false
	}
	l.left--
	l.all[got.Email], l.waiting[got.Email] = "", time.Now()
	return true
}

// batch loses n answers, and waits until what they were about is known, and shoppers have paid.
func (l *lostAnswers) batch(n int, kill bool) {
	l.mu.Lock()
	l.left = n
	l.mu.Unlock()
	lost := func(most int) bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		return l.left <= most
	}
	if kill {
		fortest.Within(l.w.t, patience, "lost answers", func() bool { return lost(n / 2) })
		l.w.kill()
		l.w.startAndWait(0)
	}
	fortest.Within(l.w.t, patience+2*knownWithin, "lost transactions to be known", func() bool {
		return l.unknown() == 0 && lost(0)
	})
	l.w.awaitPaid(n / 2)
	l.w.awaitConsistency()
}

// unknown returns how many lost transactions the checkout does not know, and notes how long the
// others took.
func (l *lostAnswers) unknown() int {
	for _, s := range l.w.inconsistent() {
		if o, err := l.w.read(context.Background(), s.id); err == nil {
			l.w.recordTrackingCodes(s, o)
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, tx := range l.w.gateway.Transactions() { // oldest first
		if code, was := l.all[tx.Email]; was && code == "" {
			l.all[tx.Email] = tx.TrackingCode
		}
	}
	l.w.mu.Lock()
	defer l.w.mu.Unlock()
	for email, at := range l.waiting {
		if l.w.known[l.all[email]] != "" {
			l.worst = max(l.worst, time.Since(at))
			delete(l.waiting, email)
		}
	}
	return len(l.waiting)
}

// oneExtraEach checks that the lost transactions were known in time, were never shown, and cost one
// more each at most. That they are canceled is among the checks of every world.
func (l *lostAnswers) oneExtraEach() {
	if l.worst > knownWithin {
		l.w.violate("", "I2: a lost transaction was known after %v", l.worst)
	}
	byMail, lost := map[string]int{}, map[string]bool{}
	for _, tx := range l.w.gateway.Transactions() {
		if byMail[tx.Email]++; byMail[tx.Email] > 2 {
			l.w.violate("", "I2: %d transactions were opened for %s", byMail[tx.Email], tx.Email)
		}
		lost[l.all[tx.Email]] = true
	}
	for _, s := range l.w.sessions {
		for _, d := range s.shown {
			if lost[d.code] {
				l.w.violate(s.id, "I1: %s was shown, whose answer was lost", d.code)
			}
		}
	}
}
