package sandbox

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"coinslot/bff/fortest"
)

// over sends create over a connection of its own, so that no client repeats
// what a cut connection lost.
func over(t *testing.T, s *Server) (*http.Response, string, error) {
	t.Helper()
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	r := fortest.Must(http.NewRequestWithContext(t.Context(), "POST", server.URL+createPath,
		strings.NewReader(with(t, nil))))(t)
	r.Header.Set("X-Api-Key", DefaultKey)
	r.Header.Set("Content-Type", "application/json")
	res, err := server.Client().Do(r)
	if err != nil {
		return nil, "", err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	return res, string(body), err
}

func TestFaults(t *testing.T) {
	tests := []struct {
		name    string
		fault   Fault
		status  int // zero = the connection is cut
		header  string
		body    string // a part of it
		created int
	}{
		{"cut before", Fault{CutBefore: true}, 0, "", "", 0},
		{"cut after", Fault{CutAfter: true}, 0, "", "", 1},
		{
			"busy",
			Fault{Status: 429, RetryAfter: 1500 * time.Millisecond},
			429,
			"2",
			`"status":429,"data":null,"message":"Too Many Requests"`,
			0,
		},
		{"down", Fault{Status: 503}, 503, "", `"status":503`, 0},
		{"latency", Fault{Latency: time.Millisecond}, 200, "", `"message":"success"`, 1},
		{"latency and cut", Fault{Latency: time.Millisecond, CutAfter: true}, 0, "", "", 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := New(Config{})
			s.Inject(tt.fault)
			res, body, err := over(t, s)
			if tt.status == 0 {
				if err == nil {
					t.Fatalf("answered %d %s; want a cut connection", res.StatusCode, body)
				}
			} else if err != nil || res.StatusCode != tt.status ||
				!strings.Contains(body, tt.body) || res.Header.Get("Retry-After") != tt.header {
				t.Errorf("answered %v %q, %v; want %d %q", res, body, err, tt.status, tt.body)
			}
			fortest.Equal(t, len(s.Transactions()), tt.created, "transactions created")
			log := s.Requests()[0]
			if log.Processed != (tt.created == 1) ||
				!strings.Contains(log.Outcome, "fault: "+tt.fault.String()) {
				t.Errorf("log = %+v", log)
			}
			fortest.Equal(t, len(s.Faults()), 0, "faults left")
		})
	}
}

func TestFaultTimesAndPath(t *testing.T) {
	s := New(Config{})
	list := func() int { return call(t, s, "GET", listPath, "").Status }
	coins := func() int { return call(t, s, "GET", "/api/v1/merchant/currencies/list", "").Status }
	s.Inject(Fault{Path: "list", Times: 2, Status: 500})
	s.Inject(Fault{Path: "currencies", Times: -1, Status: 503})
	got := []int{coins(), list(), list(), list(), coins(), coins()}
	fortest.Diff(t, got, []int{503, 500, 500, 200, 503, 503}, "statuses")
	s.ClearFaults()
	fortest.Equal(t, coins(), 200, "after ClearFaults")
	s.Inject(Fault{Path: "", Times: 1, Status: 500})
	if got := []int{list(), list()}; got[0] != 500 || got[1] != 200 {
		t.Errorf("any request: %v", got)
	}
}

// TestLatencyEndsWithTheClient creates although the client has given up, and
// lets the server go at once.
func TestLatencyEndsWithTheClient(t *testing.T) {
	s := New(Config{})
	s.Inject(Fault{Latency: time.Hour})
	server := httptest.NewServer(s)
	ctx, giveUp := context.WithCancel(t.Context())
	r := fortest.Must(http.NewRequestWithContext(ctx, "POST", server.URL+createPath,
		strings.NewReader(with(t, nil))))(t)
	r.Header.Set("X-Api-Key", DefaultKey)
	r.Header.Set("Content-Type", "application/json")
	failed := make(chan error) // the client's error
	go func() {
		_, err := server.Client().Do(r)
		failed <- err
	}()
	for len(s.Requests()) == 0 { // the log is written before the answer is held back
		select {
		case err := <-failed:
			t.Fatalf("answered before the latency: %v", err)
		case <-time.After(time.Millisecond):
		}
	}
	giveUp()
	fortest.Fails(t, <-failed, "answered")
	server.Close() // returns only when the request has ended
	fortest.Equal(t, len(s.Transactions()), 1, "transactions created")
}

func TestFaultJSON(t *testing.T) {
	want := Fault{
		Path:       "create",
		Times:      -1,
		Latency:    1500 * time.Millisecond,
		Status:     429,
		RetryAfter: time.Minute,
		CutBefore:  true, CutAfter: true,
	}
	text := fortest.Must(json.Marshal(want))(t)
	var got Fault
	fortest.OK(t, json.Unmarshal(text, &got))
	fortest.Diff(t, got, want, "round trip of %s", text)
	for _, bad := range []string{`{"cutBefore":true}`, `{"latency":"2"}`, `{"times":"x"}`, `[]`} {
		fortest.Fails(t, json.Unmarshal([]byte(bad), &got), "fault %s", bad)
	}
}

func TestInjectMistakes(t *testing.T) {
	for _, f := range []Fault{
		{},
		{Path: "create", Times: 3},
		{Path: "transfer", Status: 500},
		{Status: 99},
		{Status: 600},
		{Latency: 2 * time.Hour}, {Status: 429, RetryAfter: -time.Second},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("Inject(%+v) does not panic", f)
				}
			}()
			New(Config{}).Inject(f)
		}()
	}
}
