package livereload

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"coinslot/bff/fortest"
)

// serve serves next with live reload until the test ends.
func serve(t *testing.T, next http.HandlerFunc) string {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	server := httptest.NewServer(Handler(ctx, next))
	t.Cleanup(server.Close)
	t.Cleanup(cancel)
	return server.URL
}

func get(t *testing.T, url string) (string, http.Header) {
	t.Helper()
	resp := fortest.Must(http.Get(url))(t)
	defer resp.Body.Close()
	body := fortest.Must(io.ReadAll(resp.Body))(t)
	return string(body), resp.Header
}

func TestScriptIsAdded(t *testing.T) {
	const tag = `<script async src="/dev/reload.js"></script>`
	for _, c := range []struct{ mime, policy, body, want string }{
		{"text/html", "", "<head><title>a</title></head><body>", "<head><title>a</title>" + tag + "</head><body>"},
		{"text/html; charset=utf-8", "default-src 'none'", "<p>a", "<p>a" + tag},
		{"text/css", "default-src 'none'", "</head>", "</head>"},
	} {
		base := serve(t, func(w http.ResponseWriter, r *http.Request) {
			fortest.Equal(t, r.Header.Get("Accept-Encoding"), "",
				"the page may come compressed: nothing can be added to it")
			w.Header().Set("Content-Type", c.mime)
			w.Header().Set("Content-Security-Policy", c.policy)
			io.WriteString(w, c.body)
		})
		body, header := get(t, base+"/any")
		fortest.Equal(t, body, c.want, "%s", c.mime)
		policy := header.Get("Content-Security-Policy")
		if allowed := strings.Contains(policy, "script-src 'self'; connect-src 'self'"); allowed != (c.want != c.body && c.policy != "") {
			t.Errorf("%s: policy %q", c.mime, policy)
		}
	}
	if got, want := allowScript("script-src 'self' a; connect-src b"), "script-src 'self' a; connect-src b"; got != want {
		t.Errorf("a policy that allows scripts became %q", got)
	}
}

// The stream names the same start until the server restarts.
func TestStarts(t *testing.T) {
	nothing := func(http.ResponseWriter, *http.Request) {}
	first, second := serve(t, nothing), serve(t, nothing)
	a, b, other := start(t, first), start(t, first), start(t, second)
	if a == "" || a != b || a == other {
		t.Errorf("starts: %q, %q and after a restart %q", a, b, other)
	}
}

// start reads the first message of the stream.
func start(t *testing.T, base string) string {
	t.Helper()
	resp := fortest.Must(http.Get(base + startsPath))(t)
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		if data, found := strings.CutPrefix(lines.Text(), "data: "); found {
			return data
		}
	}
	t.Fatalf("the stream has no message: %v", lines.Err())
	return ""
}
