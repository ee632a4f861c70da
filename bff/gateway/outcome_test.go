package gateway

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/bff/payment"
)

func TestOutcome(t *testing.T) {
	html := "<html><body>" + strings.Repeat("busy ", 20) + "</body></html>"
	no := func(status string) string {
		return `{"status":` + status + `,"message":"no","data":null}`
	}
	for _, tt := range []struct {
		name string
		http int
		body string
		want string // of a status call
	}{
		{"plain", 200, done(recordJSON), "done"},
		{"201", 201, done(recordJSON), "done"},
		{"status as string", 200, `{"status":"200","data":` + recordJSON + `}`, "done"},
		{
			"unknown members",
			200,
			`{"status":200,"x":[{}],"data":` + recordJSON + `,"z":null}`,
			"done",
		},
		{"space around", 200, " \r\n\t" + done(recordJSON) + "\n ", "done"},

		{"refused in the envelope", 200, no("422"), "refused"},
		{"400 in the envelope", 200, no("400"), "refused"},
		{"409 in the envelope", 200, no("409"), "refused"},
		{"401 in the envelope", 200, no("401"), "key"},
		{"403 in the envelope", 200, no("403"), "key"},
		{"404 in the envelope", 200, no("404"), "absent"},
		{"429 in the envelope", 200, no("429"), "busy"},
		{"both 422", 422, no("422"), "refused"}, {"both 404", 404, no("404"), "absent"},
		{"404 and 400", 404, no("400"), "absent"}, {"400 and 404", 400, no("404"), "absent"},
		{"429 HTML", 429, html, "busy"}, {"429 empty", 429, "", "busy"},
		{"429 that says 200", 429, done(recordJSON), "busy"},
		{"401 HTML", 401, html, "key"}, {"403 JSON", 403, no("403"), "key"},
		{"403 empty", 403, "", "unknown"}, {"403 HTML", 403, html, "unknown"},
		{"403 of another JSON", 403, `{"message":"Forbidden"}`, "unknown"},

		{"404 of a proxy", 404, html, "unknown"},
		{"404 empty", 404, "", "unknown"},
		{"422 without envelope status", 422, `{"message":"no"}`, "unknown"},
		{"422 that says 200", 422, done(recordJSON), "unknown"},
		{"422 that says 500", 422, no("500"), "unknown"},
		{"422 quoted", 422, no(`"422"`), "unknown"},
		{"200 that says quoted 422", 200, no(`"422"`), "unknown"},
		{"408", 408, no("408"), "unknown"},
		{"408 that says 422", 408, no("422"), "unknown"},
		{"425", 425, no("422"), "unknown"},
		{"408 in the envelope", 200, no("408"), "unknown"},
		{"425 in the envelope", 200, no("425"), "unknown"},
		{"500", 500, no("500"), "unknown"},
		{"500 that says 422", 500, no("422"), "unknown"},
		{"500 that says 200", 500, done(recordJSON), "unknown"},
		{"502 HTML", 502, html, "unknown"}, {"503", 503, html, "unknown"},
		{"504", 504, "", "unknown"}, {"304", 304, "", "unknown"},
		{"300 with an envelope", 300, done(recordJSON), "unknown"},
		{"599", 599, "", "unknown"},
		{"204", 204, "", "unknown"},
		{"500 in the envelope", 200, no("500"), "unknown"},
		{"300 in the envelope", 200, no("300"), "unknown"},
		{"201 in the envelope", 200, `{"status":201,"data":` + recordJSON + `}`, "unknown"},
		{"status 200.0", 200, `{"status":200.0,"data":` + recordJSON + `}`, "unknown"},
		{"status 2e2", 200, `{"status":2e2,"data":` + recordJSON + `}`, "unknown"},
		{"status -200", 200, `{"status":-200,"data":` + recordJSON + `}`, "unknown"},
		{"status ' 200'", 200, `{"status":" 200","data":` + recordJSON + `}`, "unknown"},
		{"status true", 200, `{"status":true,"data":` + recordJSON + `}`, "unknown"},
		{"status null", 200, `{"status":null,"data":` + recordJSON + `}`, "unknown"},
		{"status 'success'", 200, `{"status":"success","data":` + recordJSON + `}`, "unknown"},
		{"status missing", 200, `{"data":` + recordJSON + `}`, "unknown"},
		{"STATUS alone", 200, `{"STATUS":200,"data":` + recordJSON + `}`, "unknown"},
		{
			"status and STATUS",
			200,
			`{"status":200,"STATUS":422,"data":` + recordJSON + `}`,
			"unknown",
		},
		{"status twice", 200, `{"status":200,"status":200,"data":` + recordJSON + `}`, "unknown"},
		{"refusal twice", 422, `{"status":422,"status":422}`, "unknown"},
		{"long s", 200, `{"status":200,"ſtatus":200,"data":` + recordJSON + `}`, "unknown"},
		{
			"names twice deep down",
			200,
			`{"status":200,"x":[{"y":{"a":1,"A":2}}],"data":` + recordJSON + `}`,
			"unknown",
		},
		{"data null", 200, done("null"), "unknown"},
		{"data missing", 200, `{"status":200}`, "unknown"},
		{"data []", 200, done("[]"), "unknown"},
		{"data [record]", 200, done("[" + recordJSON + "]"), "unknown"},
		{"data text", 200, done(`"ok"`), "unknown"},
		{"data {}", 200, done("{}"), "unknown"}, {"HTML", 200, html, "unknown"},
		{"empty", 200, "", "unknown"},
		{"array", 200, "[" + done(recordJSON) + "]", "unknown"},
		{"null", 200, "null", "unknown"},
		{"truncated", 200, done(recordJSON)[:300], "unknown"},
		{"trailing garbage", 200, done(recordJSON) + "x", "unknown"},
		{"two documents", 200, done(recordJSON) + done(recordJSON), "unknown"},
		{"byte order mark", 200, "\ufeff" + done(recordJSON), "unknown"},
		{"NUL", 200, done(recordJSON) + "\x00", "unknown"},
		{
			"NUL in a string",
			200,
			strings.Replace(done(recordJSON), "Tether", "Te\x00er", 1),
			"unknown",
		},
		{
			"invalid UTF-8",
			200,
			strings.Replace(done(recordJSON), "Tether", "Te\xffer", 1),
			"unknown",
		},
		{"single quotes", 200, strings.ReplaceAll(done(recordJSON), `"`, `'`), "unknown"},
		{
			"nested 33",
			200,
			`{"status":200,"x":` + strings.Repeat("[", 32) + strings.Repeat("]", 32) + `,"data":` +
				recordJSON + `}`,
			"unknown",
		},
		{
			"nested 32",
			200,
			`{"status":200,"x":` + strings.Repeat("[", 31) + strings.Repeat("]", 31) + `,"data":` +
				recordJSON + `}`,
			"done",
		},
		{"nested 100000", 200, strings.Repeat("[", 100000), "unknown"},
		{
			"nested 100000 closed",
			200,
			strings.Repeat(`{"a":`, 100000) + "1" + strings.Repeat("}", 100000),
			"unknown",
		},
		{
			"1 MiB",
			200,
			done(recordJSON) + strings.Repeat(" ", maxBody-len(done(recordJSON))),
			"done",
		},
		{
			"over 1 MiB",
			200,
			done(recordJSON) + strings.Repeat(" ", maxBody+1-len(done(recordJSON))),
			"unknown",
		},
		{"refusal over 1 MiB", 422, no("422") + strings.Repeat(" ", maxBody), "unknown"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(tt.http)
				io.WriteString(w, tt.body)
			})
			_, err := c.Status(t.Context(), "TRK1")
			if got := outcome(t, err); got != tt.want {
				t.Errorf("outcome = %s (%v); want %s", got, err, tt.want)
			}
		})
	}
}

