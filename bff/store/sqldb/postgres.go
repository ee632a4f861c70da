package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"strings"
	"time"

	"coinslot/bff/internal/background"

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
	// lockPatience bounds how long an old transaction may keep the tables from being changed.
	lockPatience = time.Minute
	// minVersion is the first release that has pg_current_xact_id.
	minVersion = 130000
)

// transactionSettings are the settings of every transaction. They win over those of the
// address, the user and the database.
var transactionSettings = map[string]string{
	"synchronous_commit": "on", // a commit is on disk before it is acknowledged
	// Milliseconds. A connection that was given up holds its locks no longer than that.
	"statement_timeout":                   "5000",
	"lock_timeout":                        "4000",
	"idle_in_transaction_session_timeout": "8000",
	"default_transaction_isolation":       "read committed",
}

// setTransaction sets them until the end of a transaction that a pooler has begun anywhere.
var setTransaction = func() string {
	var list []string
	for name, value := range transactionSettings {
		list = append(list, fmt.Sprintf("set_config('%s', '%s', true)", name, value))
	}
	return "SELECT " + strings.Join(list, ", ")
}()

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
var withPassword = regexp.MustCompile(`^(?:[^:]*:[^/\\]|[^:]{2,}:/[^/]).*@`)

// postgresConfig reads dsn. Its errors do not repeat dsn, and do not name its setting.
func postgresConfig(dsn string) (*pgxpool.Config, error) {
	err := checkPostgresAddress(dsn)
	if err != nil {
		return nil, err
	}
	c, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return nil, errAddress // the cause repeats parts of dsn
	}
	if !strings.Contains(dsn, "pool_max_conns=") {
		c.MaxConns = defaultConnections
	}
	c.MaxConns = min(c.MaxConns, maxConnections)
	c.PingTimeout = 2 * time.Second
	if c.ConnConfig.ConnectTimeout == 0 || c.ConnConfig.ConnectTimeout > connectTimeout {
		c.ConnConfig.ConnectTimeout = connectTimeout
	}
	maps.Copy(c.ConnConfig.RuntimeParams, transactionSettings)
	maps.Copy(c.ConnConfig.RuntimeParams, map[string]string{
		"client_encoding": "UTF8", "timezone": "UTC", "application_name": "coinslot",
	})
	c.ConnConfig.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite // no standby
	c.ConnConfig.OnNotice = markNotReplicated
	c.BeforeConnect = neverCancel
	return c, nil
}

// pooledConfig reads the address that clients use, which may be a pooler's.
func pooledConfig(c Config) (*pgxpool.Config, error) {
	pool, err := postgresConfig(c.DSN)
	return pool, Wrap(err, "COINSLOT_DATABASE")
}

// directConfig reads the address of the server itself.
func directConfig(c Config) (*pgxpool.Config, error) {
	if c.Direct == "" {
		return pooledConfig(c)
	}
	direct, err := postgresConfig(c.Direct)
	return direct, Wrap(err, "COINSLOT_DATABASE_DIRECT")
}

// openPostgres connects to the database. What is open when it fails is left to Close.
func (db *DB) openPostgres(ctx context.Context, c Config) error {
	pool, err := pooledConfig(c)
	if err != nil {
		return err
	}
	pool.ConnConfig.ValidateConnect = db.validate
	db.direct = pool.ConnConfig
	if db.pooled = c.Direct != ""; db.pooled {
		direct, err := directConfig(c)
		if err != nil {
			return err
		}
		db.direct = direct.ConnConfig
		db.direct.ValidateConnect = db.validate
		fitPooler(pool.ConnConfig)
	}
	if err := migratePostgres(ctx, db.direct, db.Dialect); err != nil {
		return err
	}
	if err := db.connect(ctx, pool); err != nil {
		return err
	}
	if db.pooled {
		if err := db.checkSame(ctx, db.direct, "COINSLOT_DATABASE_DIRECT"); err != nil {
			return err
		}
	}
	db.Writer = db.Reader
	if err := db.continueLog(ctx); err != nil {
		return err
	}
	db.hints = newHints()
	return nil
}

// fitPooler makes connections fit PgBouncer. It refuses transactionSettings at their start, and may
// give each transaction another connection to the server, which lacks what an earlier one has
// prepared. https://www.pgbouncer.org/features.html
func fitPooler(c *pgx.ConnConfig) {
	for name := range transactionSettings {
		delete(c.RuntimeParams, name)
	}
	c.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
}

// explainPooler says what to do if err is a pooler's refusal of settings.
func explainPooler(err error) error {
	failed, ok := errors.AsType[*pgconn.PgError](err)
	if ok && strings.Contains(failed.Message, "startup parameter") {
		return fmt.Errorf("%w: %w", ErrPooler, err)
	}
	return err
}

