package webhook

import (
	"bytes"
	"compress/gzip"
	"crypto/tls"
	"crypto/x509"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"coinslot/bff/fortest"
)

func TestDecide(t *testing.T) {
	now := time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)
	first := Delivery{CreatedAt: now}
	old := Delivery{CreatedAt: now.Add(-29 * 24 * time.Hour), Tries: 60}
	last := Delivery{CreatedAt: now.Add(-30*24*time.Hour + time.Hour), Tries: 67}
	future := Delivery{CreatedAt: now.Add(time.Hour)}
	later := func(status int, wait time.Duration) DeliveryResult {
		return DeliveryResult{Status: status, NextAt: now.Add(wait)}
	}
	tests := map[string]struct {
		d    Delivery
		a    answer
		draw float64
		want DeliveryResult
	}{
		"200": {
			first,
			answer{status: 200},
			0.5,
			DeliveryResult{Status: 200, Delivered: true},
		},
		"204": {
			first,
			answer{status: 204},
			0.5,
			DeliveryResult{Status: 204, Delivered: true},
		},
		"299 on the last try": {
			last,
			answer{status: 299},
			0.5,
			DeliveryResult{Status: 299, Delivered: true},
		},
		"410": {
			first,
			answer{status: 410},
			0.5,
			DeliveryResult{Status: 410, Abandoned: true},
		},
		"no answer": {
			first,
			answer{note: "x"},
			0.5,
			DeliveryResult{Note: "x", NextAt: now.Add(5 * time.Second)},
		},
		"101": {first, answer{status: 101}, 0.5, later(101, 5*time.Second)},
		"301": {first, answer{status: 301}, 0.5, later(301, 5*time.Second)},
		"400": {first, answer{status: 400}, 0.5, later(400, 5*time.Second)},
		"404": {first, answer{status: 404}, 0.5, later(404, 5*time.Second)},
		"500, earliest": {
			first,
			answer{status: 500},
			0,
			later(500, 4500*time.Millisecond),
		},
		"500, latest": {
			first,
			answer{status: 500},
			1,
			later(500, 5500*time.Millisecond),
		},
		"500 after 29 days": {old, answer{status: 500}, 0.5, later(500, 12*time.Hour)},
		"500 on the last try": {
			last,
			answer{status: 500},
			0.5,
			DeliveryResult{Status: 500, Abandoned: true},
		},
		"created in the future": {future, answer{status: 500}, 0.5, later(500, 5*time.Second)},
		"asked for an hour": {
			first,
			answer{status: 429, after: time.Hour},
			0.5,
			later(429, time.Hour),
		},
		"asked for, never sooner": {
			first,
			answer{status: 429, after: time.Hour},
			0,
			later(429, time.Hour),
		},
		"asked for, a bit later": {
			first,
			answer{status: 503, after: time.Hour},
			1,
			later(503, time.Hour+6*time.Minute),
		},
		"asked for less": {
			old,
			answer{status: 503, after: time.Hour},
			0.5,
			later(503, 12*time.Hour),
		},
		"asked for on the last": {
			last,
			answer{status: 503, after: time.Hour},
			0.5,
			DeliveryResult{Status: 503, Abandoned: true},
		},
		"asked for beyond 30 days": {
			old,
			answer{status: 503, after: 24 * time.Hour},
			0.5,
			later(503, 24*time.Hour),
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			fortest.Diff(t, decide(tc.d, tc.a, now, tc.draw), tc.want, "judge")
		})
	}
}

func TestClean(t *testing.T) {
	for text, want := range map[string]string{
		"":                             "",
		"\x00":                         "",
		"a\r\nb\x00c\x1b[31m":          "a  b c [31m",
		"caf\xe9":                      "caf?",
		"a\u202eb\ufeffc":              "a b c",
		strings.Repeat("a", 2000):      strings.Repeat("a", 1024),
		"a" + strings.Repeat("é", 600): "a" + strings.Repeat("é", 511),
	} {
		fortest.Equal(t, clean(text), want, "clean(%q)", text)
	}
}

// deliverTo makes one try to a real server and returns its end.
func deliverTo(t *testing.T, handle http.HandlerFunc, change func(*Config)) DeliveryResult {
	t.Helper()
	server := httptest.NewServer(handle)
	defer server.Close()
	q, endpoint := newQueue(), server.URL+"/hook"
	s := sender(t, q, change, endpoint)
	q.add(event(1, endpoint, s.config.Now()))
	if n, err := s.Pass(t.Context()); n != 1 || err != nil {
		t.Fatalf("Pass = %d, %v; want 1, nil", n, err)
	}
	return q.last(t, "evt_00001", endpoint)
}

// TestRequest is what a merchant's server sees, checked without our own code.
func TestRequest(t *testing.T) {
	at := time.Unix(1_800_000_000, 999)
	var got *http.Request
	var body []byte
	result := deliverTo(t, func(w http.ResponseWriter, r *http.Request) {
		got = r
		body, _ = io.ReadAll(r.Body)
	}, func(c *Config) {
		c.Now = func() time.Time { return at }
		c.Secrets = []string{secretTwo, secretOne}
	})
	if !result.Delivered || result.Status != 200 {
		t.Fatalf("result = %+v; want delivered", result)
	}
	wantBody := `{"type":"checkout.confirmed","data":{"n":1}}`
	if got.Method != "POST" || got.URL.Path != "/hook" || string(body) != wantBody {
		t.Errorf("got %s %s %s", got.Method, got.URL.Path, body)
	}
	want := http.Header{
		"Content-Type": {"application/json"}, "Content-Length": {"44"}, "User-Agent": {"Coinslot"},
		"Webhook-Id": {"evt_00001"}, "Webhook-Timestamp": {"1800000000"},
		"Webhook-Signature": {
			independent(secretTwo, "evt_00001", at.Unix(), body) + " " +
				independent(secretOne, "evt_00001", at.Unix(), body),
		},
	}
	fortest.Diff(t, got.Header, want, "headers")
}

