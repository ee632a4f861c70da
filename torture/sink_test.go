//go:build linux

package torture

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// sink is the merchant's webhook endpoint: it verifies, writes down, and fails
// at random, sometimes after it has written down.
type sink struct {
	web     *httptest.Server
	key     []byte
	search  func(place string, text []byte) // for secrets
	onEvent func(event)                     // of each event when it first comes; set before the first

	down     atomic.Bool // answers 503, and has read nothing
	restored atomic.Bool // events may come again that were made again, later

	mu        sync.Mutex // guards the fields below
	rng       *rand.Rand
	share     float64 // of deliveries that fail
	events    map[string]*event
	bySession map[string][]*event
	bad       []string
	posts     int
}

// event is a webhook as the merchant has understood it.
type event struct {
	id, kind, session, status string
	version                   int64
	attempts                  []attempt
	body                      string
	at                        time.Time // of its first arrival
	times                     int
}

func newSink(t testing.TB, key []byte, seed uint64, search func(string, []byte)) *sink {
	k := &sink{
		key: key, search: search, rng: rand.New(rand.NewPCG(seed, 2)),
		events: map[string]*event{}, bySession: map[string][]*event{},
	}
	k.web = httptest.NewServer(k)
	t.Cleanup(k.web.Close)
	return k
}

// setFaults sets the share of deliveries that are not answered by a 2xx.
func (k *sink) setFaults(share float64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.share = share
}

func (k *sink) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if k.down.Load() {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the sender was killed in the middle
	}
	k.search("a webhook", body)
	why := verify(k.key, r.Header, body)
	first := k.take(r.Header.Get("webhook-id"), body, why)
	if first != nil && k.onEvent != nil {
		k.onEvent(*first)
	}
	switch chooseFault := k.chooseFault(first != nil); chooseFault {
	case 0:
	case 1:
		w.WriteHeader(http.StatusInternalServerError)
	case 2:
		cut(w)
	default:
		select {
		case <-r.Context().Done():
		case <-time.After(time.Duration(chooseFault) * time.Millisecond):
		}
	}
}

// chooseFault returns 0 for a good answer, 1 and 2 for failures, more for how many
// milliseconds a good one takes. Only the first try of an event goes wrong: the
// pause after the second is half a minute.
func (k *sink) chooseFault(first bool) int {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !first || k.rng.Float64() >= k.share {
		return 0
	}
	return []int{1, 1, 2, 40}[k.rng.IntN(4)]
}

// take writes a delivery down and returns its event if it is new.
func (k *sink) take(id string, body []byte, why string) *event {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.posts++
	var got struct {
		Type string
		Data object
	}
	if err := json.Unmarshal(body, &got); err != nil && why == "" {
		why = "body: " + err.Error()
	}
	if e := k.events[id]; e != nil {
		again := k.restored.Load() && e.kind == got.Type && e.session == got.Data.ID
		if e.times++; e.body != string(body) && got.Data.ErasedAt == "" && !again {
			why = "two bodies under the id " + id
		}
		if why != "" {
			k.bad = append(k.bad, why)
		}
		return nil
	}
	if why != "" {
		k.bad = append(k.bad, why)
		return nil
	}
	e := &event{
		id:       id,
		kind:     got.Type,
		session:  got.Data.ID,
		status:   got.Data.Status,
		version:  got.Data.Version,
		attempts: got.Data.Attempts, body: string(body), at: time.Now(), times: 1,
	}
	k.events[id] = e
	k.bySession[e.session] = append(k.bySession[e.session], e)
	return e
}

// count returns how many events of a kind have come for a session.
func (k *sink) count(session, kind string) int {
	k.mu.Lock()
	defer k.mu.Unlock()
	n := 0
	for _, e := range k.bySession[session] {
		if e.kind == kind {
			n++
		}
	}
	return n
}

// wrong returns what was wrong with deliveries.
func (k *sink) wrong() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return append([]string(nil), k.bad...)
}

// verify is Standard Webhooks 1.0.0 with symmetric keys, written from the
// specification and with nothing of ours.
func verify(key []byte, h http.Header, body []byte) string {
	at, err := strconv.ParseInt(h.Get("webhook-timestamp"), 10, 64)
	if err != nil || time.Since(time.Unix(at, 0)).Abs() > 5*time.Minute {
		return "timestamp " + h.Get("webhook-timestamp")
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%d.%s", h.Get("webhook-id"), at, body)
	want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for got := range strings.FieldsSeq(h.Get("webhook-signature")) {
		if hmac.Equal([]byte(got), []byte(want)) {
			return ""
		}
	}
	return "no signature of " + h.Get("webhook-id") + " matches"
}
