package web

import (
	"fmt"
	"net/http"
	"slices"

	"coinslot/bff/config"
)

// doctor is GET /checkout/doctor?origin=…: what a host page of that origin has
// to set, as plain text. checkout.js names this address in the console when a
// frame does not load.
func (s *server) doctor(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	fmt.Fprintf(w, "Checkout at %s\n\n", s.PublicURL)
	origin, err := config.Origin(r.URL.Query().Get("origin"))
	switch {
	case err != nil:
		fmt.Fprintf(w, "Origin: missing or not an origin. Ask again with ?origin=https://shop.example\n")
	case slices.Contains(s.Origins, origin):
		fmt.Fprintf(w, "Origin %s: listed, it may show the checkout in a frame.\n", origin)
	default:
		fmt.Fprintf(w, "Origin %s: NOT listed. Add it to COINSLOT_ORIGINS on the server and restart it:\n\n  COINSLOT_ORIGINS=…,%s\n", origin, origin)
	}
	fmt.Fprintf(w, "\nIf the host page has a Content-Security-Policy, it needs\n\n  script-src %[1]s\n  frame-src %[1]s\n\nNo style-src, connect-src or img-src is needed, and no unsafe-inline.\n", s.PublicURL)
}