func TestRetryAfterIsHonoured(t *testing.T) {
	for status, want := range map[int]time.Duration{
		429: time.Hour,
		503: time.Hour,
		500: 5 * time.Second,
		404: 5 * time.Second,
	} {
		at := time.Unix(1_800_000_000, 0)
		got := deliverTo(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Retry-After", "3600")
			w.WriteHeader(status)
		}, func(c *Config) { c.Now = func() time.Time { return at } })
		if wait := got.NextAt.Sub(at); got.Status != status || wait != want {
			t.Errorf("%d: next try after %v; want %v", status, wait, want)
		}
	}
}

// An endpoint cannot put its events off for more than a day.
func TestRetryAfterIsBounded(t *testing.T) {
	at := time.Unix(1_800_000_000, 0)
	got := deliverTo(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Retry-After", "86401")
		w.WriteHeader(http.StatusServiceUnavailable)
	}, func(c *Config) { c.Now = func() time.Time { return at } })
	fortest.Equal(t, got.NextAt.Sub(at), 24*time.Hour, "the next try")
}

func TestAnswerIsReadUpToALimit(t *testing.T) {
	var written atomic.Int64
	got := deliverTo(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(500)
		chunk := bytes.Repeat([]byte("<script>"), 8<<10)
		for range 16 << 10 { // 1 GiB, if it were read
			n, err := w.Write(chunk)
			written.Add(int64(n))
			if err != nil {
				return
			}
		}
	}, nil)
	if len(got.Note) != 1024 || !strings.HasPrefix(got.Note, "<script><script>") {
		t.Errorf("note of %d bytes: %.40q; want 1024", len(got.Note), got.Note)
	}
	if written.Load() > 64<<20 {
		t.Errorf("the endpoint could write %d bytes", written.Load())
	}
}

func TestAnswerIsNotUncompressed(t *testing.T) {
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	z.Write(make([]byte, 1<<20))
	z.Close()
	var asked string
	got := deliverTo(t, func(w http.ResponseWriter, r *http.Request) {
		asked = r.Header.Get("Accept-Encoding")
		w.Header().Set("Content-Encoding", "gzip")
		w.WriteHeader(400)
		w.Write(bomb.Bytes())
	}, nil)
	if asked != "" || got.Status != 400 || len(got.Note) > 1024 {
		t.Errorf("asked for %q, result %+v", asked, got)
	}
}

// TestDeadlineCoversTheBody: one byte now and then must not hold a try open.
func TestDeadlineCoversTheBody(t *testing.T) {
	for name, tc := range map[string]struct {
		status    int
		delivered bool
	}{
		"failure": {500, false},
		"success": {200, true}, // the header is the word of the endpoint
	} {
		t.Run(name, func(t *testing.T) {
			got := deliverTo(t, func(w http.ResponseWriter, r *http.Request) {
				io.Copy(io.Discard, r.Body) // so that the server notices when we hang up
				w.WriteHeader(tc.status)
				w.Write([]byte("x"))
				http.NewResponseController(w).Flush()
				<-r.Context().Done()
			}, func(c *Config) { c.Timeout = 200 * time.Millisecond })
			if got.Delivered != tc.delivered || got.Status != tc.status || got.Note != "x" {
				t.Errorf("result = %+v; want status %d", got, tc.status)
			}
		})
	}
}

func TestBrokenAnswers(t *testing.T) {
	for name, raw := range map[string]string{
		"unreadable redirect": "HTTP/1.1 302 Found\r\nLocation: http://[::1\r\n\r\n",
		"closed at once":      "",
		"not HTTP":            "220 mail.example ESMTP\r\n",
		"huge header":         "HTTP/1.1 200 OK\r\nX: " + strings.Repeat("a", 64<<10) + "\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			got := deliverTo(t, func(w http.ResponseWriter, r *http.Request) {
				c, _, err := http.NewResponseController(w).Hijack()
				if err != nil {
					t.Error(err)
					return
				}
				defer c.Close()
				io.WriteString(c, raw)
			}, nil)
			if got.Delivered || got.Abandoned || got.Status != 0 || got.NextAt.IsZero() ||
				got.Note == "" {
				t.Errorf("result = %+v; want a later try", got)
			}
		})
	}
}

func TestTLS(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.TLS = &tls.Config{MaxVersion: tls.VersionTLS12}
	server.StartTLS()
	defer server.Close()
	old := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {}))
	old.Config.ErrorLog = log.New(io.Discard, "", 0)
	old.TLS = &tls.Config{MaxVersion: tls.VersionTLS11, MinVersion: tls.VersionTLS10}
	old.StartTLS()
	defer old.Close()
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	for name, tc := range map[string]struct {
		url     string
		roots   *x509.CertPool
		arrives bool
	}{
		"TLS 1.2":                 {server.URL, roots, true},
		"certificate not trusted": {server.URL, nil, false},
		"TLS 1.1":                 {old.URL, roots, false},
	} {
		t.Run(name, func(t *testing.T) {
			q := newQueue()
			q.add(event(1, tc.url, time.Now()))
			s := sender(t, q, nil, tc.url)
			s.client.Transport.(*http.Transport).TLSClientConfig.RootCAs = tc.roots
			fortest.Must(s.Pass(t.Context()))(t)
			got := q.last(t, "evt_00001", tc.url)
			if got.Delivered != tc.arrives || got.Note == "" != tc.arrives {
				t.Errorf("result = %+v; want delivered = %v", got, tc.arrives)
			}
		})
	}
}
