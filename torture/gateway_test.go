//go:build linux

package torture

import (
	"bytes"
	"encoding/json"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"coinslot/bff/sandbox"
)

// gateway is the simulated gateway behind a bad network. It outlives every
// process under test: its journal records what was opened and paid.
type gateway struct {
	*sandbox.Server
	web *httptest.Server

	mu               sync.Mutex // guards the fields below
	rng              *rand.Rand
	share            float64                // of calls that go wrong
	creates          float64                // the same for create, where it matters most
	dropCreateAnswer func(body []byte) bool // whether the answer to this create is cut after processing; nil = as creates says
	codes            map[string]string      // tracking code by address
	opened           int                    // creates that were processed
	calls            int
	faulty           int
}

func newGateway(t testing.TB, key string, seed uint64) *gateway {
	g := &gateway{
		Server: sandbox.New(sandbox.Config{Key: key}),
		rng:    rand.New(rand.NewPCG(seed, 1)), codes: map[string]string{},
	}
	g.web = httptest.NewServer(g)
	t.Cleanup(g.web.Close)
	return g
}

// setFaults sets the shares of calls that go wrong: of all, and of create.
func (g *gateway) setFaults(share, creates float64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.share, g.creates = share, creates
}

// fault is what goes wrong with one call.
type fault struct {
	name      string
	processed bool // the call has its effect all the same
	answer    func(w http.ResponseWriter, got *httptest.ResponseRecorder)
}

// faults are drawn from with equal chance. They are those of a bad network and
// of a gateway with a proxy before it.
var faults = []fault{
	{"cut before", false, func(w http.ResponseWriter, _ *httptest.ResponseRecorder) { cut(w) }},
	{"cut after", true, func(w http.ResponseWriter, _ *httptest.ResponseRecorder) { cut(w) }},
	{"cut after", true, func(w http.ResponseWriter, _ *httptest.ResponseRecorder) { cut(w) }},
	{"cut inside", true, half},
	{"500 before", false, refusal(http.StatusInternalServerError)},
	{"500 after", true, refusal(http.StatusInternalServerError)},
	{"503 before", false, refusal(http.StatusServiceUnavailable)},
	{"504 after", true, refusal(http.StatusGatewayTimeout)},
	{"429", false, refusal(http.StatusTooManyRequests)},
	{"page", true, page},
	{"slow", true, func(w http.ResponseWriter, got *httptest.ResponseRecorder) {
		<-time.After(time.Duration(len(got.Body.Bytes())%50) * time.Millisecond)
		copyAnswer(w, got)
	}},
}

func cut(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	conn.Close()
}

func half(w http.ResponseWriter, got *httptest.ResponseRecorder) {
	body := got.Body.Bytes()
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.Write(body[:len(body)/2])
	panic(http.ErrAbortHandler)
}

func refusal(status int) func(http.ResponseWriter, *httptest.ResponseRecorder) {
	return func(w http.ResponseWriter, _ *httptest.ResponseRecorder) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		io.WriteString(w, `{"status":`+strconv.Itoa(status)+`,"data":null,"message":"not now"}`)
	}
}

func page(w http.ResponseWriter, _ *httptest.ResponseRecorder) {
	w.Header().Set("Content-Type", "text/html")
	io.WriteString(w, "<!doctype html><title>maintenance</title>")
}

func copyAnswer(w http.ResponseWriter, got *httptest.ResponseRecorder) {
	for name, values := range got.Header() {
		w.Header()[name] = values
	}
	w.WriteHeader(got.Code)
	w.Write(got.Body.Bytes())
}

// ServeHTTP is the gateway as the process under test meets it.
func (g *gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !strings.HasPrefix(r.URL.Path, "/api/") {
		g.Server.ServeHTTP(w, r)
		return
	}
	create := strings.HasSuffix(r.URL.Path, "/transaction/create")
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler) // the caller has gone before it was understood
	}
	f := g.chooseFault(create, body)
	got := httptest.NewRecorder()
	if f == nil || f.processed {
		r.Body = io.NopCloser(bytes.NewReader(body))
		g.Server.ServeHTTP(got, r)
		if create {
			g.recordTrackingCodes(got.Body.Bytes())
		}
	}
	if f != nil {
		f.answer(w, got)
		return
	}
	copyAnswer(w, got)
}

// chooseFault returns what goes wrong with this call, nil for nothing.
func (g *gateway) chooseFault(create bool, body []byte) *fault {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.calls++
	if create && g.dropCreateAnswer != nil {
		if g.dropCreateAnswer(body) {
			g.faulty++
			return &faults[1]
		}
		return nil
	}
	share := g.share
	if create {
		share = g.creates
	}
	if g.rng.Float64() >= share {
		return nil
	}
	g.faulty++
	return &faults[g.rng.IntN(len(faults))]
}

// recordTrackingCodes notes the address that create has given out, heard or not.
func (g *gateway) recordTrackingCodes(answer []byte) {
	var got struct {
		Data struct {
			TrackingCode  string `json:"tracking_code"`
			WalletAddress string `json:"wallet_address"`
		}
	}
	if json.Unmarshal(answer, &got) != nil || got.Data.TrackingCode == "" {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.opened++
	g.codes[got.Data.WalletAddress] = got.Data.TrackingCode
}

// code returns the tracking code of an address that was given out, else "".
func (g *gateway) code(address string) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.codes[address]
}

// records returns every transaction by tracking code, as it stands now.
func (g *gateway) records() map[string]sandbox.Transaction {
	all := map[string]sandbox.Transaction{}
	for _, tx := range g.Transactions() {
		all[tx.TrackingCode] = tx
	}
	return all
}
