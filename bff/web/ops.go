package web

import (
	"context"
	"fmt"
	"net/http"
	"runtime"
	"time"
)

// Ops answers /healthz (the process runs), /readyz (it can serve: ready
// returns nil) and /metrics (Prometheus text format 0.0.4).
func Ops(ready func(context.Context) error) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), 2*time.Second)
		defer cancel()
		if err := ready(ctx); err != nil {
			http.Error(w, "the database does not answer", http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ok")
	})
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4")
		fmt.Fprintf(w, "# HELP coinslot_goroutines Goroutines that exist now.\n# TYPE coinslot_goroutines gauge\ncoinslot_goroutines %d\n", runtime.NumGoroutine())
	})
	return mux
}
