package check

import (
	"context"
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strings"

	"coinslot/bff/config"
	"coinslot/bff/order"
	"coinslot/bff/token"
	"coinslot/bff/webhook"
)

var settingName = regexp.MustCompile(`COINSLOT_[A-Z_]*[A-Z]`)

// splitErrors are the single ones of a joined error.
func splitErrors(err error) []string {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var list []string
		for _, e := range joined.Unwrap() {
			list = append(list, splitErrors(e)...)
		}
		return list
	}
	if err == nil {
		return nil
	}
	return []string{err.Error()}
}

// namedSettings are the settings that problems are about.
func namedSettings(err error) map[string]bool {
	names := map[string]bool{}
	for _, p := range splitErrors(err) {
		names[strings.TrimSuffix(settingName.FindString(p), "_FILE")] = true
	}
	return names
}

// settings repeats what reading them has found: every problem says what to write.
func (x *checker) settings(context.Context) findings {
	var list findings
	for _, p := range splitErrors(x.Problem) {
		list = append(list, fail("settings", p, ""))
	}
	given := 0
	for _, entry := range x.Env {
		if strings.HasPrefix(entry, "COINSLOT_") {
			given++
		}
	}
	return orElse(
		list, ok("settings", plural(given, "setting")+" from the environment, all understood"),
	)
}

// sandbox is whether payments are pretended.
func (x *checker) sandbox(context.Context) findings {
	if !x.Settings.Sandbox || !x.understood("COINSLOT_SANDBOX") {
		return nil
	}
	return findings{warn("sandbox",
		"COINSLOT_SANDBOX is true: no payment is real, and whoever opens a checkout can pay "+
			"it with nothing",
		"unset it for real payments")}
}

// secret is one that is set.
type secret struct{ setting, value string }

func (x *checker) configuredSecrets() []secret {
	c := x.Settings
	list := []secret{{"COINSLOT_GATEWAY_KEY", c.GatewayKey.Reveal()}}
	add := func(name string, some ...config.Secret) {
		for _, s := range some {
			list = append(list, secret{name, s.Reveal()})
		}
	}
	add("COINSLOT_SECRET_KEY", c.SecretKeys...)
	add("COINSLOT_ORDER_KEY", c.OrderKey)
	add("COINSLOT_WEBHOOK_SECRET", c.WebhookSecrets...)
	add("COINSLOT_HOOK_TOKEN", c.HookToken)
	return slices.DeleteFunc(
		list, func(s secret) bool { return s.value == "" || !x.understood(s.setting) },
	)
}

// minDistinct is the fewest different characters of what a generator has made: 32
// random hex digits have fewer than 8 once in a million times.
const minDistinct = 8

// secrets looks for those that open more than one thing, or look made by hand.
// That they are long enough, and their files closed to others, the settings say.
func (x *checker) secrets(context.Context) findings {
	var list findings
	const fresh = "make one of its own: openssl rand -hex 32"
	all := x.configuredSecrets()
	for i, s := range all {
		for _, before := range all[:i] {
			if s.value == before.value {
				list = append(list, warn("secrets",
					fmt.Sprintf("%s is the same secret as %s: who has one has both", s.setting,
						before.setting),
					fresh))
				break
			}
		}
		different := map[rune]bool{}
		for _, r := range s.value {
			different[r] = true
		}
		if s.setting != "COINSLOT_GATEWAY_KEY" && len(different) < minDistinct {
			list = append(list, warn("secrets", s.setting+" does not look random", fresh))
		}
	}
	return orElse(
		list, ok("secrets", plural(len(all), "secret")+", none used twice"+x.inEnvironment()),
	)
}

