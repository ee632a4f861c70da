package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/netip"

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
	flags.BoolVar(&c.AnyCallback, "any-callback", false,
		"allow callback URLs that are not public https")
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
	if addr, err := netip.ParseAddr(host); host != "localhost" &&
		(err != nil || !addr.IsLoopback()) {
		return nil, errors.New("listening: the sandbox accepts loopback addresses only, like " +
			"127.0.0.1:8082: its controls have no password")
	}
	l, err := net.Listen("tcp", at)
	if err != nil {
		return nil, fmt.Errorf("listening on %q: %w", at, err)
	}
	return l, nil
}
