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

// runSandbox serves the simulated gateway until it is told to stop.
func runSandbox(ctx context.Context, args []string, s streams) error {
	flags := flag.NewFlagSet("sandbox", flag.ContinueOnError)
	listen := flags.String(
		"listen", "127.0.0.1:8082", "address of this machine; port 0 takes a free one",
	)
	var c sandbox.Config
	flags.StringVar(
		&c.Key, "key", sandbox.DefaultKey, "the API key that is accepted; this one guards nothing",
	)
	flags.Int64Var(
		&c.Seed, "seed", 0, "makes addresses and codes the same in every run; 0 = random",
	)
	flags.BoolVar(&c.AnyCallback, "any-callback", false,
		"send payers back to addresses that are not public https as well")
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
	printSandbox(s, address, c.Key)
	return group.Wait()
}

// listenLoopback listens on the loopback interface only: who reaches the sandbox can
// pretend any payment.
func listenLoopback(at string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(at)
	if err != nil {
		return nil, fmt.Errorf("listening on %q: must be host:port, like 127.0.0.1:8082", at)
	}
	if addr, err := netip.ParseAddr(host); host != "localhost" &&
		(err != nil || !addr.IsLoopback()) {
		return nil, errors.New(
			"listening: the sandbox takes an address of this machine only, like 127.0.0.1:8082: " +
				"its controls ask for no password",
		)
	}
	l, err := net.Listen("tcp", at)
	if err != nil {
		return nil, fmt.Errorf("listening on %q: %w", at, err)
	}
	return l, nil
}

// printSandbox prints what a checkout needs for it, to be pasted into a shell.
func printSandbox(s streams, address, key string) {
	fmt.Fprintf(s.out, `
  Coinslot sandbox: a gateway in which no money moves. What is to happen:

    %[1]s/sandbox/

  For the checkout, coinslot serve:

    export COINSLOT_SANDBOX=true
    export COINSLOT_GATEWAY_URL=%[1]s
    export COINSLOT_GATEWAY_PAGE_URL=%[1]s/pay
    export COINSLOT_GATEWAY_KEY=%[2]s

  Ctrl-C ends it and forgets everything.

`, address, key)
}
