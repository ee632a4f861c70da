package webhook

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"coinslot/bff/fortest"

	"github.com/google/go-cmp/cmp"
)

// tested sends one test to a server that answers by handle.
func tested(t *testing.T, handle http.HandlerFunc, change func(*Config)) TestDelivery {
	t.Helper()
	server := httptest.NewServer(handle)
	defer server.Close()
	return testedAt(t, server.URL+"/hook?key=s3cr3t", change)
}

func testedAt(t *testing.T, endpoint string, change func(*Config)) TestDelivery {
	t.Helper()
	q := newQueue()
	s := sender(t, q, change, endpoint)
	s.config.Began = func(ctx context.Context, _ Delivery) (context.Context, func(DeliveryResult)) {
		t.Error("it is counted as a delivery")
		return ctx, func(DeliveryResult) {}
	}
	got, err := s.Test(t.Context(), "")
	if err != nil || len(got.Deliveries) != 1 || got.Deliveries[0].Endpoint != endpoint ||
		got.Delivered() != got.Deliveries[0].Delivered {
		t.Fatalf("Test = %+v, %v; want one delivery", got, err)
	}
	fortest.Equal(t, len(q.rows), 0, "the outbox has rows")
	return got.Deliveries[0]
}

// TestTestIsSigned: what a merchant's server sees is signed as all is, says what
// it is, and has nothing of an order.
func TestTestIsSigned(t *testing.T) {
	at := time.Unix(1_800_000_000, 0)
	var header http.Header
	var body []byte
	got := tested(t, func(w http.ResponseWriter, r *http.Request) {
		header = r.Header
		body, _ = io.ReadAll(r.Body)
		io.WriteString(w, "thank you\x1b[31m")
	}, func(c *Config) {
		c.Now, c.Secrets = func() time.Time { return at }, []string{secretTwo, secretOne}
	})
	if !got.Delivered || got.Status != 200 || got.Took <= 0 || got.Note != "thank you [31m" ||
		got.Failure != (Failure{}) {
		t.Errorf("delivery = %+v; want taken", got)
	}
	id := header.Get("webhook-id")
	if want := independent(secretTwo, id, at.Unix(), body) + " " +
		independent(
			secretOne,
			id,
			at.Unix(),
			body,
		); header.Get("webhook-signature") != want || len(id) != 30 ||
		!strings.HasPrefix(id, "evt_") {
		t.Errorf("event %q has the signature %q; want %q", id, header.Get("webhook-signature"),
			want)
	}
	var event map[string]any
	fortest.OK(t, json.Unmarshal(body, &event))
	want := map[string]any{
		"type":      "checkout.test",
		"timestamp": "2027-01-15T08:00:00.000Z",
		"data": map[string]any{
			"object":  "test",
			"test":    true,
			"message": "This is a test. It tells of no payment: answer 2xx and do nothing."}}
	fortest.Diff(t, event, want, "body")
}

// TestFailuresByStatus: each status that is no yes has its reason, and every reason has words.
func TestFailuresByStatus(t *testing.T) {
	for status, want := range map[int]string{
		200: "",
		204: "",
		299: "",
		301: "redirected",
		308: "redirected",
		400: "message_refused",
		401: "signature_refused",
		403: "signature_refused",
		404: "path_unknown",
		405: "path_unknown",
		410: "endpoint_gone",
		415: "message_refused",
		429: "message_refused",
		500: "server_failed",
		503: "server_failed",
	} {
		got := tested(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "http://127.0.0.1:1/")
			w.WriteHeader(status)
		}, nil)
		if got.Failure.Code != want || got.Status != status || got.Delivered != (want == "") {
			t.Errorf("%d: delivery = %+v; want %q", status, got, want)
		}
	}
}

// TestConnectionFailures: what keeps a message from arriving has its reason, without
// the address's query.
func TestConnectionFailures(t *testing.T) {
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	defer secure.Close()
	old := httptest.NewUnstartedServer(http.NotFoundHandler())
	old.Config.ErrorLog = secure.Config.ErrorLog
	old.TLS = &tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}
	old.StartTLS()
	defer old.Close()
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	broken := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if c, _, err := http.NewResponseController(w).Hijack(); err == nil {
			c.Close()
		}
	}))
	defer broken.Close()
	(&fortest.Names{}).Use(t)
	for name, tc := range map[string]struct{ endpoint, want string }{
		"no server":   {"http://127.0.0.1:1/hook?key=s3cr3t", "not_connected"},
		"no name":     {"https://none.example/hook?key=s3cr3t", "name_unknown"},
		"certificate": {secure.URL + "/hook?key=s3cr3t", "https_failed"},
		"old TLS":     {old.URL + "/hook?key=s3cr3t", "https_failed"},
		"no TLS": {
			strings.Replace(plain.URL, "http:", "https:", 1) + "/hook?key=s3cr3t",
			"https_failed",
		},
		"closed at once": {broken.URL + "/hook?key=s3cr3t", "answer_unreadable"},
		"https by http": {
			strings.Replace(secure.URL, "https:", "http:", 1) + "/hook?key=s3cr3t",
			"message_refused",
		}, // Go's own answer is 400
		"nothing is here": {plain.URL + "/hook?key=s3cr3t", "path_unknown"},
	} {
		got := testedAt(t, tc.endpoint, nil)
		if got.Failure.Code != tc.want || got.Note == "" || strings.Contains(got.Note, "s3cr3t") {
			t.Errorf("%s: delivery = %+v; want %s", name, got, tc.want)
		}
	}
	hangs := tested(t, func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	}, func(c *Config) { c.Timeout = 50 * time.Millisecond })
	if hangs.Failure.Code != "no_answer_in_time" {
		t.Errorf("an endpoint that hangs: %+v", hangs)
	}
}

