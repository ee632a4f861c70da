package sqldb

import (
	"database/sql"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/bff/store/pgtest"
)

// TestGoingBack: the statements of docs/upgrade.md turn the newest tables into those of the version
// before, and the next upgrade makes the newest ones again.
func TestGoingBack(t *testing.T) {
	for _, c := range []struct{ name, dsn, schema string }{
		{"SQLite", filepath.Join(t.TempDir(), "coinslot.db"),
			`SELECT type || ' ' || name || ' ' || sql FROM sqlite_schema WHERE sql IS NOT NULL`},
		{"PostgreSQL", pgtest.DSN(t),
			`SELECT table_name || '.' || column_name FROM information_schema.columns
				WHERE table_schema = current_schema()
			UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = current_schema()`},
	} {
		t.Run(c.name, func(t *testing.T) {
			db := opened(t, c.dsn)
			provider := fortest.Must(db.Dialect.Provider(db.Writer))(t)
			newest := schema(t, db.Writer, c.schema)
			sources := provider.ListSources()
			before := sources[len(sources)-2].Version
			fortest.Must(provider.DownTo(t.Context(), before))(t)
			want := schema(t, db.Writer, c.schema)
			fortest.Must(provider.Up(t.Context()))(t)

			run(t, db.Writer, goingBack(t, c.name))

			have, _, err := db.Dialect.Versions(t.Context(), db.Writer)
			fortest.OK(t, err)
			fortest.Equal(t, have, before, "the version")
			fortest.Equal(t, schema(t, db.Writer, c.schema), want, "the tables")
			fortest.Must(provider.Up(t.Context()))(t)
			again := schema(t, db.Writer, c.schema)
			fortest.Equal(t, again, newest, "the tables after the next upgrade")
		})
	}
}

// goingBack returns the statements that docs/upgrade.md gives for a database.
func goingBack(t *testing.T, database string) string {
	t.Helper()
	page := string(fortest.Must(os.ReadFile("../../../docs/upgrade.md"))(t))
	_, section, _ := strings.Cut(page, "### Going back\n")
	section, _, _ = strings.Cut(section, "\n## ")
	_, after, _ := strings.Cut(section, database+", with `")
	_, after, _ = strings.Cut(after, "```sql\n")
	statements, _, ok := strings.Cut(after, "```")
	if !ok {
		t.Fatal("docs/upgrade.md has no statements under Going back")
	}
	return statements
}

// schema describes the tables and indexes, in order.
func schema(t *testing.T, db *sql.DB, query string) string {
	t.Helper()
	rows := fortest.Must(db.QueryContext(t.Context(), query))(t)
	defer rows.Close()
	var lines []string
	for rows.Next() {
		var line string
		fortest.OK(t, rows.Scan(&line))
		lines = append(lines, line)
	}
	fortest.OK(t, rows.Err())
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}
