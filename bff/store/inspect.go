package store

import (
	"context"
	"errors"
	"net/url"
	"os"
	"time"

	"coinslot/bff/outbox"
	"coinslot/bff/reconcile"

	"github.com/jackc/pgx/v5"
)

// State is what [Inspect] finds.
type State struct {
	// Have is the version of the tables, 0 = there are none; Know the newest of
	// this release, which makes the one the other at its start.
	Have, Know int64
	// Server is PostgreSQL's version, like 150003; 0 = SQLite.
	Server int
	// May says that the user may write the tables, or make them if there are none.
	// For SQLite it is always true: the file's permissions decide.
	May bool
	// Open is what is open to each webhook URL, configured or not, in their order.
	Open []outbox.Backlog
	// Reconciled is when the daily comparison with the gateway's list was last
	// complete; zero = never, or the tables are older than it.
	Reconciled time.Time
	// Ahead is how far the server's clock is ahead of ours; SQLite has ours.
	Ahead time.Duration
}

// Inspect looks at the database from outside, also beside a server that is
// running. It makes nothing, takes no lock and changes nothing.
//
// Errors: as from [Open], and that there is no file, which is an [os.ErrNotExist].
func Inspect(ctx context.Context, dsn string) (s State, err error) {
	db, err := open(ctx, Config{DSN: dsn}, (*DB).lookSQLite, (*DB).lookPostgres)
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if s.Have, s.Know, err = db.dialect.versions(ctx, db.reader); err != nil {
		return s, err
	}
	s.May = true
	if db.Shared() {
		err = db.rights(ctx, &s)
	}
	if err == nil && s.May && s.Have > 0 {
		s.Open, err = db.openBacklogs(ctx)
	}
	if err == nil && s.May && s.Have == s.Know {
		var daily reconcile.Status
		if daily, err = db.Compared(ctx, reconcile.Daily); daily.Report != nil {
			s.Reconciled = daily.Report.Ended
		}
	}
	return s, err
}

func (db *DB) lookSQLite(ctx context.Context, path string) (err error) {
	if _, err := os.Stat(path); err != nil {
		return err
	}
	if db.reader, err = openPool(path, looking(path), 1); err != nil {
		return err
	}
	_, err = identify(ctx, db.reader)
	return err
}

// looking are the settings of a reader that makes no file: without a log beside
// it the file is whole, and nobody has it open to write.
func looking(path string) url.Values {
	v := reading()
	if _, err := os.Stat(path + "-wal"); err != nil {
		v.Set("immutable", "1")
	}
	return v
}

// lookPostgres connects for reading alone.
func (db *DB) lookPostgres(ctx context.Context, dsn string) error {
	c, err := postgresConfig(dsn)
	if err != nil {
		return err
	}
	c.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, `SET default_transaction_read_only = on`)
		return err
	}
	return db.connect(ctx, c)
}

// rights asks what the user may do in the database, and for its clock.
func (db *DB) rights(ctx context.Context, s *State) error {
	var now int64
	may := `SELECT COALESCE(has_schema_privilege(current_schema(), 'CREATE'), false)`
	if s.Have > 0 {
		may = `SELECT has_table_privilege('sessions', 'SELECT') AND has_table_privilege('sessions',
			'UPDATE') AND has_table_privilege('events', 'INSERT')`
	}
	asked := time.Now()
	err := db.reader.QueryRowContext(
		ctx, `SELECT (`+may+`), current_setting('server_version_num')::bigint, `+db.dialect.clock,
	).Scan(&s.May, &s.Server, &now)
	s.Ahead = time.UnixMicro(now).Sub(asked.Add(time.Since(asked) / 2))
	return err
}
