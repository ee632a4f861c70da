package store

import (
	"database/sql"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"coinslot/bff/console"
	"coinslot/bff/fortest"
	"coinslot/bff/payment"
	"coinslot/bff/store/pgtest"
	"coinslot/bff/webhook"

	"github.com/jackc/pgx/v5"
)

// queries are all there are, by name.
func queries(d dialect) map[string]string {
	held, _ := heldQuery([]string{"a", "b"})
	tracked, _ := trackedQuery([]string{"a", "b"})
	these, _ := claimQuery([]string{"a", "b"}, time.Time{}, 0, 1)
	watch, _ := watchQuery([]string{"a", "b"}, time.Time{}, time.Time{})
	open, _ := inList(1, []string{"a", "b"})
	all := map[string]string{
		"sessionByID": sessionByID, "sessionByRef": sessionByRef, "sessionByKey": sessionByKey,
		"sessionForUpdate": sessionForUpdate,
		"insertSession":    insertSession,
		"updateSession":    updateSession,
		"deleteAttempt":    deleteAttempt, "insertAttempt": insertAttempt, "held": held,
		"touchSession":   touchSession,
		"touchClaimed":   touchClaimed,
		"claimSessions":  claimSessions,
		"claimThese":     these,
		"holdSession":    holdSession,
		"releaseSession": releaseSession, "watchSessions": watch,
		"touchListed":      touchListed,
		"countBusy":        countWaiting,
		"countSetAside":    countSetAside,
		"sessionsSetAside": sessionsSetAside,
		"setSessionAside":  setSessionAside,
		"restoreSession":   restoreSession,
		"erasable":         erasable,
		"unpaidItems":      unpaidItems,
		"unsettled":        unsettledSessions, "countUnsettled": countUnsettled,
		"forgetRun":     forgetRunOf,
		"firstDue":      firstDue,
		"countOpen":     fmt.Sprintf(countOpen, open),
		"tracked":       tracked,
		"countSessions": countSessions,
	}
	for _, f := range []payment.Filter{
		{},
		{Status: "open"},
		{OrderRef: "1"},
		{Status: "open", OrderRef: "1"},
	} {
		query, _ := listQuery(f, cursor{}, 20)
		all[fmt.Sprintf("list by status %q ref %q", f.Status, f.OrderRef)] = query
	}
	maps.Copy(all, outboxQueries(d))
	lookedAt(all, d)
	for name, query := range all {
		all[name] = d.Locked(query)
	}
	return all
}

// outboxQueries are those of events and deliveries.
func outboxQueries(d dialect) map[string]string {
	replay, _ := eventsQuery(webhook.Range{}, replayEvents, "", 0)
	replayOf, _ := eventsQuery(webhook.Range{Session: "a"}, replayEvents, "", 0)
	undelivered, _ := eventsQuery(webhook.Range{}, replayUndelivered, "", 0)
	times, _ := eventsQuery(webhook.Range{}, eventsTimes, 1)
	timesOf, _ := eventsQuery(webhook.Range{Session: "a"}, eventsTimes, 1)
	count, _ := eventsQuery(webhook.Range{}, countEvents)
	return map[string]string{
		"insertEvent": insertEvent, "insertDelivery": insertDelivery, "markUrgent": markUrgent,
		"dueDeliveries": dueDeliveries, "dueUrgent": dueUrgent, "leaseDelivery": leaseDelivery,
		"recordResult": recordResult, "findDelivery": findDelivery,
		"setEventAside": setEventAside, "restoreEvent": restoreEvent,
		"eventsSetAside": eventsSetAside, "countEventsAside": countEventsAside,
		"sessionOfEvent": sessionOfEvent, "eventsAfter": d.EventsAfter,
		"sessionEventsAfter": d.SessionEventsAfter, "eventAt": d.EventAt,
		"latestEvent": d.LatestEvent, "replay": replay,
		"replay of what was not accepted": undelivered,
		"replay of ref \"1\"":             replayOf, "times": times, "times of ref \"1\"": timesOf,
		"count": count, "listDeliveries": listDeliveries, "listFailed": listFailed,
		"listOfSession (sorted)":       listOfSession,
		"listFailedOfSession (sorted)": listFailedOfSession,
		"nextEndpoint":                 nextEndpoint, "countOpenTo": countOpenTo,
		"countFailed": countFailed, "redeliver": redeliver,
	}
}

