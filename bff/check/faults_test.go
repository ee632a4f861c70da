package check_test

import (
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"coinslot/bff/check"
	"coinslot/bff/fortest"
	"coinslot/bff/gatewaylist"
	"coinslot/bff/payment"
	"coinslot/bff/rates"
	"coinslot/bff/store"
	"coinslot/bff/store/pgtest"
)

// fault is something that is wrong, and the line that has to say so.
type fault struct {
	name  string
	cause func(t *testing.T, w *rig)
	level check.Status
	id    string
	says  string
}

func set(name, value string) func(*testing.T, *rig) {
	return func(_ *testing.T, w *rig) { w.env[name] = value }
}

// writeTemp is a file in a folder of the test.
func writeTemp(t *testing.T, text string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	fortest.OK(t, errors.Join(os.WriteFile(path, []byte(text), 0o600), os.Chmod(path, mode)))
	return path
}

// before changes answers of the checkout, as a proxy does.
func before(w *rig, change func(http.ResponseWriter, *http.Request) (pass bool)) {
	inner := w.serve
	w.serve = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if change(rw, r) {
			inner.ServeHTTP(rw, r)
		}
	})
}

func settingFaults() []fault {
	return []fault{
		{
			"a setting that is not one", set("COINSLOT_LISTN", ":1"), check.Fail, "settings",
			"COINSLOT_LISTN is not a setting",
		},
		{
			"one that is missing", set("COINSLOT_GATEWAY_URL", ""), check.Fail, "settings",
			"COINSLOT_GATEWAY_URL is not set",
		},
		{
			"a webhook by http", set("COINSLOT_WEBHOOK_URL", "http://127.0.0.1:3000/hook"),
			check.Fail, "settings", "set COINSLOT_ALLOW_PRIVATE_WEBHOOKS=true",
		},
		{"play money", func(_ *testing.T, w *rig) {
			w.env["COINSLOT_SANDBOX"], w.env["COINSLOT_PUBLIC_URL"] = "true", "http://127.0.0.1:1"
		}, check.Warn, "sandbox", "no payment is real"},
		{
			"a secret twice", set("COINSLOT_ORDER_KEY", bearer), check.Warn, "secrets",
			"COINSLOT_ORDER_KEY is the same secret as COINSLOT_SECRET_KEY",
		},
		{
			"a secret made by hand", set("COINSLOT_ORDER_KEY", strings.Repeat("abc", 12)),
			check.Warn, "secrets", "COINSLOT_ORDER_KEY does not look random",
		},
		{
			"secrets in the environment",
			func(*testing.T, *rig) {},
			check.OK,
			"secrets",
			"safer than the environment for COINSLOT_GATEWAY_KEY, COINSLOT_SECRET_KEY, COINSLOT_WEBHOOK_SECRET",
		},
		{
			"a bad catalogue",
			func(t *testing.T, w *rig) {
				w.env["COINSLOT_CATALOG"] = writeTemp(t, "items: {a: {}}", 0o600)
			},
			check.Fail,
			"catalogue",
			`item "a"`,
		},
		{
			"an empty catalogue",
			func(t *testing.T, w *rig) {
				w.env["COINSLOT_CATALOG"] = writeTemp(t, "items: {}", 0o600)
			},
			check.Warn,
			"catalogue",
			"no items",
		},
		{
			"a bad list of coins",
			func(t *testing.T, w *rig) {
				w.env["COINSLOT_TOKENS"] = writeTemp(t, "coins: 3", 0o600)
			},
			check.Fail,
			"coins",
			"COINSLOT_TOKENS",
		},
		{
			"a bad list of wallets",
			func(t *testing.T, w *rig) {
				w.env["COINSLOT_WALLETS"] = writeTemp(t, "hide: [nobody]", 0o600)
			},
			check.Fail,
			"wallets",
			"COINSLOT_WALLETS",
		},
		{
			"everything is kept", set("COINSLOT_RETENTION", ""), check.Warn, "retention",
			"COINSLOT_RETENTION is not set",
		},
		{
			"no proxy named", set("COINSLOT_TRUSTED_PROXIES", ""), check.Warn, "proxy",
			"all shoppers count as one client",
		},
		{"no proxy named before the console", func(_ *testing.T, w *rig) {
			w.env["COINSLOT_TRUSTED_PROXIES"] = ""
			w.env["COINSLOT_ADMIN_PASSWORD"] = "$2a$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy"
		}, check.Warn, "proxy", "lock everyone out of /admin"},
		{
			"everybody believed", set("COINSLOT_TRUSTED_PROXIES", "10.0.0.0/8,0.0.0.0/0"),
			check.Fail, "proxy", "trusts everyone (0.0.0.0/0)",
		},
		{
			"half the internet believed", set("COINSLOT_TRUSTED_PROXIES", "93.0.0.0/8"),
			check.Warn, "proxy", "wide public network",
		},
		{
			"no origin", set("COINSLOT_ORIGINS", ""), check.Warn, "origins",
			"no page may embed the checkout",
		},
		{
			"an origin without https", set("COINSLOT_ORIGINS", "http://shop.example"), check.Warn,
			"origins", "http://shop.example has no https",
		},
		{
			"its own origin", set("COINSLOT_ORIGINS", "https://shop.example,https://"+self),
			check.Warn, "origins", "lists the checkout itself",
		},
		{
			"ops for all", set("COINSLOT_OPS_LISTEN", ":9090"), check.Warn, "ops",
			"open to other machines",
		},
		{
			"ops for the world", set("COINSLOT_OPS_LISTEN", "93.184.216.34:9090"), check.Fail,
			"ops", "a public address",
		},
		{"ops for the cluster", func(_ *testing.T, w *rig) {
			w.env["COINSLOT_OPS_LISTEN"], w.env["KUBERNETES_SERVICE_HOST"] = ":9090", "10.0.0.1"
		}, check.OK, "ops", "open to the cluster"},
		{"ops off", set("COINSLOT_OPS_LISTEN", "-"), check.OK, "ops", "off"},
	}
}

