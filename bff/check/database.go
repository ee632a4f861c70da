package check

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"coinslot/bff/outbox"
	"coinslot/bff/store"
)

// What the disk of an SQLite file should have: a million payments are 8 GB
// (docs/scale.md); with less than full, a day of a small shop may not fit.
const (
	enoughSpace = 1 << 30
	minSpace    = 100 << 20
)

// database looks at it from outside; see [store.Inspect].
func (x *checker) database(ctx context.Context) findings {
	if !x.understood("COINSLOT_DATABASE") {
		return nil
	}
	dsn := x.Settings.Database
	s, err := store.Inspect(ctx, dsn)
	sqlite := !strings.Contains(dsn, "://")
	switch {
	case sqlite && errors.Is(err, os.ErrNotExist):
		return x.newDatabaseFile(dsn)
	case err != nil:
		return findings{fail("database", oneLine(err),
			"COINSLOT_DATABASE: the path of an SQLite file on a local disk, or "+
				"postgres://user:password@host/database")}
	case s.Version > s.Latest:
		return findings{fail("database",
			fmt.Sprintf(
				"its tables are of version %d, this release knows up to %d", s.Version, s.Latest,
			),
			"run the newer release that wrote them, or restore a backup of before")}
	case !s.CanWrite:
		return findings{fail("database", "the user may not write the tables",
			"GRANT what it needs, or make it the owner of the database")}
	}
	list := findings{ok("database", describeState(s, dsn, sqlite))}
	if s.ClockAhead.Abs() > 5*time.Second {
		list = append(list, warn("database",
			"its clock and this machine's differ by "+
				s.ClockAhead.Abs().Round(time.Second).String()+
				"; payments go by the database's",
			"let both machines set their clocks (NTP)"))
	}
	if sqlite {
		list = append(list, x.databaseFile(dsn)...)
	}
	if age := x.Now().Sub(s.Reconciled); !s.Reconciled.IsZero() && age > 48*time.Hour {
		list = append(list, warn("reconciliation",
			fmt.Sprintf("the daily comparison with the gateway's list was last complete "+
				"%d days ago: late money is not told", int(age.Hours()/24)),
			"start the server; if it runs, its log says why the comparison breaks off"))
	}
	return append(list, x.unrouted(s.Backlogs)...)
}

// unrouted is about webhooks that are open to URLs which the settings do not have.
func (x *checker) unrouted(open []outbox.Backlog) (list findings) {
	if !x.understood("COINSLOT_WEBHOOK_URL") {
		return nil
	}
	for _, b := range open {
		if slices.Contains(x.Settings.WebhookURLs, b.Endpoint) {
			continue
		}
		host := "an unknown host" // the rest of a URL may hold a key
		if u, err := url.Parse(b.Endpoint); err == nil {
			host = u.Host
		}
		text := fmt.Sprintf("open webhooks to a URL at %s, "+
			"which COINSLOT_WEBHOOK_URL does not have: %d", host, b.Waiting)
		way := "nothing, if you are replacing that URL: the next start moves the webhooks of " +
			"the last 30 days. Otherwise add it again, or send them to the configured URL at " +
			"/admin/webhooks"
		if len(x.Settings.WebhookURLs) == 0 {
			way = "set COINSLOT_WEBHOOK_URL: the next start moves " +
				"the webhooks of the last 30 days to it"
		}
		list = append(list, warn("webhooks", text, way))
	}
	return list
}

// retention is whether personal data is ever erased.
func (x *checker) retention(context.Context) findings {
	switch {
	case !x.understood("COINSLOT_RETENTION") || x.Settings.Sandbox:
		return nil
	case x.Settings.Retention == 0:
		return findings{warn("retention",
			"COINSLOT_RETENTION is not set: e-mails and comments of shoppers are kept forever",
			"set it to the days that you need them after a payment, like 90; docs/privacy.md")}
	}
	days := int(x.Settings.Retention.Hours()) / 24
	return findings{ok("retention",
		fmt.Sprintf("personal data is erased %d days after the end of a payment", days))}
}

func describeState(s store.State, dsn string, sqlite bool) string {
	name := "SQLite file " + dsn
	if !sqlite {
		name = fmt.Sprintf("PostgreSQL %d.%d", s.Server/10000, s.Server%10000)
	}
	switch {
	case s.Version == 0:
		return name + ": empty, the first start makes the tables"
	case s.Version < s.Latest:
		return fmt.Sprintf(
			"%s: tables of version %d, the next start brings them to %d", name, s.Version, s.Latest,
		)
	}
	return fmt.Sprintf("%s: tables of version %d, as this release wants them", name, s.Version)
}

// newDatabaseFile is about a file that the first start makes.
func (x *checker) newDatabaseFile(path string) findings {
	folder := filepath.Dir(path)
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return findings{fail("database", "the folder "+folder+" for the SQLite file is not there",
			"mkdir -p "+folder+", owned by the user that serves")}
	}
	if !writable(folder) {
		return findings{fail("database", "the folder "+folder+" may not be written",
			"give it to the user that serves: chown")}
	}
	return append(
		findings{ok("database", "SQLite file "+path+" is not there yet: the first start makes it")},
		x.diskSpace(folder)...,
	)
}

// databaseFile is about an SQLite file that is there.
func (x *checker) databaseFile(path string) findings {
	folder := filepath.Dir(path)
	var list findings
	if !writable(path) || !writable(folder) {
		list = append(list, fail("database", path+" and its folder may not be written",
			"give both to the user that serves: chown"))
	}
	if info, err := os.Stat(path); err == nil && openToOthers(info) {
		list = append(list, warn(
			"database", path+" is open to every user: it holds emails and orders",
			"chmod 600 "+path,
		))
	}
	return append(list, x.diskSpace(folder)...)
}

func (x *checker) diskSpace(folder string) findings {
	free, known := freeSpace(folder)
	switch {
	case !known:
		return nil
	case free < minSpace:
		return findings{fail("disk", fmt.Sprintf("%d MB are left for %s", free>>20, folder),
			"make room: orders are refused when it is full")}
	case free < enoughSpace:
		return findings{warn("disk", fmt.Sprintf("%d MB are left for %s", free>>20, folder),
			"make room: a million payments are some 8 GB")}
	}
	return findings{ok("disk", fmt.Sprintf("%d GB are left for %s", free>>30, folder))}
}

// oneLine is what an error says, without the line breaks that drivers put into
// their lists of tries.
func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }
