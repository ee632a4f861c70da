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
	// Version is the version of the tables, 0 = there are none; Latest the newest of
	// this release, which makes the one the other at its start.
	Version, Latest int64
	// Server is PostgreSQL's version, like 150003; 0 = SQLite.
	Server int
	// CanWrite says that the user may write the tables, or make them if there are none.
	// For SQLite it is always true: the file's permissions decide.
	CanWrite bool
	// Backlogs is what is open to each webhook URL, configured or not, in their order.
	Backlogs []outbox.Backlog
	// Reconciled is when the daily comparison with the gateway's list was last
	// complete; zero = never, or the tables are older than it.
	Reconciled time.Time
	// ClockAhead is how far the server's clock is ahead of ours; SQLite has ours.
	ClockAhead time.Duration
}

// Inspect looks at the database from outside, also beside a server that is
// running. It makes nothing, takes no lock and changes nothing.
//
// Errors: as from [Open], and that there is no file, which is an [os.ErrNotExist].
func Inspect(ctx context.Context, dsn string) (s State, err error) {
	opened, err := sqldb.OpenInspect(ctx, dsn)
	if err != nil {
		return s, err
	}
	db := newDB(opened, Config{})
	defer func() { err = errors.Join(err, db.Close()) }()
	if s.Version, s.Latest, err = db.Dialect.Versions(ctx, db.Reader); err != nil {
		return s, err
	}
	s.CanWrite = true
	if db.Shared() {
		err = db.readPrivileges(ctx, &s)
	}
	if err == nil && s.CanWrite && s.Version > 0 {
		s.Backlogs, err = db.OpenBacklogs(ctx)
	}
	if err == nil && s.CanWrite && s.Version == s.Latest {
		var daily reconcile.Status
		if daily, err = db.LastRun(ctx, reconcile.Daily); daily.Report != nil {
			s.Reconciled = daily.Report.Ended
		}
	}
	return s, err
}

// readPrivileges asks what the user may do in the database, and for its clock.
func (db *DB) readPrivileges(ctx context.Context, s *State) error {
	var now int64
	may := `SELECT COALESCE(has_schema_privilege(current_schema(), 'CREATE'), false)`
	if s.Version > 0 {
		may = `SELECT has_table_privilege('sessions', 'SELECT') AND has_table_privilege('sessions',
			'UPDATE') AND has_table_privilege('events', 'INSERT')`
	}
	asked := time.Now()
	err := db.Reader.QueryRowContext(
		ctx, `SELECT (`+may+`), current_setting('server_version_num')::bigint, `+db.Dialect.Clock,
	).Scan(&s.CanWrite, &s.Server, &now)
	s.ClockAhead = time.UnixMicro(now).Sub(asked.Add(time.Since(asked) / 2))
	return err
}
