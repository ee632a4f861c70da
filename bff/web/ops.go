package web

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Health is what the operator's listener asks.
type Health struct {
	// Alive returns which main loops are stuck, by name.
	Alive func() []string
	// Ready returns what is missing to serve, by name.
	Ready func(context.Context) []string
	// Metrics answers scrapes.
	Metrics http.Handler
}

// Ops answers /healthz (the process lives: a restart would not help), /readyz (it
// can serve) and /metrics (Prometheus text format 0.0.4). The first two are 200 and
// "ok", or 503 and the names of what is wrong, one on a line, without details.
func Ops(h Health) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc(
		"GET /healthz", func(w http.ResponseWriter, _ *http.Request) { writeReport(w, h.Alive()) },
	)
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), 2*time.Second)
		defer cancel()
		writeReport(w, h.Ready(ctx))
	})
	mux.Handle("GET /metrics", h.Metrics)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		mux.ServeHTTP(w, r)
	})
}

func writeReport(w http.ResponseWriter, wrong []string) {
	if len(wrong) > 0 {
		http.Error(w, strings.Join(wrong, "\n"), http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintln(w, "ok")
}