// inEnvironment says which secrets are there, where more people can read them
// than in a file.
func (x *checker) inEnvironment() string {
	var names []string
	for _, s := range config.Settings() {
		if s.File && x.variable(s.Name) != "" &&
			(s.Name != "COINSLOT_DATABASE" || strings.Contains(x.Settings.Database, "://")) {
			names = append(names, s.Name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "; in the environment, where a file (…_FILE) would be seen by fewer: " +
		strings.Join(names, ", ")
}

// files are the catalogue and the list of coins.
func (x *checker) files(context.Context) findings {
	var list findings
	if path := x.Settings.Catalog; path != "" {
		if catalog, err := order.LoadCatalog(path); err != nil {
			list = append(
				list, fail("catalogue", "COINSLOT_CATALOG: "+err.Error(), "docs/catalog.md"),
			)
		} else if catalog.Empty() {
			list = append(list, warn("catalogue", path+" has no items", "docs/catalog.md"))
		} else {
			list = append(list, ok("catalogue", path+" is understood"))
		}
	}
	if path := x.Settings.Tokens; path != "" {
		if _, err := token.Load(path); err != nil {
			list = append(list, fail("coins", "COINSLOT_TOKENS: "+err.Error(), "docs/tokens.md"))
		} else {
			list = append(list, ok("coins", path+" is understood"))
		}
	}
	return list
}

// proxies is about who is believed about the address of shoppers.
func (x *checker) proxies(context.Context) findings {
	c := x.Settings
	if !x.understood("COINSLOT_TRUSTED_PROXIES", "COINSLOT_PUBLIC_URL") {
		return nil
	}
	for _, p := range c.TrustedProxies {
		if p.Bits() == 0 {
			return findings{fail("proxy",
				"COINSLOT_TRUSTED_PROXIES believes everybody ("+p.String()+
					"): any shopper can name any address, and no limit holds",
				"name the proxy's own network, like 127.0.0.1/32")}
		}
		if webhook.Public(p.Addr()) && p.Bits() < 20 && p.Addr().Is4() {
			return findings{warn(
				"proxy", "COINSLOT_TRUSTED_PROXIES believes a wide public network, "+p.String(),
				"name only what forwards to this server",
			)}
		}
	}
	const way = "COINSLOT_TRUSTED_PROXIES=127.0.0.1/32 if the proxy is on this machine, else its " +
		"network"
	switch {
	case strings.HasPrefix(c.PublicURL, "https:") && len(c.TrustedProxies) == 0:
		list := findings{warn("proxy",
			"COINSLOT_TRUSTED_PROXIES is not set: https ends at a proxy, so all shoppers "+
				"count as one client and share its limits",
			way)}
		if c.AdminPassword.Reveal() != "" {
			list = append(list, warn("proxy",
				"COINSLOT_ADMIN_PASSWORD without COINSLOT_TRUSTED_PROXIES: ten wrong "+
					"passwords a minute, of anybody, keep everybody out of /admin",
				way))
		}
		return list
	case len(c.TrustedProxies) == 0:
		return nil
	}
	return findings{ok("proxy",
		plural(len(c.TrustedProxies), "network")+" believed about the address of shoppers")}
}

// origins are the host pages.
func (x *checker) origins(context.Context) findings {
	if !x.understood("COINSLOT_ORIGINS", "COINSLOT_PUBLIC_URL") {
		return nil
	}
	if len(x.Settings.Origins) == 0 {
		return findings{warn("origins",
			"COINSLOT_ORIGINS is not set: no page may show the checkout, links to it work",
			"COINSLOT_ORIGINS=https://shop.example")}
	}
	var list findings
	for _, o := range x.Settings.Origins {
		switch {
		case o == x.Settings.PublicURL:
			list = append(list, warn("origins", "COINSLOT_ORIGINS lists the checkout itself, "+o,
				"list the origins of shops' pages"))
		case !strings.HasPrefix(o, "https:") && !isLocal(o):
			list = append(list, warn("origins",
				o+
					" has no https: whoever is on the line can exchange the checkout for "+
					"their own",
				"serve the shop by https and list it so"))
		}
	}
	return orElse(list, ok("origins", strings.Join(x.Settings.Origins, ", ")))
}

// isLocal reports whether an origin is of this machine.
func isLocal(origin string) bool {
	_, host, _ := strings.Cut(origin, "://")
	host = strings.Trim(portOf.ReplaceAllString(host, ""), "[]")
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") ||
		err == nil && ip.IsLoopback()
}

var portOf = regexp.MustCompile(`:[0-9]+$`)

// ops is who can reach the private listener.
func (x *checker) ops(context.Context) findings {
	listen := x.Settings.OpsListen
	switch {
	case !x.understood("COINSLOT_OPS_LISTEN"):
		return nil
	case listen == "":
		return findings{ok("ops", "off: no /healthz, /readyz and /metrics")}
	}
	host := strings.Trim(portOf.ReplaceAllString(listen, ""), "[]")
	ip, err := netip.ParseAddr(host)
	switch {
	case host == "localhost" || err == nil && ip.IsLoopback():
		return findings{ok("ops", listen+" is for this machine only")}
	case err == nil && webhook.Public(ip):
		return findings{fail("ops",
			"COINSLOT_OPS_LISTEN "+listen+" is a public address: anybody can read /metrics",
			"COINSLOT_OPS_LISTEN=127.0.0.1:9090")}
	case x.variable("KUBERNETES_SERVICE_HOST") != "":
		return findings{ok("ops",
			listen+" is open to the cluster; deploy/kubernetes/networkpolicy.yaml says to whom")}
	}
	return findings{warn("ops",
		"COINSLOT_OPS_LISTEN "+listen+" is open to other machines",
		"COINSLOT_OPS_LISTEN=127.0.0.1:9090, or let a firewall or network policy close that port")}
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
