// Package load measures what many shoppers at once cost: the real binary in a
// process of its own, a gateway, and clients by the thousand.
package load

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/bff/sandbox"
	"coinslot/e2e/built"
	"coinslot/e2e/child"
)

const (
	secretKey  = "load-secret-key-0123456789abcdef0123456789"
	gatewayKey = "load-gateway-key"
)

// world is a checkout in a process of its own, and its gateway in this one.
type world struct {
	tb      testing.TB
	gateway *sandbox.Server
	api     *httptest.Server // the gateway
	base    string           // the checkout
	process *exec.Cmd
	client  *http.Client
	env     []string
	log     *os.File // of the checkout; nil = this process's
}

// newWorld starts everything; extra settings are added to the environment. The
// database is SQLite in a folder of its own unless they say otherwise.
func newWorld(tb testing.TB, extra ...string) *world {
	tb.Helper()
	w := &world{tb: tb, gateway: sandbox.New(sandbox.Config{Key: gatewayKey})}
	w.api = httptest.NewServer(w.gateway)
	tb.Cleanup(w.api.Close)
	port := fortest.FreePort(tb)
	w.base = "http://127.0.0.1:" + port
	w.client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 256}}
	w.env = append([]string{
		"COINSLOT_LISTEN=127.0.0.1:" + port, "COINSLOT_PUBLIC_URL=" + w.base,
		"COINSLOT_OPS_LISTEN=-", "COINSLOT_GATEWAY_URL=" + w.api.URL,
		"COINSLOT_GATEWAY_KEY=" + gatewayKey, "COINSLOT_GATEWAY_PAGE_URL=" + w.api.URL + "/pay",
		"COINSLOT_ORIGINS=https://shop.example", "COINSLOT_SECRET_KEY=" + secretKey,
		"COINSLOT_DATABASE=" + filepath.Join(tb.TempDir(), "load.db"),
	}, extra...)
	w.start()
	tb.Cleanup(func() { child.End(w.process) })
	return w
}

// start runs the binary until it answers.
func (w *world) start() {
	w.tb.Helper()
	w.process = exec.Command(built.Program(w.tb), "serve")
	w.process.Env = w.env
	w.process.Stderr = cmp.Or(w.log, os.Stderr)
	child.Tie(w.process)
	if err := w.process.Start(); err != nil {
		w.tb.Fatalf("starting coinslot: %v", err)
	}
	fortest.Within(w.tb, time.Minute, "coinslot to answer", func() bool {
		resp, err := w.client.Get(w.base + "/checkout.js")
		if err != nil {
			return false
		}
		resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
}

// session opens one and returns its id.
func (w *world) session(order map[string]any) string {
	w.tb.Helper()
	var got struct{ ID string }
	status := w.call(http.MethodPost, "/v1/sessions", order, &got)
	if status != http.StatusCreated {
		w.tb.Fatalf("POST /v1/sessions = %d; want 201", status)
	}
	return got.ID
}

// call makes a request of the merchant's; body and into may be nil.
func (w *world) call(method, path string, body, into any) int {
	w.tb.Helper()
	text := fortest.Must(json.Marshal(body))(w.tb)
	req := fortest.Must(http.NewRequest(method, w.base+path, bytes.NewReader(text)))(w.tb)
	req.Header.Set("Authorization", "Bearer "+secretKey)
	req.Header.Set("Content-Type", "application/json")
	resp := fortest.Must(w.client.Do(req))(w.tb)
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err == nil && into != nil {
		err = json.Unmarshal(answer, into)
	}
	if err != nil {
		w.tb.Fatalf("%s %s: %v in %.200s", method, path, err, answer)
	}
	return resp.StatusCode
}

// resident is the memory of the process that is in use, in bytes.
//
// Source: proc_pid_statm(5).
func (w *world) resident() int {
	w.tb.Helper()
	text := fortest.Must(os.ReadFile(fmt.Sprintf("/proc/%d/statm", w.process.Process.Pid)))(w.tb)
	return fortest.Must(strconv.Atoi(strings.Fields(string(text))[1]))(w.tb) * os.Getpagesize()
}