// TestTestIsGuarded: a name that leads inside is not connected to.
func TestTestIsGuarded(t *testing.T) {
	var names fortest.Names
	names.Set("shop.example", "", addresses("10.0.0.1"))
	names.Use(t)
	got := testedAt(t, "https://shop.example/hook", func(c *Config) { c.AllowPrivate = false })
	if got.Failure.Code != "address_private" || strings.Contains(got.Note, "10.0.0.1") {
		t.Errorf("delivery = %+v; want address_private, which names no address", got)
	}
}

// TestTestTurnsNothingOff: an endpoint that says 410 to a test hears of payments
// all the same, and one that has said it before is still tested.
func TestTestTurnsNothingOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, status := newQueue(), http.StatusGone
		s := sender(
			t,
			q,
			nil,
			healthy,
		).over(network{
			"healthy.example": func(r *http.Request) (*http.Response, error) {
				return answering(status)(r)
			},
		})
		if got, err := s.Test(
			t.Context(),
			"",
		); err != nil || got.Deliveries[0].Failure.Code != "endpoint_gone" || s.Gone() != nil {
			t.Fatalf("Test = %+v, %v, gone %v; want endpoint_gone and nothing turned off", got, err,
				s.Gone())
		}
		q.add(event(1, healthy, time.Now()))
		if n, err := s.Pass(t.Context()); n != 1 || err != nil || len(s.Gone()) != 1 {
			t.Fatalf("Pass = %d, %v, gone %v; want one try, which is answered 410", n, err,
				s.Gone())
		}
		status = http.StatusOK
		if got, err := s.Test(t.Context(), ""); err != nil || !got.Delivered() {
			t.Errorf("Test of an endpoint that was gone = %+v, %v; want taken", got, err)
		}
	})
}

// TestTestOfSeveral: all are sent the same message at the same time; a key is an
// id, and ten a minute are enough.
func TestTestOfSeveral(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := sender(
			t,
			newQueue(),
			nil,
			dead,
			slow,
			healthy,
		).over(network{
			"dead.example":    answering(500),
			"slow.example":    hanging,
			"healthy.example": answering(204),
		})
		began := time.Now()
		first, err := s.Test(t.Context(), "ci-1")
		if took := time.Since(began); err != nil || took != 20*time.Second {
			t.Fatalf("Test = %v after %v; want nil after 20s", err, took)
		}
		var codes []string
		for _, delivery := range first.Deliveries {
			codes = append(codes, delivery.Failure.Code)
		}
		diff := cmp.Diff([]string{"server_failed", "no_answer_in_time", ""}, codes)
		if diff != "" || first.Delivered() {
			t.Errorf("faults (-want +got):\n%s", diff)
		}
		bodies := map[string]string{} // by id
		keep := func(r *http.Request) (*http.Response, error) {
			body, _ := io.ReadAll(r.Body)
			before, known := bodies[r.Header.Get("webhook-id")]
			if known && before != string(body) {
				t.Errorf("two bodies of one id: %s and %s", before, body)
			}
			bodies[r.Header.Get("webhook-id")] = string(body)
			return answering(200)(r)
		}
		s.over(network{
			"dead.example":    answering(500),
			"slow.example":    answering(500),
			"healthy.example": keep,
		})
		<-time.After(time.Second)
		again, _ := s.Test(t.Context(), "ci-1")
		<-time.After(time.Second)
		again, _ = s.Test(t.Context(), "ci-1")
		other, _ := s.Test(t.Context(), "ci-2")
		some, _ := s.Test(t.Context(), "")
		none, _ := s.Test(t.Context(), "")
		if some.Event == none.Event || again.Event != first.Event || other.Event == first.Event ||
			none.Event == first.Event || len(other.Event) != len(none.Event) {
			t.Errorf("events %s, again %s, another key %s, none %s", first.Event, again.Event,
				other.Event, none.Event)
		}
		for range testsPerMinute {
			_, err = s.Test(t.Context(), "")
		}
		fortest.Is(t, err, ErrTooManyTests, "the eleventh in a minute")
		<-time.After(30 * time.Second)
		if _, err = s.Test(t.Context(), ""); !errors.Is(err, ErrTooManyTests) {
			t.Errorf("half a minute later = %v; want ErrTooManyTests", err)
		}
		<-time.After(30 * time.Second)
		if _, err = s.Test(t.Context(), ""); err != nil {
			t.Errorf("a minute later = %v", err)
		}
		<-time.After(keyLifetime)
		if later, err := s.Test(t.Context(), "ci-1"); err != nil || later.Event == first.Event {
			t.Errorf("the key after an hour = %+v, %v; want another message", later, err)
		}
	})
}

// TestTestWithoutSender: a process that delivers nothing can test; no endpoint is an error.
func TestTestWithoutSender(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer server.Close()
	c := Config{Endpoints: []string{server.URL}, Secrets: []string{secretOne}, AllowPrivate: true}
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // as a server's limit for reading a request does while an endpoint is slow
	if got, err := Test(ctx, c); err != nil || !got.Delivered() {
		t.Errorf("Test = %+v, %v; want taken", got, err)
	}
	if _, err := Test(t.Context(), Config{}); !errors.Is(err, ErrNoEndpoint) {
		t.Errorf("Test without an endpoint = %v; want ErrNoEndpoint", err)
	}
	if _, err := Test(t.Context(), Config{Endpoints: []string{server.URL}}); err == nil {
		t.Error("Test without a secret = nil; want an error")
	}
}
