package web

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Health is what the private listener reports.
type Health struct {
	Stuck   func() []string                // main loops that are stuck
	Missing func(context.Context) []string // what is missing to serve
	Warned  func(context.Context) []string // what is at risk; nil = nothing is
	Metrics http.Handler
}

// Ops answers /healthz (503 = a restart would help), /readyz (503 = send requests elsewhere) and
// /metrics (Prometheus text format 0.0.4). The body of the first two is "ok" or the names of the
// problems, one per line; after "ok" of /readyz come warnings.
func Ops(h Health) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		writeReport(w, h.Stuck())
	})
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), 2*time.Second)
		defer cancel()
		missing := h.Missing(ctx)
		writeReport(w, missing)
		if len(missing) == 0 && h.Warned != nil {
			for _, warning := range h.Warned(ctx) {
				fmt.Fprintln(w, "warning:", warning)
			}
		}
	})
	mux.Handle("GET /metrics", h.Metrics)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		mux.ServeHTTP(w, r)
	})
}

func writeReport(w http.ResponseWriter, problems []string) {
	if len(problems) > 0 {
		http.Error(w, strings.Join(problems, "\n"), http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintln(w, "ok")
}
