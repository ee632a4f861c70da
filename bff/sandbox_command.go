package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"strings"

	"coinslot/bff/config"
	"coinslot/bff/demo"
	"coinslot/bff/sandbox"
	"coinslot/bff/server"

	"golang.org/x/sync/errgroup"
)

// runSandbox serves the simulated gateway until ctx ends.
func runSandbox(ctx context.Context, args []string, s streams) error {
	flags := flag.NewFlagSet("sandbox", flag.ContinueOnError)
	listen := flags.String("listen", "127.0.0.1:8082", "loopback address; port 0 picks a free one")
	var c sandbox.Config
	flags.StringVar(&c.Key, "key", sandbox.DefaultKey, "API key to accept; it protects nothing")
	flags.Int64Var(&c.Seed, "seed", 0, "repeats addresses and codes in every run; 0 = random")
	if err := parse(flags, args, s); err != nil {
		return err
	}

	l, err := listenLoopback(*listen)
	if err != nil {
		return err
	}

	address := "http://" + l.Addr().String()
	c.PageURL = address + "/pay"
	group, ctx := errgroup.WithContext(ctx)
	server.Serve(ctx, group, l, sandbox.New(c))
	fmt.Fprintf(s.out, `
  Coinslot sandbox: a simulated gateway, no real money moves. Control it at

    %[1]s/sandbox/

  For the checkout (coinslot serve):

    export COINSLOT_SANDBOX=true
    export COINSLOT_GATEWAY_URL=%[1]s
    export COINSLOT_GATEWAY_PAGE_URL=%[1]s/pay
    export COINSLOT_GATEWAY_KEY=%[2]s

  Press Ctrl-C to stop. Sandbox data isn't saved.

`, address, c.Key)
	return group.Wait()
}

// listenLoopback listens on the loopback interface only: anyone who reaches the sandbox can
// simulate payments.
func listenLoopback(at string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(at)
	if err != nil {
		return nil, fmt.Errorf("listening on %q: must be host:port, like 127.0.0.1:8082", at)
	}
	addr, err := netip.ParseAddr(host)
	isLoopback := host == "localhost" || err == nil && addr.IsLoopback()
	if !isLoopback {
		return nil, errors.New("listening: the sandbox accepts loopback addresses only, like " +
			"127.0.0.1:8082: its controls have no password")
	}

	l, err := net.Listen("tcp", at)
	if err != nil {
		return nil, fmt.Errorf("listening on %q: %w", at, err)
	}

	return l, nil
}

// runDemo serves the checkout with a sandbox gateway and a demo shop.
func runDemo(ctx context.Context, args []string, s streams) error {
	flags := flag.NewFlagSet("demo", flag.ContinueOnError)
	c := demo.Config{
		Out: s.out,
		Log: slog.New(slog.NewTextHandler(s.errors, &slog.HandlerOptions{Level: slog.LevelWarn})),
	}
	flags.StringVar(&c.Listen, "listen", "127.0.0.1:8080", "address of the checkout")
	flags.StringVar(&c.Shop, "shop-listen", "127.0.0.1:8081", "address of the demo shop")
	flags.StringVar(&c.Gateway, "gateway-listen", "127.0.0.1:8082",
		"address of the sandbox gateway")
	flags.Func("own-shop", "`origins` of your own shop, like http://localhost:5173, comma "+
		"separated: they may use the checkout, and the keys are printed", func(v string) error {
		list, err := config.Origins(v)
		c.Own = append(c.Own, list...)
		return err
	})
	flags.StringVar(&c.Webhook, "webhook-url", "", "where your own shop receives webhooks; "+
		"unset = /hooks/coinslot at the first origin")
	flags.StringVar(&c.Catalog, "catalog", "", "path of a catalog (YAML); unset = no items")
	flags.StringVar(&c.Data, "data", "", "folder to save the demo's data in; unset = not saved")
	flags.StringVar(&c.Static, "static", "", "folder that replaces the built-in browser files; "+
		"open pages reload after a restart (make dev)")
	if err := parse(flags, args, s); err != nil {
		return err
	}

	for _, setting := range s.env {
		name, _, _ := strings.Cut(setting, "=")
		switch name {
		case "COINSLOT_ORIGINS":
			c.Log.Warn("the demo ignores " + name + ": use -own-shop")
		case "COINSLOT_WEBHOOK_URL":
			c.Log.Warn("the demo ignores " + name + ": use -webhook-url")
		}
	}

	return demo.Run(ctx, c)
}
