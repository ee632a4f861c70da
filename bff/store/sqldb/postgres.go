package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
)

const (
	connectTimeout = 5 * time.Second
	// defaultConnections is how many one instance has at most, unless the address says
	// otherwise; most bounds what it may say.
	defaultConnections = 10
	maxConnections     = 50
	// minVersion is the first release that has pg_current_xact_id.
	minVersion = 130000
)

// connectionSettings are the settings of every connection. They win over those of the
// address, the user and the database.
func connectionSettings() map[string]string {
	return map[string]string{
		"synchronous_commit": "on", // a commit is on disk before it is acknowledged
		// Milliseconds. A connection that was given up holds its locks no longer than that.
		"statement_timeout":                   "5000",
		"lock_timeout":                        "4000",
		"idle_in_transaction_session_timeout": "8000",
		"default_transaction_isolation":       "read committed",
		"client_encoding":                     "UTF8",
		"timezone":                            "UTC",
		"application_name":                    "coinslot",
	}
}

func isPostgres(dsn string) bool {
	return strings.HasPrefix(dsn, "postgres://") || strings.HasPrefix(dsn, "postgresql://")
}

// namesPostgres reports whether dsn looks like one, perhaps mistyped
// ("postgres//user:password@host"), or like a list of settings ("host=… password=…").
func namesPostgres(dsn string) bool {
	dsn = strings.ToLower(dsn)
	if strings.HasPrefix(dsn, "postgres:") || strings.HasPrefix(dsn, "postgresql:") ||
		withPassword.MatchString(dsn) {
		return true
	}
	for _, field := range strings.Fields(dsn) {
		switch name, _, _ := strings.Cut(field, "="); name + "=" {
		case "host=", "dbname=", "user=", "password=", "pgpassword=":
			return strings.Contains(field, "=")
		}
	}
	return false
}

// withPassword matches what has a user and a password before its host. A drive's
// name, "c:\", has neither.
var withPassword = regexp.MustCompile(`^[^:]*:[^/\\].*@`)

// postgresConfig reads dsn. Its errors do not repeat dsn.
func postgresConfig(dsn string) (*pgxpool.Config, error) {
	c, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		// The cause repeats parts of dsn, and may take a password for something else.
		return nil, errors.New("COINSLOT_DATABASE: the address is not valid; use " +
			"postgres://user:password@host/database")
	}
	if !strings.Contains(dsn, "pool_max_conns=") {
		c.MaxConns = defaultConnections
	}
	c.MaxConns = min(c.MaxConns, maxConnections)
	c.PingTimeout = 2 * time.Second
	if c.ConnConfig.ConnectTimeout == 0 || c.ConnConfig.ConnectTimeout > connectTimeout {
		c.ConnConfig.ConnectTimeout = connectTimeout
	}
	for name, value := range connectionSettings() {
		c.ConnConfig.RuntimeParams[name] = value
	}
	c.ConnConfig.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite // no standby
	return c, nil
}

// openPostgres connects to the database at dsn. What is open when it fails is left to Close.
func (db *DB) openPostgres(ctx context.Context, dsn string) error {
	c, err := postgresConfig(dsn)
	if err != nil {
		return err
	}
	if err := migratePostgres(ctx, c.ConnConfig, db.Dialect); err != nil {
		return err
	}
	if err := db.connect(ctx, c); err != nil {
		return err
	}
	db.Writer = db.Reader
	if err := db.continueLog(ctx); err != nil {
		return err
	}
	db.hints = newHints()
	return nil
}

// connect opens the pool for reading and makes sure that its settings hold.
func (db *DB) connect(ctx context.Context, c *pgxpool.Config) (err error) {
	if db.pool, err = pgxpool.NewWithConfig(ctx, c); err != nil {
		return fmt.Errorf("creating the connection pool: %w", err)
	}
	db.Reader = stdlib.OpenDBFromPool(db.pool)
	db.Reader.SetMaxOpenConns(int(c.MaxConns))
	if err := checkServer(ctx, db.Reader); err != nil {
		return err
	}
	return db.readClock(ctx)
}

// checkServer checks the settings that durability depends on: the server, or a pooler
// between, may override them.
func checkServer(ctx context.Context, db *sql.DB) error {
	ctx, cancel := context.WithTimeout(ctx, defaultPatience)
	defer cancel()
	var version int
	var sync, fsync, pages, encoding string
	err := db.QueryRowContext(ctx, `SELECT current_setting('server_version_num')::bigint,
		current_setting('synchronous_commit'),
		current_setting('fsync'), current_setting('full_page_writes'),
		current_setting('server_encoding')`).
		Scan(&version, &sync, &fsync, &pages, &encoding)
	switch {
	case err != nil:
		return fmt.Errorf("reading settings: %w", err)
	case version < minVersion:
		return fmt.Errorf("the server is PostgreSQL %d.%d; use 13 or newer",
			version/10000, version%10000)
	case sync != "on" || fsync != "on" || pages != "on":
		return fmt.Errorf("the server may lose committed data (synchronous_commit %s, fsync %s, "+
			"full_page_writes %s): turn all of them on", sync, fsync, pages)
	case encoding != "UTF8":
		return fmt.Errorf("the database is encoded in %s; create one in UTF8", encoding)
	}
	return nil
}

// migratePostgres brings the tables up to date, on a connection that has the time for it.
func migratePostgres(ctx context.Context, settings *pgx.ConnConfig, d Dialect) error {
	settings = settings.Copy()
	settings.RuntimeParams["statement_timeout"] = "0"
	settings.RuntimeParams["lock_timeout"] = "60000"
	db := stdlib.OpenDB(*settings)
	defer db.Close()
	if err := checkServer(ctx, db); err != nil {
		return err
	}
	return migrate(ctx, db, d)
}

// continueLog makes the log's positions continue after the last one. They are transaction
// ids, which are smaller after the database was moved to another server.
func (db *DB) continueLog(ctx context.Context) error {
	err := db.Execute(ctx, `UPDATE log_shift
		SET shift = last.position + 1 - pg_snapshot_xmax(pg_current_snapshot())::text::bigint
		FROM (SELECT max(position) AS position FROM events) last
		WHERE last.position >= shift + pg_snapshot_xmax(pg_current_snapshot())::text::bigint`)
	return Wrap(err, "continuing the log")
}
