package server

import "net/http"

// Through is o for a server whose requests to the gateway are carried by t.
func (o Options) Through(t http.RoundTripper) Options {
	o.transport = t
	return o
}
