// Package web is what all HTTP shares: routes, middleware, limits, the one table of errors, the
// one table of headers, assets. The merchant's endpoints are in package api, the shopper's in
// package shop.
package web

import (
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"coinslot/app/wire"
)

// Config is what all answers depend on.
type Config struct {
	// Static is the built assets, texts and icons; see package static.
	Static fs.FS
	// PublicURL is the origin under which browsers reach the server.
	PublicURL string
	// Origins are the host pages that may frame the checkout.
	Origins        []string
	TrustedProxies []netip.Prefix
	// Limits bound what one client may do; zero = the defaults.
	Limits Limits
	// Began is called when a request comes; it returns the context that it is
	// answered with, and what is called when it was. By then the request knows its
	// route: Pattern is "" if it has none, PathValue what is in the address. Status
	// is 101 of a socket, and zero if nothing was answered. Nil = nobody watches.
	Began func(r *http.Request) (ctx context.Context, ended func(r *http.Request, status int))
	Now   func() time.Time // nil = time.Now
	// Log gets a line for each request; see package logs. Nil = silent.
	Log *slog.Logger
}

// Server is Config with what is derived from it. It is safe for concurrent use; make one with
// [New].
type Server struct {
	Config
	Assets *Assets
	// Routes are all that there are, but "/"; set by [Server.Handler].
	Routes []Route
	// ErrorPage shows an error to a shopper; package shop sets it. Nil = as programs get it.
	ErrorPage func(w http.ResponseWriter, r *http.Request, e wire.Error)

	policies         policies
	sessions         sessionLocks
	guesses          counter // of wrong keys
	nudges           counter // of checks that pages have made due sooner
	sockets          openCounter
	warnedHidden     sync.Once // for a proxy that is not named, which is logged once
	warnedUnreadable sync.Once // for a proxy that names nobody, which is logged once
}

// New returns a server without routes. Errors: assets that cannot be read.
func New(c Config) (*Server, error) {
	s := &Server{Config: c}
	if s.Log == nil {
		s.Log = slog.New(slog.DiscardHandler)
	}
	if s.Now == nil {
		s.Now = time.Now
	}
	s.Limits = s.Limits.withDefaults()
	s.guesses, s.nudges = newCounter(s.Limits.Guesses, NetworkFactor), newCounter(maxNudges, 2)
	var err error
	if s.Assets, err = newAssets(c.Static); err != nil {
		return nil, fmt.Errorf("reading assets: %w", err)
	}
	s.policies = newPolicies(s.Origins, s.Assets.inlineSource())
	s.Assets.policies = s.policies
	return s, nil
}
