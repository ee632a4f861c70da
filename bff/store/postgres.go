package store

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"regexp"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
)

const (
	connectTimeout = 5 * time.Second
	// defaultConnections is how many one instance has at most, unless the address says
	// otherwise; the others bound what it may say. A migration needs two.
	defaultConnections = 10
	minConnections     = 2
	maxConnections     = 50
	// minVersion is the first release with what the tables need.
	minVersion = 130000
)

// setTransaction sets, until the end of a transaction, what every transaction that writes depends
// on; times are milliseconds. Settings of a connection would not do: a pooler in front of the server
// refuses them, and may give each transaction another connection.
const setTransaction = `SELECT
	set_config('synchronous_commit', 'on', true), -- on disk before it is acknowledged
	-- A connection that was given up holds its locks no longer than that.
	set_config('statement_timeout', '5000', true),
	set_config('lock_timeout', '4000', true),
	set_config('idle_in_transaction_session_timeout', '8000', true)`

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
		name, _, _ := strings.Cut(field, "=")
		switch name + "=" {
		case "host=", "dbname=", "user=", "password=", "pgpassword=":
			return strings.Contains(field, "=")
		}
	}

	return false
}

// withPassword matches what has a user and a password before its host. A drive's
// name, "c:\", has neither.
var withPassword = regexp.MustCompile(`^(?:[^:]*:[^/\\]|[^:]{2,}:/[^/]).*@`)

// postgresConfig reads dsn. Its errors do not repeat dsn.
func postgresConfig(dsn string) (*pgxpool.Config, error) {
	if err := checkPostgresAddress(dsn); err != nil {
		return nil, fmt.Errorf("COINSLOT_DATABASE: %w", err)
	}

	c, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return nil, fmt.Errorf("COINSLOT_DATABASE: %w", errAddress) // the cause repeats parts of dsn
	}
	if !strings.Contains(dsn, "pool_max_conns=") {
		c.MaxConns = defaultConnections
	}

	c.MaxConns = min(max(c.MaxConns, minConnections), maxConnections)
	c.PingTimeout = 2 * time.Second
	if c.ConnConfig.ConnectTimeout == 0 || c.ConnConfig.ConnectTimeout > connectTimeout {
		c.ConnConfig.ConnectTimeout = connectTimeout
	}

	maps.Copy(c.ConnConfig.RuntimeParams, map[string]string{
		"client_encoding":  "UTF8",
		"timezone":         "UTC",
		"application_name": "coinslot",
	})
	// A pooler's next transaction may have another connection, which lacks what an earlier one has
	// prepared. https://www.pgbouncer.org/features.html
	c.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
	c.ConnConfig.OnNotice = markNotReplicated
	c.BeforeConnect = neverCancel
	return c, nil
}

// openPostgres connects to the database. What is open when it fails is left to Close.
func (db *DB) openPostgres(ctx context.Context, c Config) error {
	if err := db.connectToWrite(ctx, c); err != nil {
		return err
	}
	if err := db.migratePostgres(ctx); err != nil {
		return err
	}
	return db.continueLog(ctx)
}

// connectToWrite opens the pool for reading and writing, on a server that can commit.
func (db *DB) connectToWrite(ctx context.Context, c Config) error {
	pool, err := postgresConfig(c.DSN)
	if err != nil {
		return err
	}
	pool.ConnConfig.ValidateConnect = db.validate
	if err := db.connect(ctx, pool); err != nil {
		return err
	}
	db.Writer = db.Reader
	return nil
}

// connect opens the pool for reading and makes sure that its settings hold.
func (db *DB) connect(ctx context.Context, c *pgxpool.Config) (err error) {
	db.pool, err = pgxpool.NewWithConfig(ctx, c)
	if err != nil {
		return fmt.Errorf("creating the connection pool: %w", err)
	}
	db.Reader = stdlib.OpenDBFromPool(db.pool)
	db.Reader.SetMaxOpenConns(int(c.MaxConns))
	if err := checkServer(ctx, db.Reader); err != nil {
		return err
	}
	return db.readClock(ctx)
}

// checkServer checks the settings that durability depends on: the server, or a pooler between, may
// override them.
func checkServer(ctx context.Context, db *sql.DB) error {
	ctx, cancel := context.WithTimeout(ctx, defaultPatience)
	defer cancel()
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("connecting: %w", err)
	}
	defer func() { _ = tx.Rollback() }() // has only read
	if _, err := tx.ExecContext(ctx, setTransaction); err != nil {
		return fmt.Errorf("setting up a transaction: %w", err)
	}

	var version int
	var sync, fsync, pages, encoding string
	err = tx.QueryRowContext(ctx, `SELECT current_setting('server_version_num')::bigint,
		current_setting('synchronous_commit'), current_setting('fsync'),
		current_setting('full_page_writes'), current_setting('server_encoding')`).
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

// migrationLock is the key of the lock that one of several instances that start holds while it
// migrates: "COIN".
const migrationLock = 0x434F494E

// migratePostgres brings the tables up to date, while the other instances that start wait. The lock
// is held by a transaction of its own, because a pooler may give migrations other connections.
func (db *DB) migratePostgres(ctx context.Context) error {
	have, know, err := db.dialect.Versions(ctx, db.Reader)
	if err != nil || have == know {
		return err
	}

	tx, err := db.Writer.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("locking the tables: %w", err)
	}

	defer func() { _ = tx.Rollback() }() // which ends the lock
	for _, statement := range []string{
		`SET LOCAL statement_timeout = 0`,
		`SET LOCAL lock_timeout = '5min'`,
		`SET LOCAL idle_in_transaction_session_timeout = 0`,
		fmt.Sprintf(`SELECT pg_advisory_xact_lock(%d)`, migrationLock),
	} {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("locking the tables: %w", err)
		}
	}

	return migrate(ctx, db.Writer, db.dialect)
}

// continueLog makes the log's positions continue after the last one, also if the tables were
// copied into another database without their sequence.
func (db *DB) continueLog(ctx context.Context) error {
	err := db.Execute(ctx, `SELECT setval('log_positions', last.position)
		FROM (SELECT max(position) AS position FROM events) last
		WHERE last.position > (SELECT last_value FROM log_positions)`)
	return wrap(err, "continuing the log")
}
