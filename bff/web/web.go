// Package web has what all HTTP shares: routes, middleware, limits, the tables of errors and
// headers, assets. The merchant's endpoints are in package api, the shopper's in package shop.
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

// Config is shared by all answers.
type Config struct {
	// Static is the built assets, texts and icons; see package static.
	Static fs.FS
	// PublicURL is the origin under which browsers reach the server.
	PublicURL string
	// Origins are the host pages that may frame the checkout.
	Origins        []string
	TrustedProxies []netip.Prefix
	// Limits of one client; zero = the defaults.
	Limits Limits
	// Began is called at the start of a request; it returns the context for it, and a function
	// for its end. By then r.Pattern is set, "" = no route. status is 101 for a socket, zero if
	// nothing was answered. Nil = not called.
	Began func(r *http.Request) (ctx context.Context, ended func(r *http.Request, status int))
	Now   func() time.Time // nil = time.Now
	// Log has a line per request; see package logs. Nil = silent.
	Log *slog.Logger
}

// Server answers requests; create one with [New]. It is safe for concurrent use.
type Server struct {
	Config
	Assets *Assets
	// Routes are all but "/"; set by [Server.Handler].
	Routes []Route
	// ErrorPage shows an error to a shopper; package shop sets it. Nil = problem+json.
	ErrorPage func(w http.ResponseWriter, r *http.Request, e wire.Error)

	policies         policies
	turns            turns
	guesses          counter // limits wrong keys
	nudges           counter // limits the checks that pages schedule
	sockets          openCounter
	warnedHidden     sync.Once // for an untrusted proxy
	warnedUnreadable sync.Once // for a proxy without addresses
}

// New returns a server without routes. Errors: invalid assets.
func New(c Config) (*Server, error) {
	s := &Server{Config: c}
	if s.Log == nil {
		s.Log = slog.New(slog.DiscardHandler)
	}
	if s.Now == nil {
		s.Now = time.Now
	}

	s.Limits = s.Limits.withDefaults()
	s.guesses = newCounter(s.Limits.Guesses, NetworkFactor)
	s.nudges = newCounter(maxNudges, 2)
	var err error
	s.Assets, err = newAssets(c.Static)
	if err != nil {
		return nil, fmt.Errorf("reading assets: %w", err)
	}

	s.policies = newPolicies(s.Origins, s.Assets.inlineSource())
	s.Assets.policies = s.policies
	return s, nil
}