// TestOutcomeEveryEndpoint proves that no endpoint has a reading of its own.
func TestOutcomeEveryEndpoint(t *testing.T) {
	for _, tt := range []struct {
		http int
		body string
		want func(call string) string
	}{
		{429, "", always("busy")},
		{401, "", always("key")},
		{500, `{"status":500}`, always("unknown")},
		{200, `{"status":422,"message":"no"}`, always("refused")},
		{200, done("null"), always("unknown")},
		{200, done(`"x"`), always("unknown")},
		{404, `{"status":404}`, func(call string) string {
			if call == "status" || call == "recheck" || call == "cancel" {
				return "absent"
			}
			return "refused"
		}},
	} {
		c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(tt.http)
			io.WriteString(w, tt.body)
		})
		for name, f := range everyCall() {
			err := f(t.Context(), c)
			if got := outcome(t, err); got != tt.want(name) {
				t.Errorf("%s with HTTP %d %s: %s (%v); want %s", name, tt.http, tt.body, got, err,
					tt.want(name))
			}
		}
	}
}

func always(s string) func(string) string { return func(string) string { return s } }

func TestRefusedDetails(t *testing.T) {
	c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "7")
		fmt.Fprintf(w, `{"status":422,"message":"bad\n\u0000 key %s %s"}`, testKey,
			strings.Repeat("é", 300))
	})
	_, err := c.Status(t.Context(), "TRK1")
	refused, ok := errors.AsType[*payment.RefusedError](err)
	if !ok || refused.Status != 422 || refused.RetryAfter != 7*time.Second {
		t.Fatalf("Status = %#v; want refused, 422, 7s", err)
	}
	if m := refused.Message; !strings.HasPrefix(m, "bad   key [key] éé") || len([]rune(m)) != 200 {
		t.Errorf("message = %q; want it cleaned, hidden and cut", m)
	}
}

