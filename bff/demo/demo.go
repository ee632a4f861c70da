// Package demo runs everything on one machine without settings: the checkout, a sandbox gateway,
// and a small shop on another origin that uses the public API, script tag and webhooks.
package demo

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"coinslot/bff/config"
	"coinslot/bff/console/auth/password"
	"coinslot/bff/livereload"
	"coinslot/bff/sandbox"
	"coinslot/bff/server"
	"coinslot/bff/webhook"

	"golang.org/x/sync/errgroup"
)

// webhookPath is where shops receive webhooks: the demo's, those of docs/examples and of the docs.
const webhookPath = "/hooks/coinslot"

// Config is what the demo is made of.
type Config struct {
	// Listen, Shop and Gateway are host:port. A port in use is replaced by a free one, but not
	// with Data, whose payments belong to the address. The checkout's public host is localhost and
	// the shop's 127.0.0.1, so that browsers see different sites.
	Listen, Shop, Gateway string
	// Own are the origins of the user's own shop, which may then use the checkout; see
	// [config.Origins]. Its keys are printed. Nil = none.
	Own []string
	// Webhook is where the user's own shop receives webhooks. Empty = /hooks/coinslot at the first
	// of Own.
	Webhook string
	Catalog string // path of a catalog; empty = no items
	// Data is the folder to save keys, database and the gateway's state in, for the next run.
	// Empty = a temporary one, removed at the end.
	Data string
	// Static is a folder like package static that replaces the built-in files. Open pages reload
	// after a restart. Empty = built-in.
	Static string
	Out    io.Writer    // for the printed addresses
	Log    *slog.Logger // nil = silent
}

//go:embed rates.yaml
var ratesFile []byte

// Kinds are the payments that a page can simulate, in the order of its bar: all of the gateway's.
func Kinds() []string {
	return []string{
		"pay", "half", "over", "parts", "late", "expire", "cancel", "tenfold", "tolerated",
	}
}

// Run serves until ctx ends. Errors: an invalid address or setting; a folder that cannot be
// created; invalid data of an earlier run.
func Run(ctx context.Context, c Config) error {
	folder := c.Data
	if folder == "" {
		var err error
		folder, err = os.MkdirTemp("", "coinslot-demo-")
		if err != nil {
			return fmt.Errorf("creating a folder for the demo: %w", err)
		}
		defer os.RemoveAll(folder)
	} else if err := os.MkdirAll(folder, 0o700); err != nil {
		return fmt.Errorf("creating a folder for the demo: %w", err)
	}

	d, err := prepare(c, folder)
	if err != nil {
		return err
	}

	return d.run(ctx)
}

type demo struct {
	Config
	checkout, shop, gateway net.Listener
	settings                config.Config
	state                   state // initial
	static                  fs.FS // nil = built-in
	sandbox                 *sandbox.Server
	store                   *shop
}

func prepare(c Config, dir string) (d *demo, err error) {
	d = &demo{Config: c}
	d.state, err = loadState(dir)
	if err != nil {
		return nil, err
	}
	if c.Static != "" {
		d.static = os.DirFS(c.Static)
	}

	for _, l := range []struct {
		at   string
		into *net.Listener
	}{{c.Listen, &d.checkout}, {c.Shop, &d.shop}, {c.Gateway, &d.gateway}} {
		if c.Data == "" {
			*l.into, err = listen(l.at)
		} else if *l.into, err = net.Listen("tcp", l.at); err != nil {
			err = fmt.Errorf("%w: payments in %s belong to this address", err, c.Data)
		}
		if err != nil {
			return nil, err
		}
	}

	gateway := "http://" + d.gateway.Addr().String()
	d.sandbox = sandbox.New(sandbox.Config{
		Key:          d.state.GatewayKey,
		PageURL:      gateway + "/pay",
		Transactions: d.state.Transactions,
	})
	shopURL := "http://" + d.shop.Addr().String()
	hash, err := password.New(d.state.Password)
	if err != nil {
		return nil, err
	}

	rates := filepath.Join(dir, "rates.yaml")
	if err := os.WriteFile(rates, ratesFile, 0o600); err != nil {
		return nil, fmt.Errorf("writing the demo's exchange rates: %w", err)
	}

	d.settings = config.Config{
		PublicURL:            "http://localhost:" + port(d.checkout),
		Database:             filepath.Join(dir, "demo.db"),
		GatewayURL:           gateway,
		GatewayKey:           config.NewSecret(d.state.GatewayKey),
		GatewayPageURL:       gateway + "/pay",
		Origins:              allowedOrigins(shopURL, c.Own),
		SecretKeys:           []config.Secret{config.NewSecret(d.state.SecretKey)},
		WebhookURLs:          []string{shopURL + webhookPath},
		WebhookSecrets:       []config.Secret{config.NewSecret(d.state.WebhookSecret)},
		PollInterval:         time.Second,
		GatewayRPS:           50,
		AllowPrivateWebhooks: true,
		AdminPassword:        config.NewSecret(hash),
		Catalog:              d.Catalog,
		Rates:                rates,
		ShopName:             "Northlight Coffee",
	}
	d.store, err = newShop(d.settings, d.static, d.state.Webhooks)
	if err != nil {
		return nil, err
	}

	return d, d.addOwnShop()
}

