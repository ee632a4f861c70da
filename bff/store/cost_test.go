package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"net/url"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"coinslot/app/wire"
	"coinslot/bff/fortest"
	"coinslot/bff/payment"

	"modernc.org/sqlite"
)

// counted is a connection that counts what is asked of it, except commits.
type counted struct {
	driver.Conn
	statements *atomic.Int64
}

func (c counted) BeginTx(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	c.statements.Add(1)
	return c.Conn.(driver.ConnBeginTx).BeginTx(ctx, o)
}

func (c counted) ExecContext(
	ctx context.Context, query string, args []driver.NamedValue,
) (driver.Result, error) {
	c.statements.Add(1)
	return c.Conn.(driver.ExecerContext).ExecContext(ctx, query, args)
}

func (c counted) QueryContext(
	ctx context.Context, query string, args []driver.NamedValue,
) (driver.Rows, error) {
	c.statements.Add(1)
	return c.Conn.(driver.QueryerContext).QueryContext(ctx, query, args)
}

// counting connects to a database in that way.
type counting struct {
	driver.Connector
	statements atomic.Int64
}

func (c *counting) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	return counted{conn, &c.statements}, err
}

// statements counts what is asked of the connection of db that writes.
func statements(t *testing.T, db *DB, path string) *atomic.Int64 {
	t.Helper()
	dsn := url.URL{
		Scheme:   "file",
		Path:     path,
		RawQuery: url.Values{"_txlock": {"immediate"}, "_foreign_keys": {"1"}}.Encode(),
	}
	plain := fortest.Must(sqlite.NewConnector(dsn.String()))(t)
	c := &counting{Connector: plain}
	fortest.OK(t, db.Writer.Close())
	db.Writer = sql.OpenDB(c)
	db.Writer.SetMaxOpenConns(1)
	return &c.statements
}

// A session costs few statements, and one commit.
func TestCostOfASession(t *testing.T) {
	path := filepath.Join(t.TempDir(), "coinslot.db")
	db := opened(t, path, "https://a.example/")
	asked := statements(t, db, path)
	fortest.Must(db.Insert(t.Context(), filled(1)))(t)
	asked.Store(0)
	fortest.Must(db.Insert(t.Context(), filled(2)))(t)
	if n := asked.Load(); n > 5 {
		t.Errorf("%d statements for a session; want 5 at most", n)
	}
}

// A start reads a few pages, however many sessions there are.
func TestStartReadsLittle(t *testing.T) {
	path := filepath.Join(t.TempDir(), "coinslot.db")
	db := fortest.Must(Open(t.Context(), Config{DSN: path}))(t)
	var all sync.WaitGroup
	for w := range 64 {
		all.Go(func() {
			for i := range 12 {
				s := filled(w*12 + i)
				s.Status = wire.Confirmed
				fortest.Must(db.Insert(t.Context(), s))(t)
			}
		})
	}
	all.Wait()
	fortest.OK(t, db.Close())
	db = opened(t, path)
	_, err := db.List(t.Context(), payment.Filter{Status: string(wire.Preparing), Limit: 100})
	if err != nil { // as Recover does
		t.Fatal(err)
	}
	read := pagesRead(t, db.Writer) + pagesRead(t, db.Reader)
	if pages := count(t, db.Reader, `PRAGMA page_count`); read > 30 || pages < 150 {
		t.Errorf("%d of %d pages read; want 30 at most", read, pages)
	}
}

// pagesRead is how many pages a pool that has used one connection has read.
func pagesRead(t *testing.T, pool *sql.DB) (n int) {
	t.Helper()
	conn := fortest.Must(pool.Conn(t.Context()))(t)
	defer conn.Close()
	fortest.OK(t, conn.Raw(func(c any) (err error) {
		n, _, err = c.(sqlite.DBStatus).Status(sqlite.DBStatusCacheMiss, false)
		return err
	}))
	return n
}
