package sandbox

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"coinslot/bff/fortest"

	"github.com/google/go-cmp/cmp"
)

// program sends a control request as a program would and reads the answer.
func program(t *testing.T, s *Server, method, target, body string, into any) int {
	t.Helper()
	r := httptest.NewRequest(method, "http://127.0.0.1"+target, strings.NewReader(body))
	r.Header.Set("Accept", "application/json")
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	fortest.OK(t, json.Unmarshal(w.Body.Bytes(), into))
	return w.Code
}

func TestControlTransactions(t *testing.T) {
	s := New(Config{})
	code := create(t, s).TrackingCode
	var got Transaction
	if status := program(t, s, "POST", "/sandbox/transactions/"+code+"/half", "",
		&got); status != 200 || len(got.Transfers) != 1 {
		t.Errorf("half = %d %+v", status, got)
	}
	if status := program(t, s, "POST", "/sandbox/transactions/"+code+"/amount?amount=12.50", "",
		&got); status != 200 || got.Status != Confirmed {
		t.Errorf("amount = %d %+v", status, got)
	}
	var journal []Transaction
	program(t, s, "GET", "/sandbox/transactions", "", &journal)
	if len(journal) != 1 || journal[0].WalletAddress == "" || journal[0].Status != Confirmed {
		t.Errorf("journal = %+v", journal)
	}
	for target, want := range map[string]int{
		"/sandbox/transactions/nobody/pay":                      404,
		"/sandbox/transactions/" + code + "/steal":              422,
		"/sandbox/transactions/" + code + "/pay":                409,
		"/sandbox/transactions/" + code + "/amount?amount=x":    422,
		"/sandbox/transactions/" + code + "/amount?amount=-1":   422,
		"/sandbox/transactions/" + code + "/amount?amount=1e99": 422,
	} {
		var problem map[string]string
		got := program(t, s, "POST", target, "", &problem)
		if got != want || problem["error"] == "" {
			t.Errorf("POST %s = %d %v; want %d", target, got, problem, want)
		}
	}
}

func TestControlForms(t *testing.T) {
	s := New(Config{})
	code := create(t, s).TrackingCode
	page := visit(s, "GET", "/sandbox/", "").Body.String()
	for _, kind := range append(Kinds(), "amount") {
		fortest.Has(t, "the page", page,
			`action="/sandbox/transactions/`+code+"/"+string(kind)+`"`)
	}
	w := visit(s, "POST", "/sandbox/transactions/"+code+"/pay", "")
	if w.Code != 303 || w.Header().Get("Location") != "/sandbox/" {
		t.Errorf("pay = %d to %q", w.Code, w.Header().Get("Location"))
	}
}

// The page shows what is armed, as text.
func TestControlShowsFaults(t *testing.T) {
	s := New(Config{})
	fortest.Lacks(t, "the page", visit(s, "GET", "/sandbox/", "").Body.String(), "Faults</h2>")
	s.Inject(Fault{Path: "create", Times: 2, CutAfter: true, Latency: 2 * time.Second})
	s.Inject(Fault{Times: -1, Status: 503})
	fortest.Has(t, "the page", visit(s, "GET", "/sandbox/", "").Body.String(),
		"<b>create</b>: latency 2s, cut after processing, 2 to go",
		"<b>any request</b>: status 503, until they are removed")
}

func TestControlFaults(t *testing.T) {
	s := New(Config{})
	var got []Fault
	status := program(t, s, "POST", "/sandbox/faults",
		`{"path":"status","times":3,"status":429,"retry_after":"5s"}`, &got)
	want := []Fault{{Path: "status", Times: 3, Status: 429, RetryAfter: 5 * time.Second}}
	if diff := cmp.Diff(want, got); diff != "" || status != 200 {
		t.Errorf("arming = %d (-want +got):\n%s", status, diff)
	}
	program(t, s, "GET", "/sandbox/faults", "", &got)
	fortest.Diff(t, got, want, "faults")
	if program(t, s, "DELETE", "/sandbox/faults", "", &got); len(got)+len(s.Faults()) != 0 {
		t.Errorf("after DELETE: %v", s.Faults())
	}
	var problem map[string]string
	for _, bad := range []string{
		``, `{}`, `{"status":1}`, `{"what":1}`, `{`, `{"status":500,"path":"transfer"}`,
		`{"latency":"2"}`, `{"latency":"61m"}`, `{"retry_after":"-1s","status":429}`,
		`{"raw":"[]"}`, `status=500`,
	} {
		status := program(t, s, "POST", "/sandbox/faults", bad, &problem)
		if status != 422 || problem["error"] == "" {
			t.Errorf("arming %s = %d %v", bad, status, problem)
		}
	}
	var log []Request
	if program(t, s, "GET", "/sandbox/requests", "", &log); len(log) != 0 {
		t.Errorf("controls are in the log of the API: %v", log)
	}
}

// TestOtherSites cannot work the controls from a page in the same browser.
func TestOtherSites(t *testing.T) {
	s := New(Config{})
	code := create(t, s).TrackingCode
	for _, target := range []string{
		"/sandbox/transactions/" + code + "/pay", "/pay/" + code + "/pay",
	} {
		r := httptest.NewRequest("POST", "http://127.0.0.1"+target, nil)
		r.Header.Set("Sec-Fetch-Site", "cross-site")
		w := httptest.NewRecorder()
		if s.ServeHTTP(w, r); w.Code != http.StatusForbidden {
			t.Errorf("POST %s from another site = %d", target, w.Code)
		}
	}
}

func TestRoot(t *testing.T) {
	fortest.Equal(t, visit(New(Config{}), "GET", "/", "").Header().Get("Location"), "/sandbox/",
		"GET / leads to")
}

// TestPossible holds that what is offered is exactly what Pay takes, except that
// paying late is not offered once a transaction has ended.
func TestPossible(t *testing.T) {
	for _, before := range append(Kinds(), "") {
		for _, kind := range Kinds() {
			now := newClock().now()
			tr, id := sample(now)
			if before != "" {
				fortest.OK(t, tr.apply(before, now, id))
			}
			offered := slices.Contains(tr.possible(), kind)
			if err := tr.apply(kind, now, id); (err == nil) != offered && kind != KindLate {
				t.Errorf("%s after %q is offered: %t; error %v", kind, before, offered, err)
			}
		}
	}
}