// lookedAt adds the queries for people. The table of refused origins is not among
// them: it has 200 rows at most, and is read whole.
func lookedAt(all map[string]string, d dialect) {
	for _, q := range []console.Query{
		{},
		{Status: "open"},
		{From: time.Now(), To: time.Now()},
		{Coin: "USDT"},
		{Network: "trc20"},
		{Coin: "USDT", Network: "trc20"},
		{Network: "trc20", Status: "open", From: time.Now()},
		{Coin: "USDT", Status: "confirmed"},
		{Coin: "USDT", Status: "review"},
		{Currency: "EUR"},
		{Currency: "USD"},
		{Currency: "EUR", Status: "open", From: time.Now()},
		{Currency: "EUR", Coin: "USDT", Network: "trc20"},
		{Text: "abc"},
		{Text: "ab"},
		{Text: "abc", Status: "open"},
		{Text: "abc", Coin: "USDT", Network: "trc20", Status: "open", From: time.Now()},
	} {
		for i, w := range sessionQueries(q, cursor{}, 20) {
			name := fmt.Sprintf("way %d of text %q status %q coin %q network %q currency %q", i, q.Text,
				q.Status, q.Coin, q.Network, q.Currency)
			if !strings.HasPrefix(w.tables, "search_terms") && q.Text != "" {
				name += sorted
			}
			all[name] = w.sql()
		}
	}
	in, _ := inList(1, []string{"a", "b"})
	actions, _ := actionQuery(console.ActionQuery{From: time.Now()}, pairCursor{}, 20)
	actionsOf, _ := actionQuery(console.ActionQuery{Session: "a"}, pairCursor{}, 20)
	for name, query := range map[string]string{
		"sessionsAmong":      fmt.Sprintf(sessionsAmong, in),
		"insertTerm":         insertTerm,
		"deleteTerm":         deleteTerm,
		"sessionsWithTerm":   sessionsWithTerm,
		"tally" + sorted:     tally,
		"coins":              fmt.Sprintf(choices, "coin"),
		"networks":           fmt.Sprintf(choices, "network"),
		"currencies":         fmt.Sprintf(choices, "currency"),
		"insertAction":       insertAction,
		"loginEnded":         loginEnded,
		"actions":            actions,
		"actions of session": actionsOf,
		"openTo":             d.Locked(openDeliveriesTo),
		"bindDelivery":       addDelivery,
		"deleteDelivery":     deleteDelivery,
		"closeDelivery":      closeDelivery,
		"boundEvents":        eventsWithState,
		"hasDelivery":        hasDelivery,
		"beginRun":           beginRun,
		"extendRun":          extendRun,
		"endRun":             endRun,
		"readRun":            readRun,
		"oldestSession":      oldestSession,
	} {
		all[name] = query
	}
}

// sorted is in the name of a query that sorts what it has found, which is not much.
const sorted = " (sorted)"

// picky are the queries with a filter and no text: they may match nothing, however
// many sessions there are. A range over all that was ever made is no way to them.
func picky(name string) bool {
	return strings.HasPrefix(name, "way") && strings.Contains(name, `text ""`) &&
		!strings.Contains(name, `status "" coin "" network "" currency ""`)
}

// looked matches what a plan says of an index that is entered by a value, entered
// of one that is entered at all.
var (
	looked  = regexp.MustCompile(`(\(|AND )\w+=\?|= \$\d|order_ref ?>`)
	entered = regexp.MustCompile(`SEARCH .*|Index Cond: .*`)
)

// wanders returns a step of a plan that goes through a range of everything.
func wanders(plan string) string {
	for _, step := range entered.FindAllString(plan, -1) {
		if !looked.MatchString(step) {
			return step
		}
	}
	return ""
}

