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
		PublicURL: ownOrigin, Database: filepath.Join(dir, "start.db"), GatewayURL: "http://127.0.0.1:1", GatewayKey: config.NewSecret(gatewayKey),
		GatewayRPS: 10, SecretKeys: []config.Secret{config.NewSecret(secretKey)}, PollInterval: time.Second,
	}
}

// B82, B92, B93, B96, B97 and B100, where they fail at start: the error names the setting, not its
// value, and the file is unchanged.
func TestBadStarts(t *testing.T) {
	const whsec = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLw/+AAAAAAAAAA=="
	for name, c := range map[string]struct {
		change func(t *testing.T, dir string, c *config.Config)
		has    string
	}{
		"text as database": {func(t *testing.T, dir string, c *config.Config) {
			write(t, c.Database, strings.Repeat("no database\n", 200))
		}, "COINSLOT_DATABASE"},
		"database cut short":  {func(t *testing.T, _ string, c *config.Config) { write(t, c.Database, "SQLite format 3\x00cut") }, "COINSLOT_DATABASE"},
		"database of another": {func(t *testing.T, _ string, c *config.Config) { sqlite(t, c.Database, `CREATE TABLE notes (a)`) }, "COINSLOT_DATABASE"},
		"marked by another":   {func(t *testing.T, _ string, c *config.Config) { sqlite(t, c.Database, `PRAGMA application_id = 42`) }, "COINSLOT_DATABASE"},
		"newer tables":        {newer, "newer"},
		"goose without tables": {func(t *testing.T, _ string, c *config.Config) {
			sqlite(t, c.Database, `CREATE TABLE goose_db_version (version_id)`)
		}, "COINSLOT_DATABASE"},
		"folder as database":    {func(_ *testing.T, dir string, c *config.Config) { c.Database = dir }, "COINSLOT_DATABASE"},
		"no such folder":        {func(_ *testing.T, dir string, c *config.Config) { c.Database = filepath.Join(dir, "none", "a.db") }, "COINSLOT_DATABASE"},
		"file as folder":        {func(t *testing.T, dir string, c *config.Config) { write(t, c.Database, ""); c.Database += "/a.db" }, "COINSLOT_DATABASE"},
		"kernel's file system":  {func(_ *testing.T, _ string, c *config.Config) { c.Database = "/proc/a.db" }, "COINSLOT_DATABASE"},
		"NUL in the path":       {func(_ *testing.T, _ string, c *config.Config) { c.Database += "\x00" }, "COINSLOT_DATABASE"},
		"path of 5,000 letters": {func(_ *testing.T, dir string, c *config.Config) { c.Database = dir + "/" + strings.Repeat("a", 5000) }, "COINSLOT_DATABASE"},
		"nothing":               {func(_ *testing.T, _ string, c *config.Config) { c.Database = "" }, "COINSLOT_DATABASE"},
		"memory":                {func(_ *testing.T, _ string, c *config.Config) { c.Database = ":memory:" }, "COINSLOT_DATABASE"},
		"file address":          {func(_ *testing.T, _ string, c *config.Config) { c.Database = "file:a.db?mode=memory" }, "COINSLOT_DATABASE"},
		"PostgreSQL":            {func(_ *testing.T, _ string, c *config.Config) { c.Database = "postgres://u:" + startCanary + "@db/x" }, "COINSLOT_DATABASE"},
		"PostgreSQL in words":   {func(_ *testing.T, _ string, c *config.Config) { c.Database = "host=db password=" + startCanary }, "COINSLOT_DATABASE"},
		"MySQL":                 {func(_ *testing.T, _ string, c *config.Config) { c.Database = "mysql://u:" + startCanary + "@db/x" }, "COINSLOT_DATABASE"},
		"JDBC": {func(_ *testing.T, _ string, c *config.Config) {
			c.Database = "jdbc:postgresql://u:" + startCanary + "@db/x"
		}, "COINSLOT_DATABASE"},
		"no catalogue":         {func(_ *testing.T, dir string, c *config.Config) { c.Catalog = filepath.Join(dir, "none.yaml") }, "COINSLOT_CATALOG"},
		"no coins":             {func(_ *testing.T, dir string, c *config.Config) { c.Tokens = filepath.Join(dir, "none.yaml") }, "COINSLOT_TOKENS"},
		"folder as coins":      {func(_ *testing.T, dir string, c *config.Config) { c.Tokens = dir }, "COINSLOT_TOKENS"},
		"coins of nothing":     {func(t *testing.T, dir string, c *config.Config) { c.Tokens = catalog(t, dir, "tokens: [{symbol: X}]") }, "COINSLOT_TOKENS: reading the coins: line 1: token X"},
		"folder as catalogue":  {func(_ *testing.T, dir string, c *config.Config) { c.Catalog = dir }, "COINSLOT_CATALOG"},
		"catalogue of nothing": {func(t *testing.T, dir string, c *config.Config) { c.Catalog = catalog(t, dir, "items: [") }, "COINSLOT_CATALOG"},
		"catalogue with a typo": {func(t *testing.T, dir string, c *config.Config) {
			c.Catalog = catalog(t, dir, "items: {a: {amount: \"1\"}}")
		}, `COINSLOT_CATALOG: reading the catalog: item "a": amount: unknown member`},
		"no logo": {func(_ *testing.T, dir string, c *config.Config) { c.Logo = filepath.Join(dir, "none.svg") }, "COINSLOT_LOGO: the file cannot be read"},
		"large logo": {func(t *testing.T, dir string, c *config.Config) {
			c.Logo = catalog(t, dir, "<svg>"+strings.Repeat(" ", 64<<10))
		}, "has more than 64 kB"},
		"logo in GIF":           {func(t *testing.T, dir string, c *config.Config) { c.Logo = catalog(t, dir, "GIF89a") }, "is neither SVG nor PNG"},
		"gateway in plain http": {func(_ *testing.T, _ string, c *config.Config) { c.GatewayURL = "http://gateway.example" }, "COINSLOT_GATEWAY_URL"},
		"gateway with a query":  {func(_ *testing.T, _ string, c *config.Config) { c.GatewayURL = "https://gateway.example?" }, "COINSLOT_GATEWAY_URL"},
		"gateway and fragment":  {func(_ *testing.T, _ string, c *config.Config) { c.GatewayURL = "https://gateway.example#" }, "COINSLOT_GATEWAY_URL"},
		"no gateway":            {func(_ *testing.T, _ string, c *config.Config) { c.GatewayURL = "" }, "COINSLOT_GATEWAY_URL"},
		"own address as hook": {func(_ *testing.T, _ string, c *config.Config) {
			c.PublicURL, c.WebhookURLs, c.WebhookSecrets = "https://pay.example", []string{"https://PAY.example:443/x"}, secrets(whsec)
		}, "COINSLOT_WEBHOOK_URL"},
		"one endpoint twice": {func(_ *testing.T, _ string, c *config.Config) {
			c.WebhookURLs, c.WebhookSecrets = []string{"https://a.example/", "https://a.example/"}, secrets(whsec)
		}, "COINSLOT_WEBHOOK_URL"},
		"100 endpoints": {func(_ *testing.T, _ string, c *config.Config) {
			for i := range 100 {
				c.WebhookURLs = append(c.WebhookURLs, "https://a.example/"+strings.Repeat("a", i))
			}
			c.WebhookSecrets = secrets(whsec)
		}, "COINSLOT_WEBHOOK_URL"},
		"private endpoint": {func(_ *testing.T, _ string, c *config.Config) {
			c.WebhookURLs, c.WebhookSecrets = []string{"https://127.0.0.1/" + startCanary}, secrets(whsec)
		}, "COINSLOT_WEBHOOK_URL"},
		"bad secret": {func(_ *testing.T, _ string, c *config.Config) {
			c.WebhookURLs, c.WebhookSecrets = []string{"https://a.example/"}, secrets("whsec_"+startCanary)
		}, "COINSLOT_WEBHOOK_SECRET"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			settings := goodStart(dir)
			c.change(t, dir, &settings)
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
	for _, path := range []string{c.Database, link, dir + "/./start.db", filepath.Join(dir, "x", "..", "start.db")} {
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
		if name := f.Name(); strings.HasSuffix(name, ".lock") || strings.HasSuffix(name, "-wal") || strings.HasSuffix(name, "-shm") {
			continue
		}
		raw := fortest.Must(os.ReadFile(filepath.Join(dir, f.Name())))(t)
		fmt.Fprintf(&all, "%s %x\n", f.Name(), sha256.Sum256(raw))
	}
	return all.String()
}

// newer makes a database of ours that a later release has written.
func newer(t *testing.T, _ string, c *config.Config) {
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

func catalog(t *testing.T, dir, text string) string {
	t.Helper()
	path := filepath.Join(dir, "catalog.yaml")
	write(t, path, text)
	return path
}

func secrets(list ...string) (all []config.Secret) {
	for _, s := range list {
		all = append(all, config.NewSecret(s))
	}
	return all
}
