// Package check finds out what is wrong with a set-up before shoppers do:
// settings, files, database, gateway, the way through the proxy, webhook
// endpoints, and the machine. It changes nothing: it makes no file, sends no
// event and opens no payment; at most a test webhook, if it is asked to.
//
// Start at [Run]; [Report.Text] and [Report.JSON] are for people and programs.
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

// findings are what one part has found.
type findings = []diagnose.Finding

// Report is what was found, in the order of what rests on what.
type Report struct {
	Version  string // of this program
	Findings []diagnose.Finding
}

// Config is what to look at.
type Config struct {
	Version string // of this program
	Env     []string
	// Settings are what config.Load has read, and Problem its error: whatever it
	// names is reported and not relied upon.
	Settings config.Config
	Problem  error
	// Webhook sends a test to each endpoint that can be reached.
	Webhook bool

	// Resolve, Dial and Roots replace the network's in tests; nil = the system's.
	Resolve func(ctx context.Context, host string) ([]netip.Addr, error)
	Dial    func(ctx context.Context, network, address string) (net.Conn, error)
	Roots   *x509.CertPool
	Now     func() time.Time // nil = time.Now
	// Built is when this program's commit was made: no clock is right that is
	// before it. Zero = not known.
	Built time.Time
}

// partTimeout bounds each part; all run at the same time.
const partTimeout = 15 * time.Second

// Run looks at everything. It blocks for 15 seconds at most, and for 20 more if
// an endpoint does not answer a test.
func Run(ctx context.Context, c Config) Report {
	x := &checker{Config: c.withDefaults(), wrong: namedSettings(c.Problem)}
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
	return Report{c.Version, slices.Concat(found...)}
}

// checker is a Config under way.
type checker struct {
	Config
	wrong map[string]bool // settings that have not been understood, by name
}

// understood reports whether all the settings were understood.
func (x *checker) understood(names ...string) bool {
	for _, name := range names {
		if x.wrong[name] {
			return false
		}
	}
	return true
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

func ok(id, text string) diagnose.Finding {
	return diagnose.Finding{ID: id, Severity: diagnose.OK, Text: text}
}

func warn(id, text, fix string) diagnose.Finding {
	return diagnose.Finding{ID: id, Severity: diagnose.Warn, Text: text, Fix: fix}
}

func fail(id, text, fix string) diagnose.Finding {
	return diagnose.Finding{ID: id, Severity: diagnose.Fail, Text: text, Fix: fix}
}

// orElse is the findings, or the one that says that there is none.
func orElse(list findings, otherwise diagnose.Finding) findings {
	if len(list) == 0 {
		return findings{otherwise}
	}
	return list
}
