package store

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"coinslot/bff/checkout"
)

// queries are all there are, by name.
func queries() map[string]string {
	all := map[string]string{
		"sessionByID": sessionByID, "sessionByRef": sessionByRef, "sessionByKey": sessionByKey, "sessionByAttempt": sessionByAttempt,
		"insertSession": insertSession, "updateSession": updateSession,
		"deleteAttempt": deleteAttempt, "insertAttempt": insertAttempt,
		"touchSession": touchSession, "dueSessions": dueSessions, "leaseSession": leaseSession,
		"insertEvent": insertEvent, "insertDelivery": insertDelivery,
		"dueDeliveries": dueDeliveries, "leaseDelivery": leaseDelivery, "settleDelivery": settleDelivery,
	}
	for _, f := range []checkout.Filter{{}, {Status: "open"}, {OrderRef: "1"}, {Status: "open", OrderRef: "1"}} {
		query, _ := listQuery(f, cursor{}, 20)
		all[fmt.Sprintf("list by status %q ref %q", f.Status, f.OrderRef)] = query
	}
	return all
}

// Every query finds its rows by an index and in the order that it wants them.
func TestNothingScans(t *testing.T) {
	db := opened(t, filepath.Join(t.TempDir(), "coinslot.db"), "https://a.example/")
	for n := range 50 { // enough to have something to be wrong about
		tell(t, db, n)
	}
	for _, statistics := range []string{"without", "with"} {
		for name, query := range queries() {
			plan := explain(t, db, query)
			if strings.Contains(plan, "SCAN") || strings.Contains(plan, "TEMP B-TREE") && !strings.Contains(name, "ref \"1\"") {
				t.Errorf("%s statistics, %s:\n%s%s", statistics, name, query, plan)
			}
		}
		run(t, db.writer, `ANALYZE`)
	}
}

// explain returns the lines of a query's plan.
func explain(t *testing.T, db *DB, query string) string {
	t.Helper()
	args := make([]any, 0, 9)
	for strings.Contains(query, fmt.Sprintf("$%d", len(args)+1)) {
		args = append(args, nil)
	}
	rows, err := db.writer.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+query, args...)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer rows.Close()
	plan := ""
	for rows.Next() {
		var id, parent, unused int
		var detail string
		if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
			t.Fatal(err)
		}
		plan += "\n  " + detail
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return plan
}