// Every query finds its rows by an index and in the order that it wants them.
func TestNothingScans(t *testing.T) {
	db := opened(t, filepath.Join(t.TempDir(), "coinslot.db"), "https://a.example/")
	for n := range 50 { // enough to have something to be wrong about
		tell(t, db, n)
	}
	for _, statistics := range []string{"without", "with"} {
		all := queries(db.dialect)
		for _, query := range endLeases {
			all[query] = query
		}
		for name, query := range all {
			plan := strings.NewReplacer(
				"SCAN due",
				"",
				"SCAN seen",
				"",
				"SCAN CONSTANT ROW",
				"",
				"SCAN s\n",
				"\n",
				"SCAN waiting",
				"",
				"SCAN failed",
				"",
			).Replace(explain(t, db, query)) // what was found
			if strings.Contains(plan, "SCAN") ||
				strings.Contains(plan, "TEMP B-TREE") && !strings.Contains(name, "ref \"1\"") &&
					!strings.Contains(name, sorted) {
				t.Errorf("%s statistics, %s:\n%s%s", statistics, name, query, plan)
			}
			if step := wanders(plan); picky(name) && step != "" {
				t.Errorf("%s statistics, %s goes through everything, by %s:\n%s%s", statistics,
					name, step, query, plan)
			}
		}
		run(t, db.Writer, `ANALYZE`)
	}
}

// explain returns the lines of a query's plan.
func explain(t *testing.T, db *DB, query string) string {
	t.Helper()
	args := make([]any, 0, 9)
	for strings.Contains(query, fmt.Sprintf("$%d", len(args)+1)) {
		args = append(args, nil)
	}
	rows := fortest.Must(db.Writer.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+query,
		args...))(t)
	defer rows.Close()
	plan := ""
	for rows.Next() {
		var id, parent, unused int
		var detail string
		fortest.OK(t, rows.Scan(&id, &parent, &unused, &detail))
		plan += "\n  " + detail
	}
	fortest.OK(t, rows.Err())
	return plan
}

// The same on PostgreSQL, for which a table this small must be made to look too
// dear to be read whole, or sorted.
func TestNothingScansOnPostgres(t *testing.T) {
	db := opened(t, pgtest.DSN(t), "https://a.example/")
	for n := range 50 {
		tell(t, db, n)
	}
	conn := fortest.Must(db.Writer.Conn(t.Context()))(t)
	defer conn.Close()
	for _, setting := range []string{
		`SET enable_seqscan = off`, `SET enable_sort = off`,
		`SET plan_cache_mode = force_generic_plan`, `ANALYZE`,
	} {
		fortest.Must(conn.ExecContext(t.Context(), setting))(t)
	}
	for name, query := range queries(db.dialect) {
		plan := explainPostgres(t, conn, query)
		if strings.Contains(plan, "Seq Scan") ||
			strings.Contains(plan, "Sort") && !strings.Contains(name, "ref \"1\"") &&
				!strings.Contains(name, sorted) && name != "watchSessions" {
			t.Errorf("%s:\n%s%s", name, query, plan)
		}
		joins := strings.Contains(query, "JOIN") // for which it has too little to look at
		if step := wanders(plan); picky(name) && !joins && step != "" {
			t.Errorf("%s goes through everything, by %s:\n%s%s", name, step, query, plan)
		}
	}
}

func explainPostgres(t *testing.T, conn *sql.Conn, query string) (plan string) {
	t.Helper()
	parameters := 0
	for strings.Contains(query, fmt.Sprintf("$%d", parameters+1)) {
		parameters++
	}
	execute := "EXPLAIN EXECUTE p"
	if parameters > 0 {
		execute += "(NULL" + strings.Repeat(", NULL", parameters-1) + ")"
	}
	for _, statement := range []string{"DEALLOCATE ALL", "PREPARE p AS " + query} {
		fortest.Must(conn.ExecContext(t.Context(), statement, pgx.QueryExecModeSimpleProtocol))(t)
	}
	rows := fortest.Must(conn.QueryContext(t.Context(), execute,
		pgx.QueryExecModeSimpleProtocol))(t)
	defer rows.Close()
	for rows.Next() {
		var line string
		fortest.OK(t, rows.Scan(&line))
		plan += "\n  " + line
	}
	fortest.OK(t, rows.Err())
	return plan
}