func databaseFaults() []fault {
	list := []fault{
		{
			"no folder", set("COINSLOT_DATABASE", "/nonexistent/a.db"), check.Fail, "database",
			"mkdir -p /nonexistent",
		},
		{
			"not there yet",
			func(t *testing.T, w *rig) {
				w.env["COINSLOT_DATABASE"] = filepath.Join(t.TempDir(), "new.db")
			},
			check.OK,
			"database",
			"the first start creates it",
		},
		{"no database", func(t *testing.T, w *rig) {
			w.env["COINSLOT_DATABASE"] = writeTemp(t, strings.Repeat("text ", 1000), 0o600)
		}, check.Fail, "database", "not an SQLite database"},
		{"open to all", func(t *testing.T, w *rig) {
			_, w.env["COINSLOT_DATABASE"] = checkoutServer(t)
			fortest.OK(t, os.Chmod(w.env["COINSLOT_DATABASE"], 0o644))
		}, check.Warn, "database", "chmod 600"},
		{
			"no server", set("COINSLOT_DATABASE", "postgres://u:pass-word@127.0.0.1:1/x"),
			check.Fail, "database", "127.0.0.1:1",
		},
		{"a replica that may lack payments", func(t *testing.T, w *rig) {
			cluster := pgtest.New(t)
			cluster.Replica(t)
			w.env["COINSLOT_DATABASE"] = cluster.DSN(t)
			fortest.Until(t, "it is connected", func() bool {
				state, err := store.Inspect(t.Context(), w.env["COINSLOT_DATABASE"])
				return err == nil && state.AsyncReplicas > 0
			})
		}, check.Warn, "database", "set synchronous_standby_names"},
		{
			"no address", set("COINSLOT_DATABASE", "mysql://u:pass-word@h/x"), check.Fail,
			"database", "not supported",
		},
	}
	// A file system without room, on Linux. Others than root may not write there anyway.
	if _, err := os.Stat("/proc/self"); err == nil && os.Geteuid() == 0 {
		list = append(list, fault{
			"no room",
			set("COINSLOT_DATABASE", "/proc/new.db"),
			check.Fail,
			"disk",
			"0 MB free for /proc",
		})
	}
	return list
}

