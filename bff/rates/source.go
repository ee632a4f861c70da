package rates

import (
	"context"
	"errors"
	"net/netip"
	"net/url"
	"strings"
	"time"
)

// The names of the three kinds of sources. They are part of the API.
const (
	ECB   = "ecb"   // the European Central Bank's reference rates, or a mirror of them
	JSON  = "json"  // a JSON document
	Fixed = "fixed" // a YAML file
)

// Source is where rates come from. Its methods may be called by several goroutines.
type Source interface {
	// Name is ECB, JSON or Fixed.
	Name() string
	// Host is the host that is asked, with its port if it has one; "" = none, it is a file.
	Host() string
	// Fetch reads the rates that are current at now; a host has ten seconds to answer. The whole
	// table is refused if its date, its base or the rate of the dollar is missing or invalid.
	// Errors hold neither credentials nor path nor query of a URL.
	Fetch(ctx context.Context, now time.Time) (Table, error)
}

// Interval returns how long to wait between two reads of a source of that name.
func Interval(source string) time.Duration {
	switch source {
	case ECB:
		return 30 * time.Minute
	case JSON:
		return 10 * time.Minute
	}
	return time.Minute
}

var errSetting = errors.New("must be ecb, ecb:https://…, json:https://… or the path of a YAML file " +
	"(.yaml or .yml); http:// is for localhost only")

// Parse returns the source that a setting names: "ecb", "ecb:" or "json:" and a URL, or the path
// of a YAML file. It reads nothing yet. Errors do not quote the setting, which may hold a key.
func Parse(setting string) (Source, error) {
	if setting == ECB {
		setting = ECB + ":" + ecbURL
	}
	kind, location, _ := strings.Cut(setting, ":")
	switch kind {
	case ECB:
		return newRemote(ECB, location, parseECB)
	case JSON:
		return newRemote(JSON, location, parseJSON)
	}
	isYAML := strings.HasSuffix(setting, ".yaml") || strings.HasSuffix(setting, ".yml")
	if !isYAML || strings.Contains(setting, "://") {
		return nil, errSetting
	}
	return file{path: setting}, nil
}

// checkURL reports whether requests to u are encrypted, or stay on this machine.
func checkURL(u *url.URL) bool {
	if u.Hostname() == "" || u.Opaque != "" || u.Fragment != "" {
		return false
	}
	return u.Scheme == "https" || u.Scheme == "http" && isLoopback(u.Hostname())
}

func isLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	address, err := netip.ParseAddr(host)
	return err == nil && address.IsLoopback()
}
