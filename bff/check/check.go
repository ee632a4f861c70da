// Package check validates a setup before it goes live: settings, files, database, gateway,
// the path through the proxy, webhook endpoints, and the machine. It is read-only: it creates
// no file, event or payment, and sends at most a test webhook, if asked to.
//
// Start at [Run]. [Report.Text] and [Report.JSON] print its findings.
package check

import (
	"context"
	"crypto/x509"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"coinslot/bff/config"
	"coinslot/bff/diagnose"
)

type findings = []diagnose.Finding

// Report has the findings in order of dependency.
type Report struct {
	Version  string // of this program
	Findings []diagnose.Finding
	Verbose  bool // Text also has the details of what is right
}

// Config is the setup to check.
type Config struct {
	Version string // of this program
	Env     []string
	// Settings and Problem are the results of config.Load. A setting that Problem names is
	// reported and not used.
	Settings config.Config
	Problem  error
	// Webhook sends a test to each reachable endpoint.
	Webhook bool

	// Resolve, Dial and Roots replace those of the system in tests; nil = the system's.
	Resolve func(ctx context.Context, host string) ([]netip.Addr, error)
	Dial    func(ctx context.Context, network, address string) (net.Conn, error)
	Roots   *x509.CertPool
	Now     func() time.Time // nil = time.Now
	// Built is the time of this program's commit: a clock before it is wrong. Zero = unknown.
	Built time.Time
}

// partTimeout bounds each part; all run at the same time.
const partTimeout = 15 * time.Second

// Run makes all checks. It blocks for at most 15 seconds, and 20 more if an endpoint does not
// answer its test.
func Run(ctx context.Context, c Config) Report {
	x := &checker{Config: c.withDefaults(), invalid: namedSettings(c.Problem)}
	parts := []func(context.Context) findings{
		x.settings, x.sandbox, x.secrets, x.files, x.database, x.retention, x.gateway, x.public,
		x.proxies, x.origins, x.webhooks, x.ops, x.machine,
	}
	found := make([]findings, len(parts))
	ctx, cancel := context.WithTimeout(ctx, partTimeout)
	defer cancel()
	var running sync.WaitGroup
	for i, part := range parts {
		running.Go(func() { found[i] = part(ctx) })
	}
	running.Wait()
	return Report{Version: c.Version, Findings: slices.Concat(found...)}
}

type checker struct {
	Config
	invalid map[string]bool // names of settings that could not be parsed
}

// valid reports whether all the settings could be parsed.
func (x *checker) valid(names ...string) bool {
	return !slices.ContainsFunc(names, func(name string) bool { return x.invalid[name] })
}

// variable is one of the environment's; "" = not set.
func (x *checker) variable(name string) string {
	for _, entry := range x.Env {
		if value, is := strings.CutPrefix(entry, name+"="); is {
			return value
		}
	}
	return ""
}

func (c Config) withDefaults() Config {
	if c.Resolve == nil {
		c.Resolve = func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		}
	}
	if c.Dial == nil {
		c.Dial = (&net.Dialer{Timeout: 5 * time.Second}).DialContext
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	return c
}

func unknown(id, text string) findings {
	return findings{{ID: id, Severity: diagnose.Unknown, Text: text}}
}

func ok(id, text string) findings {
	return findings{{ID: id, Severity: diagnose.OK, Text: text}}
}

func warn(id, text, fix string) findings {
	return findings{{ID: id, Severity: diagnose.Warn, Text: text, Fix: fix}}
}

func fail(id, text, fix string) findings {
	return findings{{ID: id, Severity: diagnose.Fail, Text: text, Fix: fix}}
}

// orElse returns list, or otherwise if it is empty.
func orElse(list, otherwise findings) findings {
	if len(list) == 0 {
		return otherwise
	}
	return list
}
