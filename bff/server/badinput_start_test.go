package server_test

import (
	"crypto/sha256"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"coinslot/bff/config"
	"coinslot/bff/fortest"
	"coinslot/bff/server"
)

// startCanary is in every value of TestBadStarts that must not be printed.
const startCanary = "canary-start-0123456789"

// goodStart is what serves, with a database of its own.
func goodStart(dir string) config.Config {
	return config.Config{
		PublicURL:    ownOrigin,
		Database:     filepath.Join(dir, "start.db"),
		GatewayURL:   "http://127.0.0.1:1",
		GatewayKey:   config.NewSecret(gatewayKey),
		GatewayRPS:   10,
		SecretKeys:   []config.Secret{config.NewSecret(secretKey)},
		PollInterval: time.Second,
	}
}

// A start that fails names the setting, not its value, and leaves the file unchanged. TestDSN and
// TestFilesOfOtherProgramsAreRefused of package store have more databases,
// TestParseCatalogNamesWhatIsWrong of package order more catalogs.
func TestBadStarts(t *testing.T) {
	const (
		database = "COINSLOT_DATABASE"
		gateway  = "COINSLOT_GATEWAY_URL"
		webhooks = "COINSLOT_WEBHOOK_URL"
	)
	file := func(dir, text string) string {
		path := filepath.Join(dir, "file")
		write(t, path, text)
		return path
	}
	endpoints := func(c *config.Config, urls ...string) {
		c.WebhookURLs = urls
		c.WebhookSecrets = secrets("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLw/+AAAAAAAAAA==")
	}
	for name, c := range map[string]struct {
		has    string
		change func(dir string, c *config.Config)
	}{
		"text as database": {database, func(_ string, c *config.Config) {
			write(t, c.Database, strings.Repeat("no database\n", 200))
		}},
		"database of another": {database, func(_ string, c *config.Config) {
			sqlite(t, c.Database, `CREATE TABLE notes (a)`)
		}},
		"newer tables": {"newer", func(_ string, c *config.Config) { newer(t, c) }},
		"folder as database": {database, func(dir string, c *config.Config) {
			c.Database = dir
		}},
		"file as folder": {database, func(dir string, c *config.Config) {
			c.Database = file(dir, "") + "/a.db"
		}},
		"kernel's file system": {database, func(_ string, c *config.Config) {
			c.Database = "/proc/a.db"
		}},
		"NUL in the path": {database, func(_ string, c *config.Config) { c.Database += "\x00" }},
		"no database":     {database, func(_ string, c *config.Config) { c.Database = "" }},
		"PostgreSQL": {database, func(_ string, c *config.Config) {
			c.Database = "postgres://u:" + startCanary + "@db/x"
		}},
		"JDBC": {database, func(_ string, c *config.Config) {
			c.Database = "jdbc:postgresql://u:" + startCanary + "@db/x"
		}},
		"no catalog": {"COINSLOT_CATALOG", func(dir string, c *config.Config) {
			c.Catalog = filepath.Join(dir, "none.yaml")
		}},
		"catalog with a typo": {
			`COINSLOT_CATALOG: reading the catalog: item "a": amont: unknown member`,
			func(dir string, c *config.Config) {
				c.Catalog = file(dir, "items: {a: {amont: \"1\"}}")
			},
		},
		"folder as tokens": {"COINSLOT_TOKENS", func(dir string, c *config.Config) {
			c.Tokens = dir
		}},
		"tokens of nothing": {
			"COINSLOT_TOKENS: reading the coins: line 1: token X",
			func(dir string, c *config.Config) { c.Tokens = file(dir, "tokens: [{symbol: X}]") },
		},
		"folder as wallets": {"COINSLOT_WALLETS", func(dir string, c *config.Config) {
			c.Wallets = dir
		}},
		"wallets of nothing": {
			"COINSLOT_WALLETS: reading the wallets: line 1: wallet x: name",
			func(dir string, c *config.Config) { c.Wallets = file(dir, "wallets: [{id: x}]") },
		},
		"no logo": {
			"COINSLOT_LOGO: the file cannot be read",
			func(dir string, c *config.Config) { c.Logo = filepath.Join(dir, "none.svg") },
		},
		"large logo": {"has more than 64 kB", func(dir string, c *config.Config) {
			c.Logo = file(dir, "<svg>"+strings.Repeat(" ", 64<<10))
		}},
		"logo in GIF": {"is neither SVG nor PNG", func(dir string, c *config.Config) {
			c.Logo = file(dir, "GIF89a")
		}},
		"gateway in plain http": {gateway, func(_ string, c *config.Config) {
			c.GatewayURL = "http://gateway.example"
		}},
		"gateway with a query": {gateway, func(_ string, c *config.Config) {
			c.GatewayURL = "https://gateway.example?"
		}},
		"no gateway": {gateway, func(_ string, c *config.Config) { c.GatewayURL = "" }},
		"own address as hook": {webhooks, func(_ string, c *config.Config) {
			c.PublicURL = "https://pay.example"
			endpoints(c, "https://PAY.example:443/x")
		}},
		"one endpoint twice": {webhooks, func(_ string, c *config.Config) {
			endpoints(c, "https://a.example/", "https://a.example/")
		}},
		"100 endpoints": {webhooks, func(_ string, c *config.Config) {
			var urls []string
			for i := range 100 {
				urls = append(urls, "https://a.example/"+strings.Repeat("a", i))
			}
			endpoints(c, urls...)
		}},
		"private endpoint": {webhooks, func(_ string, c *config.Config) {
			endpoints(c, "https://127.0.0.1/"+startCanary)
		}},
		"bad secret": {"COINSLOT_WEBHOOK_SECRET", func(_ string, c *config.Config) {
			endpoints(c, "https://a.example/")
			c.WebhookSecrets = secrets("whsec_" + startCanary)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			settings := goodStart(dir)
			c.change(dir, &settings)
			before := content(t, dir)
			srv, err := server.New(t.Context(), settings, server.Options{})
			if err == nil {
				srv.Close()
				t.Fatal("it starts")
			}
			if !strings.Contains(err.Error(), c.has) || strings.Contains(err.Error(), startCanary) {
				t.Errorf("error %v; want one that names %s and no secret", err, c.has)
			}
			if after := content(t, dir); after != before && before != "" {
				t.Errorf("files were changed: %s; before it were %s", after, before)
			}
		})
	}
}

