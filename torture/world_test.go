//go:build linux

package torture

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/e2e/built"
	"coinslot/e2e/need"
)

// speedup is by how much the pauses of the process under test are shortened.
const speedup = 30

// retention is how long after its end a session is deleted or, if it was paid, its personal data
// erased.
const retention = 2 * time.Second

// world is a checkout with everything around it. It lives for many lives of the process.
type world struct {
	t          testing.TB
	seed       uint64
	secrets    *secrets
	gateway    *gateway
	sink       *sink
	store      database
	log        *tail
	client     *http.Client
	hosts      []string // host:port of each instance
	origin     string   // COINSLOT_PUBLIC_URL
	env        []string
	release    string        // path of the program that is started; "" = the one under test
	pause      time.Duration // the longest pause between two steps of a shopper
	listens    time.Duration // how long a socket stays open
	plans      []string      // what shoppers set out to do, drawn with equal chance
	pauseSteps sync.RWMutex  // a shopper's step holds it for reading, settling for writing
	observed   *observations
	follower   *follower // nil = none reads the event log

	mu            sync.Mutex // guards the fields below
	rng           *rand.Rand
	up            chan struct{} // closed while the process serves; replaced when it dies
	running       []*process    // by instance
	sessions      map[string]*session
	consistent    map[string]bool // sessions that were found right and will not change
	notes         []note
	violations    []violation
	known         map[string]string // session by tracking code
	starts        int
	preferredPlan string // see preferPlan
	histories     int    // that were checked
	observations  int    // in them
	writes        int    // of those, acknowledged requests to change something
}

// note is a line of the world's history.
type note struct {
	at      time.Time
	session string // empty = of all
	text    string
}

// violation is an invariant that was broken.
type violation struct {
	session, what string
}

// newWorld makes everything but starts no process.
func newWorld(t testing.TB, seed uint64, store database, instances int) *world {
	t.Helper()
	need.Long(t, "it kills the program many times")
	built.TrackSources(t)
	s := newSecrets()
	w := &world{
		t: t, seed: seed, secrets: s, store: store,
		rng:      rand.New(rand.NewPCG(seed, 0)),
		up:       make(chan struct{}),
		running:  make([]*process, instances),
		sessions: map[string]*session{}, consistent: map[string]bool{}, known: map[string]string{},
		observed: newObservations(),
		pause:    13 * time.Millisecond, listens: 30 * time.Second, plans: plans,
	}
	w.log = &tail{search: s.search}
	w.gateway = newGateway(t, s.gatewayKey, seed)
	w.sink = newSink(t, s.hookKey, seed, s.search)
	w.sink.onEvent = w.checkEvent
	w.client = &http.Client{
		Timeout:   30 * time.Second,
		Transport: &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true},
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		},
	}
	for range instances {
		w.hosts = append(w.hosts, freeHost(t))
	}
	w.origin = "http://" + w.hosts[0]
	w.settings()
	t.Cleanup(w.end)
	return w
}

// settings are the environment of every process, all secrets being canaries.
func (w *world) settings() {
	s := w.secrets
	w.env = []string{
		"COINSLOT_PUBLIC_URL=" + w.origin, "COINSLOT_ORIGINS=" + w.origin,
		"COINSLOT_GATEWAY_URL=" + w.gateway.web.URL,
		"COINSLOT_GATEWAY_PAGE_URL=" + w.gateway.web.URL + "/pay",
		"COINSLOT_GATEWAY_KEY=" + s.gatewayKey, "COINSLOT_SECRET_KEY=" + s.secretKey,
		"COINSLOT_ORDER_KEY=" + s.orderKey, "COINSLOT_HOOK_TOKEN=" + s.hookToken,
		"COINSLOT_WEBHOOK_URL=" + w.sink.web.URL + "/hook",
		"COINSLOT_WEBHOOK_SECRET=whsec_" + base64.StdEncoding.EncodeToString(s.hookKey),
		"COINSLOT_ALLOW_PRIVATE_WEBHOOKS=true", "COINSLOT_TRUSTED_PROXIES=127.0.0.0/8",
		"COINSLOT_ADMIN_PROXY_HEADER=X-Operator", "COINSLOT_GATEWAY_RPS=10000",
		"COINSLOT_POLL_INTERVAL=3s", "COINSLOT_DATABASE=" + w.store.dsn(),
		"CRASH_HURRY=" + strconv.Itoa(speedup), "COINSLOT_RETENTION=1",
		"CRASH_DAYS=" + strconv.Itoa(int(24*time.Hour/retention)),
	}
}

// freeHost returns an address on a loopback network of its own, below the ports that connections
// going out use, so that no other process takes it between two starts.
func freeHost(t testing.TB) string {
	t.Helper()
	for range 100 {
		host := fmt.Sprintf("127.%d.%d.%d:%d", 1+rand.IntN(254), rand.IntN(256), 1+rand.IntN(254),
			9000+rand.IntN(20000))
		if l, err := net.Listen("tcp", host); err == nil {
			l.Close()
			return host
		}
	}
	t.Fatal("no free loopback address")
	return ""
}

// opsHost is where instance i answers /metrics.
func (w *world) opsHost(i int) string {
	host, port, _ := strings.Cut(w.hosts[i], ":")
	n, _ := strconv.Atoi(port)
	return host + ":" + strconv.Itoa(n+1)
}

// start begins a life of instance i; env is added to its settings, before is
// the command that runs it.
func (w *world) start(i int, env []string, before ...string) *process {
	w.t.Helper()
	w.note("", "process %d starts %s", i, strings.Join(env, " "))
	all := append(slices.Clone(w.env), "COINSLOT_LISTEN="+w.hosts[i],
		"COINSLOT_OPS_LISTEN="+w.opsHost(i))
	path := w.release
	if path == "" {
		path = fortest.Must(binary())(w.t)
	}
	p := launch(w.t, path, append(all, env...), w.log, before...)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.starts++
	w.running[i] = p
	return p
}

