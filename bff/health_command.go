package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"coinslot/bff/config"
)

// runHealth requests the server's own /readyz once, for container images without curl.
// Errors: no answer within three seconds; not ready.
func runHealth(ctx context.Context, args []string, s streams) error {
	flags := flag.NewFlagSet("health", flag.ContinueOnError)
	listen := flags.String("ops-listen", "", "address of the private listener, as given to serve")
	if err := parse(flags, args, s); err != nil {
		return err
	}

	overrides := map[string]string{"ops-listen": *listen}
	address, err := config.Lookup(s.env, overrides, "COINSLOT_OPS_LISTEN")
	if err != nil {
		return err
	}
	if address == "-" {
		return errors.New("checking health: COINSLOT_OPS_LISTEN is -, so /readyz is turned off")
	}

	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	// A listener's address without a host, or 0.0.0.0, leads to this machine: see net.Dial.
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/readyz", nil)
	if err != nil {
		return fmt.Errorf("checking health at %s: %w", address, err)
	}

	// a proxy of the environment must not be used
	direct := &http.Client{Transport: &http.Transport{Proxy: nil}}
	resp, err := direct.Do(req)
	if err != nil {
		return err // names the URL
	}

	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		why, _ := io.ReadAll(io.LimitReader(resp.Body, 200)) // for display only
		return fmt.Errorf("%s is not ready: %s", address, strings.TrimSpace(string(why)))
	}

	return nil
}
