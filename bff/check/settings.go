package check

import (
	"cmp"
	"context"
	"net"
	"net/netip"
	"regexp"
	"slices"
	"strings"

	"coinslot/bff/config"
	"coinslot/bff/order"
	"coinslot/bff/token"
	"coinslot/bff/wallet"
	"coinslot/bff/webhook"
)

var settingName = regexp.MustCompile(`COINSLOT_[A-Z_]*[A-Z]`)

// splitErrors returns the messages of a joined error.
func splitErrors(err error) (list []string) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range joined.Unwrap() {
			list = append(list, splitErrors(e)...)
		}
	} else if err != nil {
		list = []string{err.Error()}
	}
	return list
}

// namedSettings returns the settings that an error is about.
func namedSettings(err error) map[string]bool {
	names := map[string]bool{}
	for _, text := range splitErrors(err) {
		names[strings.TrimSuffix(settingName.FindString(text), "_FILE")] = true
	}
	return names
}

// settings reports the errors of config.Load, each of which says what to write.
func (ch *checker) settings(context.Context) (list findings) {
	for _, text := range splitErrors(ch.Problem) {
		list = append(list, fail("settings", text, "")...)
	}
	given := 0
	for _, entry := range ch.Env {
		if strings.HasPrefix(entry, "COINSLOT_") {
			given++
		}
	}
	where := cmp.Or(ch.File, "the environment")
	return orElse(list, ok("settings", plural(given, "setting")+" in "+where+", all valid"))
}

func (ch *checker) sandbox(context.Context) findings {
	if !ch.Settings.Sandbox || !ch.valid("COINSLOT_SANDBOX") {
		return nil
	}
	return warn("sandbox", "COINSLOT_SANDBOX is true: no payment is real, and anyone who opens a "+
		"checkout can complete it without money", "unset it for real payments")
}

// secret is one that is set.
type secret struct{ setting, value string }

func (ch *checker) configuredSecrets() []secret {
	c := ch.Settings
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
	return slices.DeleteFunc(list,
		func(s secret) bool { return s.value == "" || !ch.valid(s.setting) })
}

// secrets looks for secrets that are used twice or not random. config.Load checks their length
// and the permissions of their files.
func (ch *checker) secrets(context.Context) (list findings) {
	const fix = "generate a new one: openssl rand -hex 32"
	all := ch.configuredSecrets()
	for i, s := range all {
		same := func(other secret) bool { return other.value == s.value }
		if j := slices.IndexFunc(all[:i], same); j >= 0 {
			list = append(list, warn("secrets", s.setting+" is the same secret as "+
				all[j].setting+": a leak of one is a leak of both", fix)...)
		}

		distinct := map[rune]bool{}
		for _, r := range s.value {
			distinct[r] = true
		}
		// 32 random hex digits have fewer than 8 distinct ones once in a million times
		if s.setting != "COINSLOT_GATEWAY_KEY" && len(distinct) < 8 {
			list = append(list, warn("secrets", s.setting+" does not look random", fix)...)
		}
	}

	return orElse(list,
		ok("secrets", plural(len(all), "secret")+", none used twice"+ch.inEnvironment()))
}