// startAndWait starts instance i and waits until it answers.
func (w *world) startAndWait(i int) *process {
	w.t.Helper()
	p := w.start(i, nil)
	w.await(p)
	return p
}

// await waits until p answers and lets the shoppers go.
func (w *world) await(p *process) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := p.awaitReady(ctx); err != nil {
		w.t.Fatalf("starting coinslot: %v\n%s", err, w.log)
	}
	w.resumeShoppers()
}

// resumeShoppers lets the shoppers continue: a process serves.
func (w *world) resumeShoppers() {
	w.mu.Lock()
	defer w.mu.Unlock()
	select {
	case <-w.up:
	default:
		close(w.up)
	}
}

// pauseShoppers makes the shoppers wait for the next life.
func (w *world) pauseShoppers() {
	w.mu.Lock()
	defer w.mu.Unlock()
	select {
	case <-w.up:
		w.up = make(chan struct{})
	default:
	}
}

// kill ends every instance as kill -9 does.
func (w *world) kill() {
	w.pauseShoppers()
	w.mu.Lock()
	running := slices.Clone(w.running)
	w.mu.Unlock()
	for i, p := range running {
		if p != nil {
			p.kill()
			w.note("", "process %d was killed", i)
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	clear(w.running)
}

// terminate asks instance i to end.
func (w *world) terminate(i int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if p := w.running[i]; p != nil {
		_ = p.cmd.Process.Signal(syscall.SIGTERM) // it may have ended
	}
}

// isUp returns a channel that is closed as soon as the process serves.
func (w *world) isUp() <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.up
}

// note writes a line into the history of a session, or of all.
func (w *world) note(session, format string, args ...any) {
	n := note{time.Now(), session, fmt.Sprintf(format, args...)}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.notes = append(w.notes, n)
}

// violate notes a broken invariant.
func (w *world) violate(session, format string, args ...any) {
	what := fmt.Sprintf(format, args...)
	w.note(session, "VIOLATION: %s", what)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.violations = append(w.violations, violation{session, what})
}

// reportViolations returns how many violations there were, and shows the first with the
// history of its session.
func (w *world) reportViolations() int {
	for _, hit := range w.secrets.found() {
		w.violate("", "I10: %s", hit)
	}
	for _, why := range w.sink.wrong() {
		w.violate("", "a webhook was wrong: %s", why)
	}
	w.mu.Lock()
	list := slices.Clone(w.violations)
	w.mu.Unlock()
	if len(list) > 0 {
		w.t.Logf("coinslot said:\n%s", w.log)
		w.t.Logf("history:\n%s", w.history(list[0].session))
	}
	for _, v := range list[:min(10, len(list))] { // last, because tools/torture keeps the end
		w.t.Errorf("session %s: %s (seed %d)", v.session, v.what, w.seed)
	}
	return len(list)
}

// history returns what has happened to a session, and to all.
func (w *world) history(session string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var b strings.Builder
	var first time.Time
	for _, n := range w.notes {
		if n.session != "" && n.session != session {
			continue
		}
		if first.IsZero() && n.session == session {
			first = n.at
		}
		if !first.IsZero() {
			fmt.Fprintf(&b, "%9.3f %s\n", n.at.Sub(first).Seconds(), n.text)
		}
	}
	return b.String()
}

// end kills what is left. It shows the log if the test failed before this world's final check,
// which has shown it together with violations.
func (w *world) end() {
	w.kill()
	if w.t.Failed() && len(w.violations)+w.histories == 0 {
		w.t.Logf("coinslot said:\n%s", w.log)
	}
	w.client.CloseIdleConnections()
}

// call makes one request to an instance and returns its answer, whole. What
// comes back is searched for secrets, header and body.
func (w *world) call(
	ctx context.Context, host, method, path, body string, header http.Header,
) (int, []byte, error) {
	r, err := http.NewRequestWithContext(ctx, method, "http://"+host+path, strings.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	if header != nil {
		r.Header = header.Clone()
	}
	if body != "" && r.Header.Get("Content-Type") == "" {
		r.Header.Set("Content-Type", "application/json")
	}
	call := w.observed.now()
	status, answer, header, err := w.send(r)
	w.observed.answered(call, r, body, status, answer)
	if err != nil {
		return 0, nil, err
	}
	w.secrets.search("the answer to "+method+" "+path, answer)
	for name, values := range header {
		w.secrets.search("the header "+name, []byte(strings.Join(values, "\n")))
	}
	return status, answer, nil
}

// send is call without what is done about the answer.
func (w *world) send(r *http.Request) (int, []byte, http.Header, error) {
	res, err := w.client.Do(r)
	if err != nil {
		return 0, nil, nil, err
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		return 0, nil, nil, err // cut in the middle: nothing was acknowledged
	}
	return res.StatusCode, answer, res.Header, nil
}

// merchant makes a request with the merchant's key.
func (w *world) merchant(
	ctx context.Context, method, path, body string, extra ...string,
) (int, []byte, error) {
	h := http.Header{"Authorization": {"Bearer " + w.secrets.secretKey}}
	for i := 0; i+1 < len(extra); i += 2 {
		h.Set(extra[i], extra[i+1])
	}
	return w.call(ctx, w.host(), method, path, body, h)
}

// host returns one of the instances that run.
func (w *world) host() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.hosts[w.rng.IntN(len(w.hosts))]
}
