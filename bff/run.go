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
	"slices"
	"strings"
	"syscall"
	"time"

	"coinslot/bff/config"
	"coinslot/bff/demo"
	"coinslot/bff/https"
	"coinslot/bff/logs"
	"coinslot/bff/order"
	"coinslot/bff/sandbox"
	"coinslot/bff/server"

	"golang.org/x/sync/errgroup"
)

type command struct {
	name, help string
	run        func(ctx context.Context, args []string, io streams) error
}

type streams struct {
	env         []string
	out, errors io.Writer
	file        string // of the settings that -settings added to env; empty = none
}

func commands() []command {
	return []command{
		{"serve", "run the checkout server (the default)", runServe},
		{"init", "write the settings of a new shop, with fresh keys, and a unit of systemd: " +
			"coinslot init [NAME]", runInit},
		{"demo", "run it with a sandbox gateway and a demo shop; needs no settings", runDemo},
		{"sandbox", "run a simulated gateway alone, to test a shop in any language", runSandbox},
		{"check", "validate configuration, database, gateway and network; -webhook and " +
			"-test-alerts also send a test, -json prints JSON", runCheck},
		{"reconcile", "compare the gateway's transactions with the database: -from 2026-11-01 " +
			"-to 2026-11-21", runReconcile},
		{"statement", "print the month for the accountant, compared with the gateway's lists: " +
			"coinslot statement [-format html|csv|excel|journal] 2026-11", runStatement},
		{"erase", "erase personal data of a session or an e-mail address, also while the server " +
			"runs: coinslot erase SESSION|EMAIL", runErase},
		{"listen", "forward a checkout's events to a local address: -forward-to " +
			"http://localhost:3000/hooks/coinslot", runListen},
		{"trigger", "cause an event in a sandbox, such as checkout.confirmed", runTrigger},
		{"order-token", "mint an order token for testing", runOrderToken},
		{"admin-password", "prompt for a password, or read it from a pipe, and print the hash " +
			"for COINSLOT_ADMIN_PASSWORD", runAdminPassword},
		{"health", "check whether the server is ready; for containers", runHealth},
		{"licenses", "print the licenses of third-party software in this program", printLicenses},
		{"version", "print version, commit, Go release and platform", printVersion},
	}
}

// run is main; it returns the exit code.
func run(args, env []string, out, errs io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	env, args, file, err := addSettingsFile(env, args)
	if err != nil {
		return exitCode(err, errs)
	}
	name := "serve"
	if len(args) > 0 && len(args[0]) > 0 && args[0][0] != '-' {
		name = args[0]
		args = args[1:]
	}

	for _, c := range commands() {
		if c.name == name {
			return exitCode(c.run(ctx, args, streams{env, out, errs, file}), errs)
		}
	}
	if name == "help" {
		printUsage(out)
		return 0
	}

	fmt.Fprintf(errs, "coinslot: unknown command %q: see coinslot -h\n", name)
	return 2
}

func exitCode(err error, errs io.Writer) int {
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return 0
	}
	fmt.Fprintf(errs, "coinslot: %s\n", strings.ReplaceAll(err.Error(), "\n", "\ncoinslot: "))
	return 1
}

func runServe(ctx context.Context, args []string, s streams) error {
	c, err := loadSettings("serve", args, s, nil)
	if err != nil {
		return suggestDemo(err, args, s.env)
	}

	log := logs.New(s.errors, logs.Config{JSON: c.LogJSON, Level: c.LogLevel})
	secure, err := newHTTPS(c, log)
	if err != nil {
		return err
	}
	options := serverOptions(c, log)
	if secure != nil {
		options.Certificate = secure.Health
	}
	srv, err := server.New(ctx, c, options)
	if err != nil {
		return err
	}

	defer context.AfterFunc(ctx, func() {
		log.Info("shutting down; a second signal stops the server at once", "drain", c.Drain)
	})()
	err = errors.Join(listen(ctx, c, srv, secure, func(addr net.Addr) {
		fmt.Fprintf(s.out, "Coinslot %s serves %s on %s\n", release(), c.PublicURL, addr)
	}), srv.Close())
	if err == nil {
		log.Info("stopped")
	}

	return err
}

// suggestDemo adds a hint for new users, who have set nothing yet.
func suggestDemo(err error, args, env []string) error {
	isSetting := func(v string) bool { return strings.HasPrefix(v, "COINSLOT_") }
	if len(args) > 0 || slices.ContainsFunc(env, isSetting) {
		return err
	}
	return fmt.Errorf("%w\nto try Coinslot without settings, run: coinslot demo", err)
}

// serverOptions lets a sandbox gateway simulate payments.
func serverOptions(c config.Config, log *slog.Logger) server.Options {
	o := server.Options{Log: log, Version: release()}
	if c.Sandbox {
		gateway := sandbox.Remote{URL: c.GatewayURL}
		o.Kinds = demo.Kinds()
		o.Simulate = func(ctx context.Context, code, kind string) error {
			return gateway.Pay(ctx, code, sandbox.Kind(kind))
		}
	}
	return o
}

// listen serves srv on the configured addresses and runs it, over https if secure is not nil; ready
// is called with the public listener's address once requests are accepted.
//
// When ctx ends, /readyz fails for COINSLOT_DRAIN. Then the public listener closes, sockets get
// a close frame, and the operator's listener closes last.
func listen(
	ctx context.Context, c config.Config, srv *server.Server, secure *https.Server,
	ready func(net.Addr),
) error {
	public, err := openFront(c, secure)
	if err != nil {
		return err
	}

	serving, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	private, leave := context.WithCancel(context.WithoutCancel(ctx))
	defer leave()
	operators, private := errgroup.WithContext(private)
	if c.OpsListen != "" {
		ops, err := net.Listen("tcp", c.OpsListen)
		if err != nil {
			return errors.Join(fmt.Errorf("COINSLOT_OPS_LISTEN: %w", err), public.Close())
		}
		server.Serve(private, operators, ops, srv.Ops)
		context.AfterFunc(private, stop) // do not run unobserved
	}

	group, serving := errgroup.WithContext(serving)
	public.serve(serving, group, srv.Handler)
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

// drain waits for the end of ctx, then makes /readyz fail and waits for d. It returns when
// serving ends.
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

// runOrderToken prints a token signed with COINSLOT_ORDER_KEY.
func runOrderToken(_ context.Context, args []string, s streams) error {
	flags := flag.NewFlagSet("order-token", flag.ContinueOnError)
	var t order.NewToken
	flags.StringVar(&t.Amount, "amount", "", "the price, like 25.00")
	flags.StringVar(&t.Currency, "currency", "", "ISO 4217 code of the price, like EUR; unset = USD")
	flags.StringVar(&t.Ref, "ref", "", "the order's unique reference")
	flags.StringVar(&t.Title, "title", "", "title of the order")
	flags.DurationVar(&t.TTL, "ttl", time.Hour, "how long the token is valid")
	if err := parse(flags, args, s); err != nil {
		return err
	}

	key, err := config.Lookup(s.env, nil, "COINSLOT_ORDER_KEY")
	if err != nil {
		return err
	}

	token, err := order.Mint([]byte(key), t, time.Now())
	if err != nil {
		return fmt.Errorf("minting an order token: %w (-amount 25.00 -ref 1001)", err)
	}

	fmt.Fprintln(s.out, token)
	return nil
}