func gatewayFaults() []fault {
	shifted := func(d time.Duration) func(*testing.T, *rig) {
		return func(_ *testing.T, w *rig) { w.now = func() time.Time { return time.Now().Add(d) } }
	}
	answers := func(networks string) func(*testing.T, *rig) {
		return func(t *testing.T, w *rig) {
			s := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
				fmt.Fprintf(rw, `{"status":200,"message":"","data":[%s]}`, networks)
			}))
			t.Cleanup(s.Close)
			w.env["COINSLOT_GATEWAY_URL"] = s.URL
		}
	}
	return []fault{
		{
			"a wrong key", set("COINSLOT_GATEWAY_KEY", "wrong"), check.Fail, "gateway",
			"it rejects the key (status 401)",
		},
		{
			"nobody there", set("COINSLOT_GATEWAY_URL", "http://127.0.0.1:1"), check.Fail,
			"gateway", "it cannot be reached: ",
		},
		{
			"a coin that cannot be read",
			answers(`{"currency_symbol":"USDT","supported_networks":[` +
				`{"network_code":"trc20","max_ttl":"long"},{"network_code":"bep20","max_ttl":60}]}`),
			check.Warn, "gateway",
			"1 invalid entry of its currency list skipped: USDT trc20: reading max_ttl: not a whole number",
		},
		{"no coins", answers(""), check.Fail, "gateway", "no coin is enabled"},
		{
			"a coin without a link",
			answers(`{"currency_symbol":"NEW","currency_name":"New","price_in_usdt":"1","supported_networks":[{"network_name":"N","network_code":"n","network_fee":"0","minimum_pay_usd":"1","maximum_pay_usd":"9","max_ttl":30}]}`),
			check.Warn, "coins", "1 of 1 have no payment link",
		},
		{"a clock that is off", shifted(30 * time.Second), check.Warn, "clock", "differ by 30s"},
		{
			"a clock that is wrong", shifted(-10 * time.Minute), check.Fail, "clock",
			"differ by 10m0s",
		},
		{
			"a clock of before",
			func(_ *testing.T, w *rig) { w.built = time.Now().Add(time.Hour) },
			check.Fail,
			"clock",
			"before this program was built",
		},
		{"a zone that is not known", set("TZ", "Nowhere/City"), check.Warn, "clock", "time zone"},
	}
}

