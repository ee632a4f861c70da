package check

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"coinslot/bff/webhook"
)

// Free bytes on the disk of an SQLite file: a million payments take 8 GB (docs/scale.md);
// below minSpace a day of a small shop may not fit.
const (
	enoughSpace = 1 << 30
	minSpace    = 100 << 20
)

// Database is what [Setup.Inspect] finds.
type Database struct {
	// Version is that of the tables, 0 = there are none. Latest is the newest version of
	// this release, which migrates the tables to it when it starts.
	Version, Latest int64
	// Server is PostgreSQL's version, like 150003; 0 = SQLite.
	Server int
	// CanWrite says that the user may write the tables, or create them if there are none.
	// It is always true for SQLite: the file's permissions decide.
	CanWrite bool
	// Backlogs are the open deliveries of each webhook URL, configured or not.
	Backlogs []webhook.Backlog
	// Reconciled is the end of the last complete daily reconciliation; zero = never, or the
	// tables are older than it.
	Reconciled time.Time
	// AsyncReplicas is how many replicas PostgreSQL has although none has to confirm a commit: a
	// failover to them loses the newest ones.
	AsyncReplicas int
	// HeldRates are the currencies whose newest exchange rate waits for an operator.
	HeldRates []string
	// ClockAhead is how far the server's clock is ahead of this machine's; zero for SQLite.
	ClockAhead time.Duration
}

// database checks that the configured database opens, has the schema of this release and can be
// written. It warns of a wrong clock, of replicas that lag, and of a reconciliation that is missing.
func (ch *checker) database(ctx context.Context) findings {
	if !ch.valid("COINSLOT_DATABASE") {
		return nil
	}

	dsn := ch.Settings.Database
	db, err := ch.Inspect(ctx, dsn)
	sqlite := !strings.Contains(dsn, "://")
	switch {
	case sqlite && errors.Is(err, os.ErrNotExist):
		return ch.newDatabaseFile(dsn)
	case err != nil:
		return fail("database", oneLine(err), "set COINSLOT_DATABASE to the path of an SQLite "+
			"file on a local disk, or postgres://user:password@host/database")
	case db.Version > db.Latest:
		return fail("database", fmt.Sprintf("schema version %d is newer than this release (%d)",
			db.Version, db.Latest), "run the newer release, or restore a backup from before it")
	case !db.CanWrite:
		return fail("database", "the user has no write permission on the tables",
			"GRANT it, or make the user the owner of the database")
	}

	list := ok("database", db.describe(dsn, sqlite))
	if db.ClockAhead.Abs() > 5*time.Second {
		list = append(list, warn("database", "its clock and this machine's differ by "+
			db.ClockAhead.Abs().Round(time.Second).String()+"; payments use the database's clock",
			"synchronize both clocks (NTP)")...)
	}
	if db.AsyncReplicas > 0 {
		list = append(list, warn("database", plural(db.AsyncReplicas, "replica")+" of it may lack "+
			"the newest payments: a failover loses them",
			"set synchronous_standby_names (docs/scale.md)")...)
	}
	if sqlite {
		list = append(list, ch.databaseFile(dsn)...)
	}

	age := ch.Now().Sub(db.Reconciled)
	if !db.Reconciled.IsZero() && age > 48*time.Hour {
		list = append(list, warn("reconciliation",
			fmt.Sprintf("the daily reconciliation last completed %d days ago: late payments "+
				"may go unnoticed", int(age.Hours()/24)),
			"start the server; if it is running, look for the reason in its log")...)
	}
	if len(db.HeldRates) > 0 {
		list = append(list, warn("rates", "the exchange rate of "+
			strings.Join(db.HeldRates, ", ")+" jumped and is held: once the old one is no longer "+
			"valid, orders in it are refused",
			"compare it with a second source, then accept it in the console (docs/rates.md)")...)
	}

	return append(list, ch.unrouted(db.Backlogs)...)
}