func (d *demo) addOwnShop() error {
	if d.Webhook == "" && len(d.Own) > 0 {
		d.Webhook = d.Own[0] + webhookPath
	}
	if d.Webhook == "" {
		return nil
	}
	if err := webhook.CheckEndpoint(d.Webhook, true); err != nil {
		return fmt.Errorf("reading -webhook-url: %w", err)
	}

	d.settings.WebhookURLs = append(d.settings.WebhookURLs, d.Webhook)
	d.settings.OrderKey = config.NewSecret(d.state.OrderKey)
	return nil
}

// allowedOrigins are those of the demo's shop and of the user's own, also by the other name of
// this machine: development servers print localhost or 127.0.0.1.
func allowedOrigins(shop string, own []string) (list []string) {
	for _, origin := range append([]string{shop}, own...) {
		list = append(list, origin)
		u, err := url.Parse(origin)
		if err != nil {
			continue
		}

		host := u.Hostname()
		switch host {
		case "localhost":
			list = append(list, strings.Replace(origin, host, "127.0.0.1", 1))
		case "127.0.0.1":
			list = append(list, strings.Replace(origin, host, "localhost", 1))
		}
	}

	return list
}

func (d *demo) run(ctx context.Context) error {
	srv, err := server.New(ctx, d.settings, server.Options{
		Static:    d.static,
		Log:       d.Log,
		Kinds:     Kinds(),
		AddOrigin: "coinslot demo -own-shop " + strings.Join(append(d.Own, ""), ","),
		Simulate: func(_ context.Context, trackingCode, kind string) error {
			return d.sandbox.Pay(trackingCode, sandbox.Kind(kind))
		},
	})
	if err != nil {
		return err
	}

	group, ctx := errgroup.WithContext(ctx)
	server.Serve(ctx, group, d.gateway, d.sandbox)
	for _, site := range []struct {
		listener net.Listener
		handler  http.Handler
	}{{d.checkout, srv.Handler}, {d.shop, d.store}} {
		if d.static != nil {
			site.handler = livereload.Handler(ctx, site.handler)
		}
		server.Serve(ctx, group, site.listener, site.handler)
	}
	if d.Data != "" {
		group.Go(func() error { return d.saveState(ctx) })
	}

	group.Go(func() error { return srv.Run(ctx) })
	d.printAddresses()
	return errors.Join(group.Wait(), srv.Close())
}

func (d *demo) printAddresses() {
	fate := "Demo data isn't saved."
	if d.Data != "" {
		fate = "Demo data is saved in " + d.Data + "."
	}

	fmt.Fprintf(d.Out, `
  Coinslot demo: no real money moves.

    Shop      http://%s      <- open this and buy something
    Checkout  %s      its API: %[2]s/docs/api
    Sandbox   http://%[3]s/sandbox/
    Console   %[2]s/admin      password %[4]s

  Pay with the bar in the checkout. Press Ctrl-C to stop. %[5]s

`, d.shop.Addr(), d.settings.PublicURL, d.gateway.Addr(), d.state.Password, fate)
	asked := d.Config.Listen
	if portOf(asked) != "0" && portOf(asked) != port(d.checkout) {
		fmt.Fprintf(d.Out, "  %s is in use, so your pages have to use %s.\n\n", asked,
			d.settings.PublicURL)
	}
	if d.Webhook != "" {
		d.printKeys()
		return
	}

	fmt.Fprintf(d.Out, `  To receive webhooks on your machine, paste into other terminals:

    export COINSLOT_URL=%s COINSLOT_SECRET_KEY=%s
    %[3]s listen -forward-to http://localhost:3000/hooks/coinslot
    %[3]s trigger checkout.confirmed

`, d.settings.PublicURL, d.settings.SecretKeys[0].Reveal(), os.Args[0])
}

// printKeys prints shell commands with the keys for the user's own shop.
func (d *demo) printKeys() {
	fmt.Fprintf(d.Out, `  For your own shop at %s, which receives the webhooks:

    export COINSLOT_URL=%s
    export COINSLOT_SECRET_KEY=%s
    export COINSLOT_ORDER_KEY=%s
    export COINSLOT_WEBHOOK_SECRET=%s
    export SHOP_TEST=1

`, webhook.HostOf(d.Webhook), d.settings.PublicURL, d.settings.SecretKeys[0].Reveal(), d.settings.OrderKey.Reveal(),
		d.settings.WebhookSecrets[0].Reveal())
}

// listen listens on an address, or on a free port of its host if that is in use.
func listen(at string) (net.Listener, error) {
	l, err := net.Listen("tcp", at)
	host, _, invalid := net.SplitHostPort(at)
	if err != nil && invalid == nil {
		at = host
		l, err = net.Listen("tcp", net.JoinHostPort(host, "0"))
	}
	if err != nil {
		return nil, fmt.Errorf("listening on %q: %w", at, err)
	}
	return l, nil
}

func port(l net.Listener) string { return portOf(l.Addr().String()) }

// portOf is the part of host:port behind the host.
func portOf(address string) string { return address[strings.LastIndex(address, ":")+1:] }