func publicFaults() []fault {
	again := func(good time.Duration, names ...string) func(*testing.T, *rig) {
		return func(_ *testing.T, w *rig) { w.site(self, good, w.serve, names...) }
	}
	behindSignIn := func(pass bool) func(*testing.T, *rig) {
		return func(t *testing.T, w *rig) {
			w.env["COINSLOT_ADMIN_PROXY_HEADER"] = "X-Forwarded-User"
			w.serve, w.env["COINSLOT_DATABASE"] = checkoutServer(
				t,
				"COINSLOT_ADMIN_PROXY_HEADER=X-Forwarded-User",
				"COINSLOT_TRUSTED_PROXIES=127.0.0.1/32",
			)
			before(w, func(_ http.ResponseWriter, r *http.Request) bool {
				if !pass {
					r.Header.Del("X-Forwarded-User")
				}
				return true
			})
		}
	}
	return []fault{
		{
			"names of strangers passed on", behindSignIn(true), check.Fail, "console",
			"anyone who sends X-Forwarded-User is signed in",
		},
		{
			"names of strangers taken away", behindSignIn(false), check.OK, "console",
			"does not pass on a client's X-Forwarded-User",
		},
		{
			"no https", set("COINSLOT_PUBLIC_URL", "http://"+self), check.Fail, "public",
			"has no https",
		},
		{
			"no name", set("COINSLOT_PUBLIC_URL", "https://none.example"), check.Fail, "public",
			"the DNS has no name none.example",
		},
		{
			"trying out", set("COINSLOT_PUBLIC_URL", "http://127.0.0.1:1"), check.Warn, "public",
			"is for trying out",
		},
		{
			"not running",
			func(_ *testing.T, w *rig) { delete(w.at, w.hosts[self]+":443") },
			check.Warn,
			"public",
			"is not running yet",
		},
		{"no proxy", func(t *testing.T, w *rig) {
			w.env["COINSLOT_LISTEN"] = w.at[w.hosts[self]+":443"]
			delete(w.at, w.hosts[self]+":443")
		}, check.Fail, "public", "though the server runs: connection refused"},
		{
			"no key to tell by",
			func(_ *testing.T, w *rig) { delete(w.env, "COINSLOT_SECRET_KEY") },
			check.Unknown,
			"public",
			"whether it is this server was not tried",
		},
		{
			"another key", set("COINSLOT_SECRET_KEY", another), check.Fail, "public",
			"another COINSLOT_SECRET_KEY",
		},
		{
			"another program",
			func(_ *testing.T, w *rig) { w.serve = http.NotFoundHandler() },
			check.Fail,
			"public",
			"status 404",
		},
		{"an expired certificate", again(-time.Hour), check.Fail, "public", "has expired"},
		{
			"a certificate that ends", again(3 * 24 * time.Hour), check.Warn, "public",
			"expires in 2 days",
		},
		{
			"a certificate of another name", again(year, "other.example"), check.Fail, "public",
			"for another name",
		},
		{
			"an unknown authority",
			func(t *testing.T, w *rig) { w.ca.pool = x509.NewCertPool() },
			check.Fail,
			"public",
			"from an unknown authority",
		},
		{"X-Frame-Options", func(_ *testing.T, w *rig) {
			before(w, func(rw http.ResponseWriter, _ *http.Request) bool {
				rw.Header().Set("X-Frame-Options", "DENY")
				return true
			})
		}, check.Fail, "headers", "X-Frame-Options"},
		{"a policy too many", func(_ *testing.T, w *rig) {
			inner := w.serve
			w.serve = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
				inner.ServeHTTP(withHeader{rw}, r)
			})
		}, check.Fail, "headers", "2 headers Content-Security-Policy"},
		{
			"other origins", set("COINSLOT_ORIGINS", "https://shop.example,https://new.example"),
			check.Fail, "headers",
			"frame-ancestors 'self' https://shop.example https://new.example",
		},
		{"no upgrade", func(_ *testing.T, w *rig) {
			before(w, func(_ http.ResponseWriter, r *http.Request) bool {
				r.Header.Del("Upgrade")
				return true
			})
		}, check.Fail, "websocket", "does not open (status "},
		{"a socket that says nothing", func(_ *testing.T, w *rig) {
			before(w, func(rw http.ResponseWriter, r *http.Request) bool {
				if !strings.HasSuffix(r.URL.Path, "/live") {
					return true
				}
				rw.WriteHeader(http.StatusGatewayTimeout)
				return false
			})
		}, check.Fail, "websocket", "status 504"},
	}
}

// withHeader is a proxy that adds a policy to what comes.
type withHeader struct{ http.ResponseWriter }

func (a withHeader) WriteHeader(status int) {
	a.Header().Add("Content-Security-Policy", "frame-ancestors 'none'")
	a.ResponseWriter.WriteHeader(status)
}

