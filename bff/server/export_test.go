package server

import (
	"net/http"

	"coinslot/bff/web"
)

// Through is o for a server whose requests to the gateway are carried by t.
func (o Options) Through(t http.RoundTripper) Options {
	o.transport = t
	return o
}

// Routes are all that s has registered, but "/".
func (s *Server) Routes() []web.Route { return s.routes }
