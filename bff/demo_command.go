package main

import (
	"context"
	"flag"
	"log/slog"

	"coinslot/bff/demo"
)

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
	flags.StringVar(&c.Own, "own-shop", "", "origin of your own shop, like "+
		"http://127.0.0.1:3000: it may use the checkout, and its keys are printed")
	flags.StringVar(&c.Catalog, "catalog", "", "path of a catalog (YAML); unset = no items")
	flags.StringVar(&c.Data, "data", "", "folder to save the demo's data in; unset = not saved")
	flags.StringVar(&c.Static, "static", "", "folder that replaces the built-in browser files; "+
		"open pages reload after a restart (make dev)")
	if err := parse(flags, args, s); err != nil {
		return err
	}
	return demo.Run(ctx, c)
}