func webhookFaults() []fault {
	leads := func(to string) func(*testing.T, *rig) {
		return func(_ *testing.T, w *rig) { w.hosts[hook] = to }
	}
	again := func(good time.Duration, names ...string) func(*testing.T, *rig) {
		return func(_ *testing.T, w *rig) { w.site(hook, good, http.NotFoundHandler(), names...) }
	}
	return []fault{
		{
			"no endpoint", set("COINSLOT_WEBHOOK_URL", ""), check.Warn, "webhooks",
			"your server gets no webhooks",
		},
		{
			"no name",
			func(_ *testing.T, w *rig) { delete(w.hosts, hook) },
			check.Fail,
			"webhooks",
			"the DNS has no name " + hook,
		},
		{
			"a private address", leads("10.1.2.3"), check.Fail, "webhooks",
			"leads to 10.1.2.3, which is not a public address",
		},
		{
			"a mapped address", leads("::ffff:169.254.169.254"), check.Fail, "webhooks",
			"not a public address",
		},
		{"nobody there", leads("93.184.216.99"), check.Fail, "webhooks", "connection refused"},
		{"an expired certificate", again(-time.Hour), check.Fail, "webhooks", "has expired"},
		{
			"a certificate that ends", again(13 * 24 * time.Hour), check.Warn, "webhooks",
			"expires in 12 days",
		},
		{
			"a certificate of another name", again(year, "other.example"), check.Fail, "webhooks",
			"for another name",
		},
		{
			"a replaced URL", listenOn, check.Warn, "webhooks",
			"1 open webhook to a URL at old.example that is not in COINSLOT_WEBHOOK_URL",
		},
		{"a URL that was taken away", func(t *testing.T, w *rig) {
			listenOn(t, w)
			w.env["COINSLOT_WEBHOOK_URL"] = ""
		}, check.Warn, "webhooks", "set COINSLOT_WEBHOOK_URL: the next start moves"},
		{
			"no comparison for days", overdueDatabase, check.Warn, "reconciliation",
			"last completed 3 days ago",
		},
		{
			"private addresses allowed", set("COINSLOT_ALLOW_PRIVATE_WEBHOOKS", "true"),
			check.Warn, "webhooks", "inside your network",
		},
	}
}

// ratesFrom is a source of exchange rates that answers with a document.
func ratesFrom(document string) func(*testing.T, *rig) {
	return func(t *testing.T, w *rig) {
		s := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(rw, document)
		}))
		t.Cleanup(s.Close)
		w.env["COINSLOT_RATES"] = "json:" + s.URL + "/latest?key=" + bearer
	}
}

// inEuros is a catalog with a price in euros.
const inEuros = "currency: EUR\nitems:\n  tea: {title: Tea, amount: \"3.50\"}\n"

