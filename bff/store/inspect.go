package store

import (
	"context"
	"errors"
	"slices"
	"time"

	"coinslot/bff/check"
	"coinslot/bff/gatewaylist"
)

// Inspect reads the state of the database at a DSN, also beside a running server. It creates,
// locks and changes nothing.
//
// Errors: as from [Open], and that there is no file, which is an
// os.ErrNotExist.
func Inspect(ctx context.Context, dsn string) (s check.Database, err error) {
	db, err := openInspect(ctx, Config{DSN: dsn})
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if s.Version, s.Latest, err = db.dialect.Versions(ctx, db.Reader); err != nil {
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
		var daily gatewaylist.RunStatus
		if daily, err = db.LastRun(ctx, gatewaylist.Daily); daily.Report != nil {
			s.Reconciled = daily.Report.Ended
		}
		if err == nil {
			s.HeldRates, err = db.heldRates(ctx)
		}
	}
	return s, err
}

// heldRates returns the currencies whose newest exchange rate waits for an operator, sorted.
func (db *DB) heldRates(ctx context.Context) (codes []string, err error) {
	state, _, err := db.LoadRates(ctx)
	for code, e := range state.Currencies {
		if e.Held != nil {
			codes = append(codes, code)
		}
	}
	slices.Sort(codes)
	return codes, err
}

// readPrivileges reads what the user may do in the database, and its clock.
func (db *DB) readPrivileges(ctx context.Context, s *check.Database) error {
	var now int64
	may := `SELECT COALESCE(has_schema_privilege(current_schema(), 'CREATE'), false)`
	if s.Version > 0 {
		may = `SELECT has_table_privilege('sessions', 'SELECT')
			AND has_table_privilege('sessions', 'UPDATE')
			AND has_table_privilege('events', 'INSERT')`
	}
	asked := time.Now()
	err := db.Reader.QueryRowContext(
		ctx, `SELECT (`+may+`), current_setting('server_version_num')::bigint, `+db.dialect.Clock,
	).Scan(&s.CanWrite, &s.Server, &now)
	s.ClockAhead = time.UnixMicro(now).Sub(asked.Add(time.Since(asked) / 2))
	if err == nil {
		s.AsyncReplicas, err = db.AsyncReplicas(ctx)
	}
	return err
}

// AsyncReplicas is [check.Database]'s; 0 = SQLite.
func (db *DB) AsyncReplicas(ctx context.Context) (n int, err error) {
	if !db.Shared() {
		return 0, nil
	}
	return readOne[int](ctx, db, `SELECT count(*) FROM pg_stat_replication
		WHERE state IS DISTINCT FROM 'backup' AND
			current_setting('synchronous_standby_names') = ''`)
}