// TestSecondStart: a database that is in use is refused, whatever it is called.
func TestSecondStart(t *testing.T) {
	dir := t.TempDir()
	c := goodStart(dir)
	first := fortest.Must(server.New(t.Context(), c, server.Options{}))(t)
	t.Cleanup(func() { first.Close() })
	link := filepath.Join(dir, "link.db")
	fortest.OK(t, os.Symlink(c.Database, link))
	for _, path := range []string{
		c.Database, link, dir + "/./start.db", filepath.Join(dir, "x", "..", "start.db"),
	} {
		c.Database = path
		if second, err := server.New(t.Context(), c, server.Options{}); err == nil {
			second.Close()
			t.Errorf("%s serves a second time", path)
		} else if !strings.Contains(err.Error(), "COINSLOT_DATABASE") {
			t.Errorf("error %v does not name the setting", err)
		}
	}
}

// content is a hash of each plain file in dir but locks, by name.
func content(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	files := fortest.Must(os.ReadDir(dir))(t)
	for _, f := range files {
		name := f.Name()
		if strings.HasSuffix(name, ".lock") || strings.HasSuffix(name, "-wal") ||
			strings.HasSuffix(name, "-shm") {
			continue
		}
		raw := fortest.Must(os.ReadFile(filepath.Join(dir, f.Name())))(t)
		fmt.Fprintf(&all, "%s %x\n", f.Name(), sha256.Sum256(raw))
	}
	return all.String()
}

// newer makes a database of ours that a later release has written.
func newer(t *testing.T, c *config.Config) {
	t.Helper()
	srv := fortest.Must(server.New(t.Context(), *c, server.Options{}))(t)
	fortest.OK(t, srv.Close())
	sqlite(t, c.Database, `INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, 1)`)
}

func sqlite(t *testing.T, path, statement string) {
	t.Helper()
	db := fortest.Must(sql.Open("sqlite", "file:"+path))(t)
	defer db.Close()
	fortest.Must(db.ExecContext(t.Context(), statement))(t)
}

func secrets(list ...string) (all []config.Secret) {
	for _, s := range list {
		all = append(all, config.NewSecret(s))
	}
	return all
}
