// Command serve shows every screen of the checkout, live: make gallery-serve, or make dev.
package main

import (
	"context"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"coinslot/bff/livereload"
	"coinslot/e2e/gallery"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:8083", "address")
	static := flag.String("static", "static", "folder of the browser's files, read for each page")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := serve(ctx, *listen, *static); err != nil {
		fmt.Fprintln(os.Stderr, "gallery:", err)
		os.Exit(1)
	}
}

// serve answers until ctx ends. Errors: the address is taken; texts or styles cannot be read.
func serve(ctx context.Context, listen, static string) error {
	if _, err := gallery.Handler(static); err != nil {
		return err
	}

	listener, err := net.Listen("tcp", listen)
	if err != nil {
		return fmt.Errorf("listening on %q: %w", listen, err)
	}

	pages := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handler, err := gallery.Handler(static)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		handler.ServeHTTP(w, r)
	})
	handler := livereload.Handler(ctx, pages)
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 5 * time.Second}
	context.AfterFunc(ctx, func() { _ = server.Close() }) // open pages connect again
	fmt.Printf("\n    Gallery   http://%s      every screen, theme, direction and language\n", listener.Addr())
	if err := server.Serve(listener); ctx.Err() == nil {
		return fmt.Errorf("serving: %w", err)
	}

	return nil
}
