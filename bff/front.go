package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"strings"

	"coinslot/bff/config"
	"coinslot/bff/https"
	"coinslot/bff/server"

	"golang.org/x/sync/errgroup"
)

// front is the open address that shoppers and merchants connect to.
type front interface {
	io.Closer
	Addr() net.Addr
	// serve answers by h in the group until ctx ends, and then lets requests finish.
	serve(ctx context.Context, group *errgroup.Group, h http.Handler)
}

// plainFront serves http, for a proxy.
type plainFront struct{ net.Listener }

func (f plainFront) serve(ctx context.Context, group *errgroup.Group, h http.Handler) {
	server.Serve(ctx, group, f.Listener, h)
}

// secureFront serves https.
type secureFront struct{ *https.Listener }

func (f secureFront) serve(ctx context.Context, group *errgroup.Group, h http.Handler) {
	f.Serve(ctx, group, server.HTTP(h))
}

// newHTTPS returns what serves https, with the stored certificate; nil = a proxy does it.
func newHTTPS(c config.Config, log *slog.Logger) (*https.Server, error) {
	if !c.TLS.On() {
		return nil, nil
	}
	s, err := https.New(https.Config{
		Listen:      c.Listen,
		Redirect:    c.HTTPListen,
		PublicURL:   c.PublicURL,
		Certificate: c.TLS.Certificate,
		Key:         c.TLS.Key,
		ACME:        c.ACME,
		Folder:      certificateFolder(c.Database),
		Log:         log,
	})
	if err != nil {
		return nil, fmt.Errorf("COINSLOT_TLS: %w", err)
	}
	return s, nil
}

// certificateFolder is beside the file of the database, or in the working folder.
func certificateFolder(database string) string {
	const name = "certificates"
	if strings.Contains(database, "://") {
		return name
	}
	return filepath.Join(filepath.Dir(database), name)
}

// openFront opens the address. secure is nil for http.
func openFront(c config.Config, secure *https.Server) (front, error) {
	if secure == nil {
		l, err := net.Listen("tcp", c.Listen)
		if err != nil {
			return nil, fmt.Errorf("COINSLOT_LISTEN: %w", err)
		}
		return plainFront{l}, nil
	}

	l, err := secure.Listen()
	if err != nil {
		return nil, err
	}
	return secureFront{l}, nil
}