func ratesFaults() []fault {
	fixed := func(text string) func(*testing.T, *rig) {
		return func(t *testing.T, w *rig) {
			path := writeTemp(t, text, 0o600) + ".yaml"
			fortest.OK(t, os.WriteFile(path, []byte(text), 0o600))
			w.env["COINSLOT_RATES"] = path
		}
	}
	sells := func(rates func(*testing.T, *rig)) func(*testing.T, *rig) {
		return func(t *testing.T, w *rig) {
			rates(t, w)
			w.env["COINSLOT_CATALOG"] = writeTemp(t, inEuros, 0o600)
		}
	}
	today := time.Now().UTC().Format(time.RFC3339)
	return []fault{
		{"rates of today", ratesFrom(`{"base":"USD","date":"` + today + `","rates":{"EUR":0.9}}`), check.OK, "rates", `1 exchange rate of the source "json" as of ` + today[:10]},
		{"rates of last year", ratesFrom(`{"base":"USD","date":"2025-11-26","rates":{"EUR":0.9}}`), check.Fail, "rates", "are as of 2025-11-26 00:00 UTC and served until 2025-11-27 02:00 UTC"},
		{"no rates", ratesFrom(`{"base":"USD","date":"` + today + `","rates":{}}`), check.Fail, "rates", "no rate"},
		{"a rate of zero", ratesFrom(`{"base":"USD","date":"` + today + `","rates":{"EUR":0.9,"JPY":0}}`), check.Warn, "rates", "rate of JPY is zero"},
		{"no document", ratesFrom("<html>"), check.Fail, "rates", "the exchange rates of 127.0.0.1:"},
		{"no source there", set("COINSLOT_RATES", "json:http://127.0.0.1:1/?key="+bearer), check.Fail, "rates", "whether this machine may connect to 127.0.0.1:1"},
		{"no file", set("COINSLOT_RATES", "/there/is/no.yaml"), check.Fail, "rates", "correct the file or the path"},
		{"no source is set", sells(set("COINSLOT_RATES", "")), check.Fail, "rates", "the catalog has prices in EUR: these items cannot be bought"},
		{"a source without the euro", sells(fixed("base: USD\nrates: {GBP: 0.8}\n")), check.Fail, "rates", "prices in EUR, of which the source has no rate"},
		{"a source with the euro", sells(fixed("base: USD\nrates: {EUR: 0.9}\n")), check.OK, "rates", `of the source "fixed"`},
		{"a rate that is held", heldRate, check.Warn, "rates", "the exchange rate of EUR jumped and is held"},
	}
}

// heldRate makes a database in which the rate of the euro waits for an operator.
func heldRate(t *testing.T, w *rig) {
	w.env["COINSLOT_DATABASE"] = filepath.Join(t.TempDir(), "held.db")
	db := fortest.Must(store.Open(t.Context(), store.Config{DSN: w.env["COINSLOT_DATABASE"]}))(t)
	held := rates.Entry{
		Rate: rates.Rate{Fraction: "1.09", Source: rates.ECB},
		Held: &rates.Rate{Fraction: "1.31", Source: rates.ECB},
	}
	state := rates.State{Source: rates.ECB, Currencies: map[string]rates.Entry{
		"EUR": held,
		"GBP": {Rate: held.Rate},
	}}
	fortest.OK(t, errors.Join(db.SaveRates(t.Context(), state, 0), db.Close()))
}

// overdueDatabase makes a database whose last daily comparison is three days old.
func overdueDatabase(t *testing.T, w *rig) {
	w.env["COINSLOT_DATABASE"] = filepath.Join(t.TempDir(), "old.db")
	db := fortest.Must(store.Open(t.Context(), store.Config{DSN: w.env["COINSLOT_DATABASE"]}))(t)
	now := time.Now()
	run := gatewaylist.Run{Kind: gatewaylist.Daily, Ended: now.Add(-73 * time.Hour)}
	epoch := fortest.Must(db.BeginRun(t.Context(), run, now, time.Minute))(t)
	report := &gatewaylist.Report{Run: run}
	fortest.OK(t, errors.Join(db.EndRun(t.Context(), epoch, run, report, time.Time{}), db.Close()))
}

// listenOn makes a database in which a webhook is open to a URL that is not configured.
func listenOn(t *testing.T, w *rig) {
	w.env["COINSLOT_DATABASE"] = filepath.Join(t.TempDir(), "bound.db")
	db, err := store.Open(t.Context(), store.Config{
		DSN:       w.env["COINSLOT_DATABASE"],
		Endpoints: []string{"https://old.example/in?key=" + bearer},
	})
	fortest.OK(t, err)
	s := fortest.Must(db.Insert(t.Context(),
		payment.Session{ID: payment.NewSessionID(), CreatedAt: time.Now()}))(t)
	_, err = db.Update(t.Context(), s.ID, 0, func(*payment.Session) ([]payment.Event, error) {
		e := payment.Event{ID: "evt_1", Session: s.ID, At: time.Now(), Body: []byte("{}")}
		return []payment.Event{e}, nil
	})
	fortest.OK(t, errors.Join(err, db.Close()))
}