// unrouted reports open webhooks to URLs that are not configured.
func (ch *checker) unrouted(open []webhook.Backlog) (list findings) {
	if !ch.valid("COINSLOT_WEBHOOK_URL") {
		return nil
	}

	fix := "nothing, if you are replacing that URL: the next start moves the webhooks of the " +
		"last 30 days. Otherwise add it again, or send them to the configured URL at " +
		"/admin/webhooks"
	if len(ch.Settings.WebhookURLs) == 0 {
		fix = "set COINSLOT_WEBHOOK_URL: the next start moves the webhooks of the last 30 days " +
			"to it"
	}

	for _, b := range open {
		if slices.Contains(ch.Settings.WebhookURLs, b.Endpoint) {
			continue
		}
		host := "an unknown host" // the rest of a URL may hold a key
		if u, err := url.Parse(b.Endpoint); err == nil {
			host = u.Host
		}
		list = append(list, warn("webhooks", fmt.Sprintf("%s to a URL at %s that is not in "+
			"COINSLOT_WEBHOOK_URL", plural(b.Waiting, "open webhook"), host), fix)...)
	}

	return list
}

// retention reports whether personal data is ever erased.
func (ch *checker) retention(context.Context) findings {
	switch {
	case !ch.valid("COINSLOT_RETENTION") || ch.Settings.Sandbox:
		return nil
	case ch.Settings.Retention == 0:
		return warn("retention",
			"COINSLOT_RETENTION is not set: shoppers' e-mails and comments are kept forever",
			"set the number of days that you need them after a payment, like 90 (docs/privacy.md)")
	}
	days := int(ch.Settings.Retention.Hours()) / 24
	return ok("retention", fmt.Sprintf("personal data is erased %d days after a payment", days))
}

func (db Database) describe(dsn string, sqlite bool) string {
	name := "SQLite file " + dsn
	if !sqlite {
		name = fmt.Sprintf("PostgreSQL %d.%d", db.Server/10000, db.Server%10000)
	}

	switch {
	case db.Version == 0:
		return name + ": empty; the first start creates the tables"
	case db.Version < db.Latest:
		return fmt.Sprintf("%s: schema version %d; the next start migrates it to %d", name,
			db.Version, db.Latest)
	}

	return fmt.Sprintf("%s: schema version %d, up to date", name, db.Version)
}

// StateFolder has the folders that systemd makes for the units of coinslot init.
const StateFolder = "/var/lib/coinslot"

// newDatabaseFile checks where the first start creates the file.
func (ch *checker) newDatabaseFile(path string) findings {
	folder := filepath.Dir(path)
	info, err := os.Stat(folder)
	if errors.Is(err, fs.ErrNotExist) && strings.HasPrefix(folder, StateFolder+"/") {
		return warn("database", "the folder "+folder+" for the SQLite file does not exist yet",
			"start the server by its unit: systemd creates the folder")
	}
	if err != nil || !info.IsDir() {
		return fail("database", "the folder "+folder+" for the SQLite file does not exist",
			"mkdir -p "+folder+", owned by the user that runs the server")
	}
	if !writable(folder) {
		return fail("database", "the folder "+folder+" is not writable",
			"chown it to the user that runs the server")
	}

	return append(ok("database", "SQLite file "+path+" does not exist yet: the first start "+
		"creates it"), ch.diskSpace(folder)...)
}

// databaseFile checks an SQLite file that exists.
func (ch *checker) databaseFile(path string) (list findings) {
	folder := filepath.Dir(path)
	if !writable(path) || !writable(folder) {
		list = fail("database", path+" and its folder are not both writable",
			"chown both to the user that runs the server")
	}

	info, err := os.Stat(path)
	if err == nil && openToOthers(info) {
		list = append(list, warn("database",
			path+" is open to every user: it holds e-mail addresses and orders",
			"chmod 600 "+path)...)
	}

	return append(list, ch.diskSpace(folder)...)
}

func (ch *checker) diskSpace(folder string) findings {
	free, known := freeSpace(folder)
	text := fmt.Sprintf("%d MB free for %s", free>>20, folder)
	switch {
	case !known:
		return nil
	case free < minSpace:
		return fail("disk", text, "free up space: orders are refused when the disk is full")
	case free < enoughSpace:
		return warn("disk", text, "free up space: a million payments take about 8 GB")
	}
	return ok("disk", fmt.Sprintf("%d GB free for %s", free>>30, folder))
}

// oneLine removes the line breaks that drivers put into lists of attempts.
func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }
