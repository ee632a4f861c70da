// Package livereload makes open pages reload after the server restarts (make dev).
package livereload

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

const (
	scriptPath = "/dev/reload.js"
	startsPath = "/dev/starts"
)

// script reloads its page when the stream names another start of the server. Browsers reconnect
// automatically. Source: html.spec.whatwg.org, server-sent events.
const script = `let first;
new EventSource('` + startsPath + `').onmessage = event => {
  first ??= event.data;
  if (event.data !== first) location.reload();
};
`

// Handler serves next, adds a script to its HTML pages and allows it in their policies, and serves
// the script's requests under /dev/. Its streams end with ctx, so that the server can stop.
func Handler(ctx context.Context, next http.Handler) http.Handler {
	start := rand.Text()
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+scriptPath, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
		w.Header().Set("Cross-Origin-Resource-Policy", "same-origin")
		fmt.Fprint(w, script)
	})
	mux.HandleFunc("GET "+startsPath, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("Cache-Control", "no-store")
		fmt.Fprintf(w, "retry: 100\ndata: %s\n\n", start)
		if err := http.NewResponseController(w).Flush(); err != nil {
			return
		}
		select {
		case <-ctx.Done():
		case <-r.Context().Done():
		}
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Upgrade") != "" { // a WebSocket takes over the connection
			next.ServeHTTP(w, r)
			return
		}
		r.Header.Del("Accept-Encoding")
		page := &page{ResponseWriter: w}
		next.ServeHTTP(page, r)
		page.finish()
	})
	return mux
}

// page buffers an HTML answer and passes on all others.
type page struct {
	http.ResponseWriter
	status int // 0 = no header was written yet
	html   bool
	text   bytes.Buffer
}

func (p *page) WriteHeader(status int) {
	if p.status != 0 {
		return
	}
	p.status = status
	p.html = strings.HasPrefix(p.Header().Get("Content-Type"), "text/html")
	if !p.html {
		p.ResponseWriter.WriteHeader(status)
	}
}

func (p *page) Write(text []byte) (int, error) {
	p.WriteHeader(http.StatusOK)
	if p.html {
		return p.text.Write(text)
	}
	return p.ResponseWriter.Write(text)
}

// Unwrap is for http.ResponseController.
func (p *page) Unwrap() http.ResponseWriter { return p.ResponseWriter }

// finish writes the page with the script in its head.
func (p *page) finish() {
	if !p.html {
		return
	}

	tag := []byte(`<script async src="` + scriptPath + `"></script>`)
	text := p.text.Bytes()
	if i := bytes.Index(text, []byte("</head>")); i >= 0 {
		text = bytes.Join([][]byte{text[:i], tag, text[i:]}, nil)
	} else {
		text = append(text, tag...)
	}

	h := p.Header()
	h.Del("ETag")
	h.Set("Content-Length", strconv.Itoa(len(text)))
	if policy := h.Get("Content-Security-Policy"); policy != "" {
		h.Set("Content-Security-Policy", allowScript(policy))
	}

	p.ResponseWriter.WriteHeader(p.status)
	p.ResponseWriter.Write(text) // the browser may have disconnected
}

// allowScript returns a policy that allows the script and its connection.
func allowScript(policy string) string {
	for _, directive := range []string{"script-src", "connect-src"} {
		if !strings.Contains(policy, directive) {
			policy += "; " + directive + " 'self'"
		}
	}
	return policy
}
