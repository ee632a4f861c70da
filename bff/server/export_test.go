package server

import (
	"context"
	"net/http"
	"net/http/httptest"
	"time"

	"coinslot/bff/web"
)

// Through is o for a server whose requests to the gateway are carried by t.
func (o Options) Through(t http.RoundTripper) Options {
	o.transport = t
	return o
}

// Routes are all that s has registered, but "/".
func (s *Server) Routes() []web.Route { return s.routes }

// GatewayTransport carries requests to a gateway in this process, in a bubble of fake time. An
// answer takes so long.
type GatewayTransport struct {
	To    http.Handler
	Takes time.Duration
}

// RoundTrip implements http.RoundTripper.
func (c GatewayTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := wait(r.Context(), c.Takes/2); err != nil {
		return nil, err
	}
	if r.Body == nil {
		r = r.Clone(r.Context())
		r.Body = http.NoBody
	}
	w := httptest.NewRecorder()
	c.To.ServeHTTP(w, r)
	if err := wait(r.Context(), c.Takes/2); err != nil {
		return nil, err
	}
	return w.Result(), nil
}

// wait waits for d. Errors: ctx's.
func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
