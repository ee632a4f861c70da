package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"coinslot/bff/config"
)

// runHealth asks the server's own /readyz once, for container images that have
// nothing else to ask with. Errors: it does not answer within three seconds, or
// is not ready.
func runHealth(ctx context.Context, args []string, s streams) error {
	flags := flag.NewFlagSet("health", flag.ContinueOnError)
	listen := flags.String("ops-listen", "", "address of the private listener, as given to serve")
	if err := parse(flags, args, s); err != nil {
		return err
	}
	address, err := config.Lookup(
		s.env, map[string]string{"ops-listen": *listen}, "COINSLOT_OPS_LISTEN",
	)
	if err != nil {
		return err
	}
	if address == "-" {
		return errors.New("COINSLOT_OPS_LISTEN is -: there is nobody to ask")
	}
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	return checkReady(ctx, dialAddress(address))
}

// dialAddress is where a listener's address is reached from the same machine.
func dialAddress(listen string) string {
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return listen
	}
	if ip, err := netip.ParseAddr(host); host == "" || err == nil && ip == netip.IPv4Unspecified() {
		host = "127.0.0.1"
	} else if err == nil && ip.IsUnspecified() {
		host = "::1"
	}
	return net.JoinHostPort(host, port)
}

// checkReady asks /readyz at address. Errors: no answer; one that says no.
func checkReady(ctx context.Context, address string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/readyz", nil)
	if err != nil {
		return fmt.Errorf("asking %s: %w", address, err)
	}
	// a proxy of the environment is not for this
	direct := &http.Client{Transport: &http.Transport{Proxy: nil}}
	resp, err := direct.Do(req)
	if err != nil {
		return err // says whom was asked
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		why, _ := io.ReadAll(io.LimitReader(resp.Body, 200)) // is only to be shown
		return fmt.Errorf("%s is not ready: %s", address, strings.TrimSpace(string(why)))
	}
	return nil
}
