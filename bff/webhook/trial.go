package webhook

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"

	"coinslot/bff/checkout"
)

// testsPerMinute is how many tests one Sender sends in a minute at most: who asks
// for them has a key, but an endpoint may be somebody else's.
const testsPerMinute = 10

// Test sends a message of [checkout.EventTest] to every endpoint, all at the same
// time and one that has answered 410 too, just as a payment's would be sent. It
// waits for their answers, for Config.Timeout at most, and the end of ctx does not
// cut it short. Nothing else comes of it: it is in no outbox and no metric, is not
// tried again, and turns no endpoint off.
//
// The same key gives the message the same id; "" is another one each time.
//
// Errors: [checkout.ErrNoEndpoint]; [checkout.ErrTooManyTests] after ten in a
// minute. What endpoints answer is none.
func (s *Sender) Test(ctx context.Context, key string) (checkout.Tested, error) {
	switch {
	case len(s.lines) == 0:
		return checkout.Tested{}, checkout.ErrNoEndpoint
	case !s.tests.take(time.Now()):
		return checkout.Tested{}, checkout.ErrTooManyTests
	}
	d := checkout.Delivery{EventID: testID(key), Type: checkout.EventTest, Body: testBody(s.now())}
	tested := checkout.Tested{Event: d.EventID, Trials: make([]checkout.Trial, len(s.lines))}
	var all sync.WaitGroup
	for i, l := range s.lines {
		all.Go(func() { tested.Trials[i] = l.test(context.WithoutCancel(ctx), d) })
	}
	all.Wait()
	return tested, nil
}

// Test is [Sender.Test] for who has no Sender: c needs no Outbox. Errors: those of
// [New] and of Sender.Test.
func Test(ctx context.Context, c Config) (checkout.Tested, error) {
	s, err := prepare(c)
	if err != nil {
		return checkout.Tested{}, err
	}
	defer s.client.CloseIdleConnections()
	return s.Test(ctx, "")
}

// test makes the one try to an endpoint.
func (l *line) test(ctx context.Context, d checkout.Delivery) checkout.Trial {
	d.Endpoint = l.endpoint
	began := time.Now()
	a := l.s.post(ctx, d)
	t := checkout.Trial{Endpoint: l.endpoint, Taken: a.taken(), Status: a.status, Took: time.Since(began), Note: a.note, Fault: a.fault()}
	l.s.log.InfoContext(ctx, "webhook tested", "event", d.EventID, "host", l.host, "status", t.Status, "taken", t.Taken, "fault", t.Fault.Code)
	return t
}

// testID returns an id that no event has; it says nothing of key.
func testID(key string) string {
	if key == "" {
		return "evt_" + strings.ToLower(rand.Text())
	}
	sum := sha256.Sum256([]byte(string(checkout.EventTest) + "\n" + key))
	return "evt_" + strings.ToLower(base32.StdEncoding.EncodeToString(sum[:])[:26])
}

// testBody has nothing in it that a careless server could take for an order: no
// id, no reference, no status, no amount.
func testBody(at time.Time) []byte {
	type data struct {
		Object  string `json:"object"`
		Test    bool   `json:"test"`
		Message string `json:"message"`
	}
	body, err := json.Marshal(struct {
		Type      checkout.EventType `json:"type"`
		Timestamp time.Time          `json:"timestamp"`
		Data      data               `json:"data"`
	}{checkout.EventTest, at.UTC(), data{Object: "test", Test: true, Message: "This is a test. It tells of no payment: answer 2xx and do nothing."}})
	if err != nil {
		panic("encoding a test: " + err.Error()) // plain data: cannot fail
	}
	return body
}

// quota counts tests. It is safe for concurrent use.
type quota struct {
	mu    sync.Mutex
	begun []time.Time // within the last minute
}

// take reports whether another test may begin at now, and counts it if so.
func (q *quota) take(now time.Time) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.begun = slices.DeleteFunc(q.begun, func(t time.Time) bool { return now.Sub(t) >= time.Minute })
	if len(q.begun) >= testsPerMinute {
		return false
	}
	q.begun = append(q.begun, now)
	return true
}
