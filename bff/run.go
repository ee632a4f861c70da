package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os/signal"
	"syscall"
	"time"

	"coinslot/bff/config"
	"coinslot/bff/demo"
	"coinslot/bff/logs"
	"coinslot/bff/order"
	"coinslot/bff/sandbox"
	"coinslot/bff/server"

	"golang.org/x/sync/errgroup"
)

// command is what the first argument names.
type command struct {
	name, help string
	run        func(ctx context.Context, args []string, io streams) error
}

// streams are where a command reads its settings and writes to.
type streams struct {
	env         []string
	out, errors io.Writer
}

func commands() []command {
	return []command{
		{"serve", "serve shoppers and merchants (the default)", serve},
		{"demo", "serve with a built-in sandbox gateway and a demo shop; needs no settings", runDemo},
		{"sandbox", "serve the gateway alone, simulated, for tests of a shop in any language", runSandbox},
		{"check", "say what is wrong with the set-up, changing nothing; -webhook sends a test, -json for programs", checkUp},
		{"reconcile", "compare the gateway's transactions with the database: -from 2026-11-01 -to 2026-11-21", reconcile},
		{"order-token", "mint an order token for trying out", orderToken},
		{"admin-password", "read a password twice, or once from a pipe, and print the hash for COINSLOT_ADMIN_PASSWORD", adminPassword},
		{"health", "ask the running server whether it is ready; for containers", health},
		{"version", "print version, commit, Go release and platform", version},
	}
}

// run is main without the process: it returns the exit code.
func run(args, env []string, out, errs io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	name := "serve"
	if len(args) > 0 && len(args[0]) > 0 && args[0][0] != '-' {
		name, args = args[0], args[1:]
	}
	for _, c := range commands() {
		if c.name == name {
			return exit(c.run(ctx, args, streams{env, out, errs}), errs)
		}
	}
	usage(errs)
	fmt.Fprintf(errs, "\ncoinslot: no command %q\n", name)
	return 2
}

func exit(err error, errs io.Writer) int {
	switch {
	case err == nil:
		return 0
	case errors.Is(err, flag.ErrHelp):
		return 0
	}
	fmt.Fprintf(errs, "coinslot: %v\n", err)
	return 1
}

func usage(w io.Writer) {
	fmt.Fprintf(w, "Coinslot %s: a drop-in crypto checkout\n\nUsage: coinslot [command] [flags]\n\n", release())
	for _, c := range commands() {
		fmt.Fprintf(w, "  %-14s %s\n", c.name, c.help)
	}
	fmt.Fprintf(w, "\nSettings (environment, or the flag of the same name):\n\n")
	config.Print(w)
}

// settings loads the configuration with flags over the environment.
func settings(args []string, s streams) (config.Config, error) {
	return settingsAnd(args, s, func(*flag.FlagSet) {})
}

// settingsAnd is settings for a command with flags of its own, which own adds.
func settingsAnd(args []string, s streams, own func(*flag.FlagSet)) (config.Config, error) {
	overrides, err := flagged(args, s, own)
	if err != nil {
		return config.Config{}, err
	}
	return config.Load(s.env, overrides)
}

// flagged reads the flags of settings, and those that own adds.
func flagged(args []string, s streams, own func(*flag.FlagSet)) (map[string]string, error) {
	flags := flag.NewFlagSet("coinslot", flag.ContinueOnError)
	flags.SetOutput(s.errors)
	flags.Usage = func() { usage(s.errors) }
	overrides := map[string]string{}
	for _, setting := range config.Settings() {
		names := []string{setting.Flag()}
		if setting.File {
			names = append(names, setting.Flag()+"-file")
		}
		for _, name := range names {
			flags.Func(name, setting.Help, func(v string) error { overrides[name] = v; return nil })
		}
	}
	own(flags)
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	if flags.NArg() > 0 {
		return nil, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	return overrides, nil
}

// serve runs until it is told to stop.
func serve(ctx context.Context, args []string, s streams) error {
	c, err := settings(args, s)
	if err != nil {
		return err
	}
	log := logs.New(s.errors, logs.Config{JSON: c.LogJSON, Level: c.LogLevel})
	srv, err := server.New(ctx, c, options(c, log))
	if err != nil {
		return err
	}
	return errors.Join(listen(ctx, c, srv, func(addr net.Addr) {
		fmt.Fprintf(s.out, "Coinslot %s serves %s on %s\n", release(), c.PublicURL, addr)
	}), srv.Close())
}

// options are what the settings leave to say: how payments are pretended.
func options(c config.Config, log *slog.Logger) server.Options {
	o := server.Options{Log: log, Version: release()}
	if c.Sandbox {
		gateway := sandbox.Remote{URL: c.GatewayURL}
		o.Kinds = demo.Kinds()
		o.Simulate = func(ctx context.Context, code, kind string) error { return gateway.Pay(ctx, code, sandbox.Kind(kind)) }
	}
	return o
}

// listen serves srv on the configured addresses and runs it; ready is called
// with the public listener's address when requests are accepted.
//
// When ctx ends, /readyz fails first, for COINSLOT_DRAIN. Then nothing more is taken
// and open pages are told, and the operator's listener closes last.
func listen(ctx context.Context, c config.Config, srv *server.Server, ready func(net.Addr)) error {
	public, err := net.Listen("tcp", c.Listen)
	if err != nil {
		return fmt.Errorf("COINSLOT_LISTEN: %w", err)
	}
	serving, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	looking, leave := context.WithCancel(context.WithoutCancel(ctx))
	defer leave()
	operators, looking := errgroup.WithContext(looking)
	if c.OpsListen != "" {
		ops, err := net.Listen("tcp", c.OpsListen)
		if err != nil {
			return errors.Join(fmt.Errorf("COINSLOT_OPS_LISTEN: %w", err), public.Close())
		}
		server.Serve(looking, operators, ops, srv.Ops)
		context.AfterFunc(looking, stop) // without it, nobody sees what happens
	}
	group, serving := errgroup.WithContext(serving)
	server.Serve(serving, group, public, srv.Handler)
	group.Go(func() error { return srv.Run(serving) })
	go func() {
		defer stop()
		drain(ctx, serving, srv, c.Drain)
	}()
	ready(public.Addr())
	err = group.Wait()
	leave()
	return errors.Join(err, operators.Wait())
}

// drain waits for the end of ctx, then has requests sent elsewhere and waits until
// they are, as long as d. It waits for nothing if serving has ended.
func drain(ctx, serving context.Context, srv *server.Server, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-serving.Done():
		return
	}
	srv.Leave()
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-serving.Done():
	}
}

// orderToken prints a token signed with COINSLOT_ORDER_KEY.
func orderToken(_ context.Context, args []string, s streams) error {
	flags := flag.NewFlagSet("coinslot order-token", flag.ContinueOnError)
	flags.SetOutput(s.errors)
	amount := flags.String("amount", "", "amount in US dollars, like 25.00")
	ref := flags.String("ref", "", "the order's reference, unique")
	title := flags.String("title", "", "what is sold")
	ttl := flags.Duration("ttl", time.Hour, "how long the token is valid")
	if err := flags.Parse(args); err != nil {
		return err
	}
	key, err := config.Lookup(s.env, nil, "COINSLOT_ORDER_KEY")
	if err != nil {
		return err
	}
	token, err := order.Mint([]byte(key), *amount, *ref, *title, *ttl, time.Now())
	if err != nil {
		return fmt.Errorf("minting an order token: %w (-amount 25.00 -ref 1001)", err)
	}
	fmt.Fprintln(s.out, token)
	return nil
}
