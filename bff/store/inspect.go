package store

import (
	"context"
	"errors"
	"time"

	"coinslot/bff/outbox"
	"coinslot/bff/reconcile"
	"coinslot/bff/store/sqldb"
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
	opened, err := sqldb.OpenLook(ctx, dsn)
	if err != nil {
		return s, err
	}
	db := on(opened, Config{})
	defer func() { err = errors.Join(err, db.Close()) }()
	if s.Have, s.Know, err = db.Dialect.Versions(ctx, db.Reader); err != nil {
		return s, err
	}
	s.May = true
	if db.Shared() {
		err = db.rights(ctx, &s)
	}
	if err == nil && s.May && s.Have > 0 {
		s.Open, err = db.OpenBacklogs(ctx)
	}
	if err == nil && s.May && s.Have == s.Know {
		var daily reconcile.Status
		if daily, err = db.Compared(ctx, reconcile.Daily); daily.Report != nil {
			s.Reconciled = daily.Report.Ended
		}
	}
	return s, err
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
	err := db.Reader.QueryRowContext(
		ctx, `SELECT (`+may+`), current_setting('server_version_num')::bigint, `+db.Dialect.Clock,
	).Scan(&s.May, &s.Server, &now)
	s.Ahead = time.UnixMicro(now).Sub(asked.Add(time.Since(asked) / 2))
	return err
}