// ErrPooler means that a pooler is where PostgreSQL itself has to be.
var ErrPooler = errors.New("the address leads to PgBouncer or another pooler: set " +
	"COINSLOT_DATABASE_DIRECT to that of PostgreSQL itself")

// checkPooler fails unless both addresses, if there are two, lead to the same database.
func (db *DB) checkPooler(ctx context.Context, c Config) error {
	if c.Direct == "" {
		return nil
	}
	pooled, err := pooledConfig(c)
	if err != nil {
		return err
	}
	fitPooler(pooled.ConnConfig)
	return db.checkSame(ctx, pooled.ConnConfig, "COINSLOT_DATABASE")
}

// checkSame fails unless the other address, which a setting has, leads to db.
func (db *DB) checkSame(ctx context.Context, other *pgx.ConnConfig, setting string) error {
	const query = `SELECT current_database() || extract(epoch FROM pg_postmaster_start_time())`
	here, err := One[string](ctx, db, query)
	if err != nil {
		return fmt.Errorf("reading the database's name: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, defaultPatience)
	defer cancel()
	conn := stdlib.OpenDB(*other, stdlib.OptionBeforeConnect(neverCancel))
	defer conn.Close()
	var there string
	if err := conn.QueryRowContext(ctx, query).Scan(&there); err != nil {
		return fmt.Errorf("%s: reading the database's name: %w", setting, err)
	}
	if here != there {
		return errors.New("COINSLOT_DATABASE and COINSLOT_DATABASE_DIRECT lead to different " +
			"databases")
	}
	return nil
}

// connect opens the pool for reading and makes sure that its settings hold.
func (db *DB) connect(ctx context.Context, c *pgxpool.Config) (err error) {
	if db.pool, err = pgxpool.NewWithConfig(ctx, c); err != nil {
		return fmt.Errorf("creating the connection pool: %w", err)
	}
	db.Reader = stdlib.OpenDBFromPool(db.pool)
	db.Reader.SetMaxOpenConns(int(c.MaxConns))
	if !db.pooled { // else begin sets what counts, and the server itself was checked
		if err := checkServer(ctx, db.Reader); err != nil {
			return err
		}
	}
	return db.readClock(ctx)
}

// checkServer checks the settings that durability depends on: the server, or a pooler
// between, may override them. A pooler that drops them also breaks LISTEN. The query is not
// prepared, as that pooler may give its parts different connections.
func checkServer(ctx context.Context, db *sql.DB) error {
	ctx, cancel := context.WithTimeout(ctx, defaultPatience)
	defer cancel()
	var version int
	var sync, fsync, pages, encoding, idle string
	err := db.QueryRowContext(ctx, `SELECT current_setting('server_version_num')::bigint,
		current_setting('synchronous_commit'),
		current_setting('fsync'), current_setting('full_page_writes'),
		current_setting('server_encoding'),
		current_setting('idle_in_transaction_session_timeout')`, pgx.QueryExecModeExec).
		Scan(&version, &sync, &fsync, &pages, &encoding, &idle)
	switch {
	case err != nil:
		return fmt.Errorf("reading settings: %w", explainPooler(err))
	case idle != "8s":
		return ErrPooler
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

// migratePostgres brings the tables up to date, on a connection that has the time for it. It waits
// for a lock half a second at a time, because other instances' statements queue behind it.
func migratePostgres(ctx context.Context, settings *pgx.ConnConfig, d Dialect) error {
	settings = settings.Copy()
	settings.RuntimeParams["statement_timeout"] = "0"
	settings.RuntimeParams["lock_timeout"] = "500"
	db := stdlib.OpenDB(*settings, stdlib.OptionBeforeConnect(neverCancel))
	defer db.Close()
	if err := checkServer(ctx, db); err != nil {
		return err
	}
	for deadline := time.Now().Add(lockPatience); ; {
		err := migrate(ctx, db, d)
		if sqlState(err) != "55P03" || time.Now().After(deadline) { // lock_not_available
			return err
		}
		if !background.Sleep(ctx, time.Second) {
			return err
		}
	}
}

// continueLog makes the log's positions continue after the last one, also if the tables were
// copied into another database without their sequence.
func (db *DB) continueLog(ctx context.Context) error {
	err := db.Execute(ctx, `SELECT setval('log_positions', last.position)
		FROM (SELECT max(position) AS position FROM events) last
		WHERE last.position > (SELECT last_value FROM log_positions)`)
	return Wrap(err, "continuing the log")
}