func TestUnknownDetails(t *testing.T) {
	c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "9999")
		w.WriteHeader(503)
	})
	_, err := c.Status(t.Context(), "TRK1")
	unknown, ok := errors.AsType[*payment.UnknownError](err)
	if !ok || unknown.Status != 503 || unknown.RetryAfter != maxRetryAfter {
		t.Errorf("Status = %#v; want unknown, 503, %v", err, maxRetryAfter)
	}
}

// TestGzip shows that the limit counts what comes out of compression.
func TestGzip(t *testing.T) {
	pack := func(s string) []byte {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		io.WriteString(z, s)
		z.Close()
		return b.Bytes()
	}
	good := pack(done(recordJSON))
	bomb := pack(done(recordJSON) + strings.Repeat(" ", 64<<20))
	for _, tt := range []struct {
		name string
		body []byte
		want string
	}{
		{"good", good, "done"}, {"cut", good[:len(good)-9], "unknown"},
		{"bomb", bomb, "unknown"}, {"not gzip", []byte(done(recordJSON)), "unknown"},
	} {
		c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			w.Write(tt.body)
		})
		_, err := c.Status(t.Context(), "TRK1")
		if got := outcome(t, err); got != tt.want {
			t.Errorf("%s: %s (%v); want %s", tt.name, got, err, tt.want)
		}
	}
}

// refuser lets nothing out.
type refuser struct{}

func (refuser) Acquire(context.Context, bool) (func(error), error) {
	return nil, &payment.RefusedError{Reason: payment.ReasonUnsent, Err: errors.New("no")}
}

// TestBegan: an observer is called once for each call, with its outcome.
func TestBegan(t *testing.T) {
	for name, c := range map[string]struct {
		h      http.HandlerFunc
		change func(*Config)
		want   string
	}{
		"done":    {answering(200, done(recordJSON)), nil, "status done 200"},
		"refused": {answering(200, `{"status":404}`), nil, "status refused 200"},
		"unknown": {answering(503, ""), nil, "status unknown 503"},
		"broken":  {raw("HTTP/1.1 2"), nil, "status unknown 0"},
		"held":    {answering(200, ""), func(c *Config) { c.Limiter = refuser{} }, "status held 0"},
	} {
		var reported []string
		client := serve(t, c.h, func(config *Config) {
			if c.change != nil {
				c.change(config)
			}
			config.Began = func(ctx context.Context, endpoint string) (context.Context, func(string, int)) {
				return ctx, func(outcome string, status int) {
					reported = append(reported, fmt.Sprint(endpoint, " ", outcome, " ", status))
				}
			}
		})
		_, _ = client.Status(t.Context(), "TRK1")
		fortest.Diff(t, reported, []string{c.want}, "%s: reported", name)
	}
}
