//go:build linux

package torture

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"coinslot/app/wire"
	"coinslot/torture/goal"
)

const (
	// knownWithin is how soon a lost transaction must be known. Here the process runs at real pace.
	knownWithin = 120 * time.Second
	lostBatch   = 50
)

// TestTortureLostAnswers loses the answer to every session's first create, after the gateway has
// opened the transaction. After every second batch the process is killed as well.
func TestTortureLostAnswers(t *testing.T) {
	began := time.Now()
	r := goal.Result{Goal: "lost create answers", Wanted: 1000, Seed: goal.Seed(t)}
	w := newWorld(t, r.Seed, newSQLite(t), 1)
	w.env = append(w.env, "CRASH_HURRY=1")
	lost := newLostAnswers(w)
	w.startAndWait(0)
	want := goal.Rounds(10, 1000)
	for r.Rounds < want {
		n := min(lostBatch, want-r.Rounds)
		lost.batch(n, r.Rounds/lostBatch%2 == 1)
		r.Rounds += n
	}
	w.finalCheck()
	for id, worst := range lost.took {
		if worst > knownWithin {
			w.violate(id, "I2: its lost transaction was known after %v", worst)
		}
	}
	w.oneExtraEach()
	r.Violations = w.reportViolations()
	r.Took = time.Since(began)
	r.Figure = fmt.Sprintf("every orphan known within %.1f s, none ever shown, %d replaced", lost.worst().Seconds(), len(lost.took))
	goal.Report(t, r)
}

// lostAnswers is the losing of answers: the first create of each e-mail address.
type lostAnswers struct {
	w *world

	next int // number of the next shopper

	mu    sync.Mutex               // guards the fields below
	seen  map[string]time.Time     // when the first create was lost, by e-mail
	codes map[string]string        // what it had opened, by e-mail
	took  map[string]time.Duration // until it was known, by session
}

func newLostAnswers(w *world) *lostAnswers {
	l := &lostAnswers{w: w, seen: map[string]time.Time{}, codes: map[string]string{}, took: map[string]time.Duration{}}
	w.gateway.dropCreateAnswer = l.dropAnswer
	return l
}

// dropAnswer reports whether the answer to a create is to be lost.
func (l *lostAnswers) dropAnswer(body []byte) bool {
	var got struct{ Email string }
	if json.Unmarshal(body, &got) != nil {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, again := l.seen[got.Email]; again {
		return false
	}
	l.seen[got.Email] = time.Now()
	return true
}

// batch opens n sessions, chooses a coin for all of them at once, and follows
// each until its shopper can pay.
func (l *lostAnswers) batch(n int, kill bool) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*knownWithin)
	defer cancel()
	var all sync.WaitGroup
	for range n {
		b := &shopper{w: l.w, name: fmt.Sprint("shopper ", l.next), last: map[string]int64{}, ip: fmt.Sprintf("10.%d.%d.1", l.next/250, l.next%250)}
		l.next++
		all.Go(func() { l.followUntilPayable(ctx, b) })
	}
	if kill {
		l.w.killAfter(ctx, func() bool { return l.lostSoFar() > l.next-n/2 })
	}
	all.Wait()
}

func (l *lostAnswers) lostSoFar() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.seen)
}

// killAfter kills the process when reached says so, and starts it again.
func (w *world) killAfter(ctx context.Context, reached func() bool) {
	for !reached() && ctx.Err() == nil {
		<-wait(time.Millisecond)
	}
	w.kill()
	w.startAndWait(0)
}

// followUntilPayable is one session from its order until it can be paid.
func (l *lostAnswers) followUntilPayable(ctx context.Context, b *shopper) {
	email := fmt.Sprintf("%s@torture.example", b.name[8:])
	s := l.order(ctx, email)
	known, again := false, time.Time{}
	for ctx.Err() == nil {
		if !known {
			known = l.known(ctx, s, email)
		}
		v, ok := b.view(ctx, s)
		switch {
		case ok && v.Status == wire.Open && time.Now().After(again):
			b.post(ctx, s, "attempts", `{"currency_symbol":"USDT","network_code":"trc20"}`)
			again = time.Now().Add(2 * time.Second) // as a person would, reading that the gateway is unavailable
		case ok && v.Status == wire.Pending && known:
			return
		}
		<-wait(25 * time.Millisecond)
	}
	l.w.violate(s.id, "I2: it was not found or replaced within %v", 2*knownWithin)
}

func (l *lostAnswers) order(ctx context.Context, email string) *session {
	for ctx.Err() == nil {
		status, body, err := l.w.merchant(ctx, http.MethodPost, "/v1/sessions",
			fmt.Sprintf(`{"amount_usd":"25.00","order_ref":%q,"email":%q}`, email, email), "Idempotency-Key", email)
		var o object
		if err == nil && status/100 == 2 && json.Unmarshal(body, &o) == nil {
			return l.w.acknowledged(o, "25.00", email, "wait")
		}
		<-wait(10 * time.Millisecond)
	}
	l.w.t.Error("no session could be opened")
	return &session{seen: map[int64]viewState{}}
}

// known reports whether the lost transaction is known, and notes since when.
func (l *lostAnswers) known(ctx context.Context, s *session, email string) bool {
	code := l.code(email)
	o, err := l.w.read(ctx, s.id)
	if err != nil || code == "" || !slices.ContainsFunc(o.Attempts, func(a attempt) bool { return a.TrackingCode == code }) {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.took[s.id] = time.Since(l.seen[email])
	return true
}

// code returns the tracking code of the transaction whose answer was lost, "" if there is none yet.
func (l *lostAnswers) code(email string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, was := l.seen[email]; !was || l.codes[email] != "" {
		return l.codes[email]
	}
	for _, tx := range l.w.gateway.Transactions() { // oldest first
		if l.codes[tx.Email] == "" {
			l.codes[tx.Email] = tx.TrackingCode
		}
	}
	return l.codes[email]
}

// worst returns the longest time until a lost transaction was known.
func (l *lostAnswers) worst() (worst time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, took := range l.took {
		worst = max(worst, took)
	}
	return worst
}

// oneExtraEach checks that the lost transactions were never shown, are
// cancelled, and cost one more each at most.
func (w *world) oneExtraEach() {
	byMail := map[string]int{}
	for _, tx := range w.gateway.Transactions() {
		if byMail[tx.Email]++; byMail[tx.Email] > 2 {
			w.violate("", "I2: %d transactions were opened for %s", byMail[tx.Email], tx.Email)
		}
	}
	records := w.gateway.records()
	for _, s := range w.sessions {
		for _, d := range s.shown {
			if records[d.code].Status != "pending" {
				w.violate(s.id, "I1: %s was shown and is %s", d.code, records[d.code].Status)
			}
		}
	}
}