// inEnvironment names the secrets that are in the environment and could be in files.
func (ch *checker) inEnvironment() string {
	if ch.File != "" {
		return ""
	}
	var names []string
	for _, s := range config.Settings() {
		if s.File && ch.variable(s.Name) != "" && ch.mayHoldSecret(s.Name) {
			names = append(names, s.Name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "; a file (…_FILE) is safer than the environment for " + strings.Join(names, ", ")
}

// mayHoldSecret reports whether the value of a setting that can be in a file may hold a secret.
func (ch *checker) mayHoldSecret(name string) bool {
	switch name {
	case "COINSLOT_DATABASE":
		return strings.Contains(ch.Settings.Database, "://")
	case "COINSLOT_ALERTS":
		return strings.Contains(ch.variable(name), "://")
	case "COINSLOT_RATES":
		return strings.Contains(ch.Settings.Rates, "://")
	}
	return true
}

// files checks the catalog, the token list and the list of wallets.
func (ch *checker) files(context.Context) (list findings) {
	if path := ch.Settings.Catalog; path != "" {
		catalog, err := order.LoadCatalog(path)
		switch {
		case err != nil:
			list = fail("catalogue", "COINSLOT_CATALOG: "+err.Error(), "docs/catalog.md")
		case catalog.Empty():
			list = warn("catalogue", path+" has no items", "docs/catalog.md")
		default:
			list = ok("catalogue", path+" is valid")
		}
	}
	tokens, err := token.Load(ch.Settings.Tokens)
	if err != nil {
		return append(list, fail("coins", "COINSLOT_TOKENS: "+err.Error(), "docs/tokens.md")...)
	}
	if path := ch.Settings.Tokens; path != "" {
		list = append(list, ok("coins", path+" is valid")...)
	}
	if path := ch.Settings.Wallets; path != "" {
		if _, err := wallet.Load(path, tokens); err != nil {
			return append(list, fail("wallets", "COINSLOT_WALLETS: "+err.Error(), "docs/wallets.md")...)
		}
		list = append(list, ok("wallets", path+" is valid")...)
	}

	return list
}

// proxies checks whose X-Forwarded-For is trusted.
func (ch *checker) proxies(context.Context) findings {
	c := ch.Settings
	if !ch.valid("COINSLOT_TRUSTED_PROXIES", "COINSLOT_PUBLIC_URL", "COINSLOT_TLS") {
		return nil
	}

	for _, p := range c.TrustedProxies {
		if p.Bits() == 0 {
			return fail("proxy", "COINSLOT_TRUSTED_PROXIES trusts everyone ("+p.String()+"): any "+
				"shopper can claim any address, so no rate limit works",
				"name the proxy's own network, like 127.0.0.1/32")
		}
		if webhook.Public(p.Addr()) && p.Bits() < 20 && p.Addr().Is4() {
			return warn("proxy", "COINSLOT_TRUSTED_PROXIES trusts a wide public network, "+
				p.String(), "name only what forwards to this server")
		}
	}

	const fix = "COINSLOT_TRUSTED_PROXIES=127.0.0.1/32 if the proxy is on this machine, else its " +
		"network"
	switch {
	case len(c.TrustedProxies) > 0:
		return ok("proxy", plural(len(c.TrustedProxies), "trusted network"))
	case c.TLS.On() || !strings.HasPrefix(c.PublicURL, "https:"):
		return nil
	}

	list := warn("proxy", "COINSLOT_TRUSTED_PROXIES is not set: https ends at a proxy, so all "+
		"shoppers count as one client and share its limits", fix)
	if c.AdminPassword.Reveal() != "" {
		list = append(list, warn("proxy", "COINSLOT_ADMIN_PASSWORD without "+
			"COINSLOT_TRUSTED_PROXIES: ten wrong passwords a minute, from anyone, lock everyone "+
			"out of /admin", fix)...)
	}

	return list
}

// origins checks the host pages.
func (ch *checker) origins(context.Context) (list findings) {
	if !ch.valid("COINSLOT_ORIGINS", "COINSLOT_PUBLIC_URL") {
		return nil
	}
	if len(ch.Settings.Origins) == 0 {
		return warn("origins",
			"COINSLOT_ORIGINS is not set: no page may embed the checkout; links to it work",
			"COINSLOT_ORIGINS=https://shop.example")
	}

	for _, o := range ch.Settings.Origins {
		switch {
		case o == ch.Settings.PublicURL:
			list = append(list, warn("origins", "COINSLOT_ORIGINS lists the checkout itself, "+o,
				"list the origins of shops' pages")...)
		case !strings.HasPrefix(o, "https:") && !config.IsLocalOrigin(o):
			list = append(list, warn("origins",
				o+" has no https: an attacker on the network can replace the checkout",
				"serve the shop over https and list that origin")...)
		}
	}

	return orElse(list, ok("origins", strings.Join(ch.Settings.Origins, ", ")))
}

// ops checks who can reach the private listener.
func (ch *checker) ops(context.Context) findings {
	listen := ch.Settings.OpsListen
	switch {
	case !ch.valid("COINSLOT_OPS_LISTEN"):
		return nil
	case listen == "":
		return ok("ops", "off: no /healthz, /readyz and /metrics")
	}

	host, _, _ := net.SplitHostPort(listen)
	ip, err := netip.ParseAddr(host)
	switch {
	case host == "localhost" || err == nil && ip.IsLoopback():
		return ok("ops", listen+" is reachable from this machine only")
	case err == nil && webhook.Public(ip):
		return fail("ops", "COINSLOT_OPS_LISTEN "+listen+" is a public address: anyone can read "+
			"/metrics", "COINSLOT_OPS_LISTEN=127.0.0.1:9090")
	case ch.variable("KUBERNETES_SERVICE_HOST") != "":
		return ok("ops",
			listen+" is open to the cluster; deploy/kubernetes/networkpolicy.yaml restricts it")
	}

	return warn("ops", "COINSLOT_OPS_LISTEN "+listen+" is open to other machines",
		"COINSLOT_OPS_LISTEN=127.0.0.1:9090, or close that port by a firewall or network policy")
}
