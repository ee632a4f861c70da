package webhook

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"coinslot/app/wire"
	"coinslot/bff/payment"
)

const (
	// testsPerMinute bounds the tests of one Sender: callers are authenticated, but an
	// endpoint may belong to a third party.
	testsPerMinute = 10
	// keyLifetime is how long the same key means the same message.
	keyLifetime = time.Hour
	// maxTestNote bounds the part of an answer that a test result shows, in characters.
	maxTestNote = 200
)

// Why no test is sent.
var (
	ErrNoEndpoint error = &wire.Error{
		Code:   wire.CodeWebhookUnset,
		Detail: "no webhook endpoint is configured",
	}
	ErrTooManyTests error = &wire.Error{
		Code:   wire.CodeRateLimited,
		Detail: "too many test webhooks in a minute",
	}
)

// EventTest is the type of a test message, which is about no payment. It is sent once, on
// request, and is in no log.
const EventTest payment.EventType = "checkout.test"

// TestResult is the result of sending one message of [EventTest].
type TestResult struct {
	Event      string         // the event's id, "evt_…"
	Deliveries []TestDelivery // one for each endpoint, as they are configured
}

// Delivered reports whether every endpoint has accepted it.
func (t TestResult) Delivered() bool {
	return !slices.ContainsFunc(t.Deliveries, func(d TestDelivery) bool { return !d.Delivered })
}

// TestDelivery is the result at one endpoint.
type TestDelivery struct {
	Endpoint  string        // URL, whose path and query may hold a key
	Delivered bool          // answered with 2xx
	Status    int           // HTTP status; zero = none was read
	Took      time.Duration // from the begin of the try to the end of its answer
	// at most 200 characters of what was answered or went wrong, on one line
	Note    string
	Failure Failure // why it was not taken; the zero Fault if it was
}

// Test sends a message of [EventTest] to every endpoint at once, also to one that has
// answered 410, just as a payment's would be sent. It waits for their answers, for
// Config.Timeout at most, even if ctx ends. The test is in no outbox and no metric, is not
// tried again, and turns no endpoint off.
//
// The same key sends the same message again, id and body, within an hour and by this Sender;
// "" is a new one each time.
//
// Errors: [ErrNoEndpoint]; [ErrTooManyTests] after ten in a minute. What
// endpoints answer is none.
func (s *Sender) Test(ctx context.Context, key string) (TestResult, error) {
	if len(s.workers) == 0 {
		return TestResult{}, ErrNoEndpoint
	}

	d, ok := s.tests.begin(key, time.Now(), s.config.Now())
	if !ok {
		return TestResult{}, ErrTooManyTests
	}

	tested := TestResult{
		Event:      d.EventID,
		Deliveries: make([]TestDelivery, len(s.workers)),
	}
	var all sync.WaitGroup
	for i, l := range s.workers {
		all.Go(func() { tested.Deliveries[i] = l.test(context.WithoutCancel(ctx), d) })
	}

	all.Wait()
	return tested, nil
}

// Test is [Sender.Test] without a Sender: c needs no Outbox. Errors: those of [New] and of
// Sender.Test.
func Test(ctx context.Context, c Config) (TestResult, error) {
	s, err := newSender(c)
	if err != nil {
		return TestResult{}, err
	}
	defer s.client.CloseIdleConnections()
	return s.Test(ctx, "")
}

// Once makes a single try of d, signed with the secrets of c, which needs neither an Outbox nor
// Endpoints. Errors: those of [New]. What the endpoint answers is none.
func Once(ctx context.Context, c Config, d Delivery) (TestDelivery, error) {
	c.Endpoints = []string{d.Endpoint}
	s, err := newSender(c)
	if err != nil {
		return TestDelivery{}, err
	}
	defer s.client.CloseIdleConnections()
	return s.workers[0].test(ctx, d), nil
}

func (w *worker) test(ctx context.Context, d Delivery) TestDelivery {
	d.Endpoint = w.endpoint
	began := time.Now()
	a := w.s.post(ctx, d)
	t := TestDelivery{
		Endpoint:  w.endpoint,
		Delivered: a.delivered(),
		Status:    a.status,
		Took:      time.Since(began),
		Note:      truncate(a.note, maxTestNote),
		Failure:   a.failure(),
	}
	w.s.config.Log.InfoContext(ctx, "webhook tested", "event", d.EventID, "host", w.host, "status",
		t.Status, "fault", t.Failure.Code)
	return t
}

func truncate(text string, n int) string {
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	return string([]rune(text)[:n-1]) + "…"
}

// testBody has no id, reference, status or amount, so that a careless server cannot take it
// for an order.
func testBody(at time.Time) []byte {
	type data struct {
		Object  string `json:"object"`
		Test    bool   `json:"test"`
		Message string `json:"message"`
	}
	body, err := json.Marshal(struct {
		Type      payment.EventType `json:"type"`
		Timestamp payment.Timestamp `json:"timestamp"`
		Data      data              `json:"data"`
	}{
		EventTest, payment.Timestamp{Time: at},
		data{
			Object:  "test",
			Test:    true,
			Message: "This is a test. It tells of no payment: answer 2xx and do nothing.",
		},
	})
	if err != nil {
		panic("encoding a test: " + err.Error()) // plain data: cannot fail
	}

	return body
}

// tests are those of the last hour, to be counted and repeated.
type tests struct {
	mu   sync.Mutex
	list []sentTest // the oldest first
}

type sentTest struct {
	key     string
	at      time.Time
	message Delivery // without an endpoint
}

// begin returns the message of another test and counts it. ok is false after too many in the
// minute before now. stamp is the time of a new message.
func (t *tests) begin(key string, now, stamp time.Time) (message Delivery, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.list = slices.DeleteFunc(t.list,
		func(b sentTest) bool { return now.Sub(b.at) >= keyLifetime })
	n := len(t.list)
	if n >= testsPerMinute && now.Sub(t.list[n-testsPerMinute].at) < time.Minute {
		return message, false
	}

	message = Delivery{
		EventID: "evt_" + strings.ToLower(rand.Text()),
		Type:    EventTest,
		Body:    testBody(stamp),
	}
	for _, b := range t.list {
		if key != "" && b.key == key {
			message = b.message
		}
	}

	t.list = append(t.list, sentTest{key, now, message})
	return message, true
}
