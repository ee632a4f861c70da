package check

import (
	"context"
	"crypto/x509"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"coinslot/bff/config"
)

type findings = []Finding

// Setup is a deployment to check before it goes live.
type Setup struct {
	Env []string // "NAME=value"
	// File is where settings of Env are from; empty = from the environment.
	File string
	// Settings and Problem are the results of config.Load. A setting that Problem names is
	// reported and not used.
	Settings config.Config
	Problem  error
	// Inspect looks at the database at a DSN and changes nothing. An error that there is no file
	// is an os.ErrNotExist.
	Inspect func(ctx context.Context, dsn string) (Database, error)
	// Webhook sends a test to each reachable endpoint, Alerts to each target of alerts.
	Webhook, Alerts bool

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

// Findings makes all checks and returns their findings in order of dependency. It creates no file,
// event or payment, and sends nothing but a test webhook and test alerts, if asked to. It blocks
// for at most 15 seconds, and 20 more if an endpoint does not answer its test.
func (s Setup) Findings(ctx context.Context) []Finding {
	ch := &checker{Setup: s.withDefaults(), invalid: namedSettings(s.Problem)}
	parts := []func(context.Context) findings{
		ch.settings, ch.sandbox, ch.secrets, ch.files, ch.rates, ch.database, ch.retention,
		ch.gateway, ch.public, ch.proxies, ch.origins, ch.webhooks, ch.alerts, ch.ops, ch.machine,
	}
	found := make([]findings, len(parts))
	ctx, cancel := context.WithTimeout(ctx, partTimeout)
	defer cancel()
	var running sync.WaitGroup
	for i, part := range parts {
		running.Go(func() { found[i] = part(ctx) })
	}

	running.Wait()
	return slices.Concat(found...)
}

// checker is a setup while it is checked.
type checker struct {
	Setup
	invalid map[string]bool // names of settings that could not be parsed
}

// valid reports whether all the settings could be parsed.
func (ch *checker) valid(names ...string) bool {
	return !slices.ContainsFunc(names, func(name string) bool { return ch.invalid[name] })
}

// variable is one of the environment's; "" = not set.
func (ch *checker) variable(name string) string {
	for _, entry := range ch.Env {
		if value, is := strings.CutPrefix(entry, name+"="); is {
			return value
		}
	}
	return ""
}

func (s Setup) withDefaults() Setup {
	if s.Resolve == nil {
		s.Resolve = func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		}
	}
	if s.Dial == nil {
		s.Dial = (&net.Dialer{Timeout: 5 * time.Second}).DialContext
	}
	if s.Now == nil {
		s.Now = time.Now
	}

	return s
}

func unknown(id, text string) findings {
	return findings{{ID: id, Status: Unknown, Text: text}}
}

func ok(id, text string) findings {
	return findings{{ID: id, Status: OK, Text: text}}
}

func warn(id, text, fix string) findings {
	return findings{{
		ID:     id,
		Status: Warn,
		Text:   text,
		Fix:    fix,
	}}
}

func fail(id, text, fix string) findings {
	return findings{{
		ID:     id,
		Status: Fail,
		Text:   text,
		Fix:    fix,
	}}
}

// orElse returns list, or otherwise if it is empty.
func orElse(list, otherwise findings) findings {
	if len(list) == 0 {
		return otherwise
	}
	return list
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if stem, y := strings.CutSuffix(noun, "y"); y {
		return fmt.Sprintf("%d %sies", n, stem)
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
