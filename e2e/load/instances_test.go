package load

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/bff/sandbox"
	"coinslot/bff/store/pgtest"
	"coinslot/e2e/child"

	"github.com/jackc/pgx/v5"
)

// paid is how many payments BenchmarkInstances makes.
const paid = 2_000

// BenchmarkInstances measures what a payment costs: how many sessions are accepted in a second by 1, 2
// and 4 instances on one PostgreSQL, and what they and the database use until each is confirmed, with
// pages closed. Instances, database, clients and gateway share the cores.
func BenchmarkInstances(b *testing.B) {
	for _, n := range []int{1, 2, 4} {
		b.Run(strconv.Itoa(n), func(b *testing.B) { benchmarkInstances(b, n) })
	}
}

func benchmarkInstances(b *testing.B, n int) {
	db := &database{tb: b, dsn: pgtest.New(b, "shared_buffers=256MB").DSN(b)}
	all := []*world{
		newWorld(b, "COINSLOT_GATEWAY_RPS=10000", "COINSLOT_TRUSTED_PROXIES=127.0.0.1/32",
			"COINSLOT_DATABASE="+db.dsn),
	}
	for range n - 1 {
		all = append(all, all[0].another())
	}
	calls := countCalls(all[0])
	for i := 0; b.Loop(); i++ {
		ids := make([]string, paid)
		began, before := time.Now(), db.usage(all)
		accept := all[0].round(paid, func(c *http.Client, k int) (err error) {
			ids[k], err = all[k%n].accepted(c, fmt.Sprintf("%d-%d", i, k))
			return err
		})
		accepted, acceptedIn := db.usage(all), time.Since(began)
		start := all[0].round(paid, func(c *http.Client, k int) error {
			_ = all[k%n].startPayment(c, ids[k], k) // on a busy machine, the address comes later
			return nil
		})
		fortest.Within(b, 5*time.Minute, "all to be confirmed", func() bool {
			for _, tx := range all[0].gateway.Transactions() {
				if tx.Status == sandbox.Pending {
					_ = all[0].gateway.Pay(tx.TrackingCode, sandbox.KindPay) // or has just ended
				}
			}
			return db.number("SELECT count(*) FROM sessions WHERE status = 'confirmed'") == paid*(i+
				1)
		})
		after := db.usage(all)
		b.ReportMetric(accept.rate(), "sessions/s")
		b.ReportMetric(accept.percentile(50), "p50-ms")
		b.ReportMetric(accept.percentile(99), "p99-ms")
		b.ReportMetric(start.rate(), "started/s")
		b.ReportMetric(start.percentile(99), "started-p99-ms")
		cores := func(cpu time.Duration) float64 { return cpu.Seconds() / acceptedIn.Seconds() }
		b.ReportMetric(cores(accepted.server-before.server), "server-cores")
		b.ReportMetric(cores(accepted.postgres-before.postgres), "postgres-cores")
		each := func(total int) float64 { return float64(total) / paid }
		b.ReportMetric(each(int((after.server - before.server).Microseconds())),
			"server-us/payment")
		b.ReportMetric(each(int((after.postgres - before.postgres).Microseconds())),
			"postgres-us/payment")
		b.ReportMetric(each(after.commits-before.commits), "commits/payment")
		b.ReportMetric(each(after.wal-before.wal), "wal-B/payment")
		b.ReportMetric(each(after.size-before.size), "disk-B/payment")
		b.ReportMetric(each(int(calls.Swap(0))), "gateway-calls/payment")
	}
	b.ReportMetric(0, "ns/op")
}

// another starts one more instance on the same database and gateway.
func (w *world) another() *world {
	o := *w
	port := fortest.FreePort(w.tb)
	o.base = "http://127.0.0.1:" + port
	o.env = append(w.env[:len(w.env):len(w.env)], "COINSLOT_LISTEN=127.0.0.1:"+port)
	o.start()
	o.tb.Cleanup(func() { child.End(o.process) })
	return &o
}

// countCalls counts the calls of the gateway from now on.
func countCalls(w *world) *atomic.Int64 {
	var calls atomic.Int64
	inner := w.api.Config.Handler
	w.api.Config.Handler = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		inner.ServeHTTP(rw, r)
	})
	return &calls
}

// database is a PostgreSQL server that is measured.
type database struct {
	tb  testing.TB
	dsn string
}

// usage is what was used until now: processor time, and of the database commits, bytes of write-ahead
// log and of files.
type usage struct {
	server, postgres   time.Duration
	commits, wal, size int
}

func (d *database) usage(instances []*world) (u usage) {
	d.tb.Helper()
	u.commits = d.number("SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()")
	u.wal = d.number("SELECT (pg_current_wal_lsn() - '0/0')::bigint")
	u.size = d.number("SELECT pg_database_size(current_database())")
	for _, w := range instances {
		u.server += w.cpuTime()
	}
	address := fortest.Must(url.Parse(d.dsn))(d.tb)
	file := fortest.Must(os.ReadFile(filepath.Join(address.Query().Get("host"), "data",
		"postmaster.pid")))(d.tb)
	first, _, _ := strings.Cut(string(file), "\n")
	u.postgres = treeTime(first)
	return u
}

// treeTime is the processor time of a process and of its children, those that have ended included.
//
// Source: proc_pid_stat(5), fields 4 and 14 to 17.
func treeTime(pid string) (sum time.Duration) {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is right
	for _, name := range stats {
		text, _ := os.ReadFile(name) // may have ended
		_, after, _ := strings.Cut(string(text), ") ")
		fields := strings.Fields(after)
		if len(fields) < 15 || fields[1] != pid && filepath.Base(filepath.Dir(name)) != pid {
			continue
		}
		last := 13
		if fields[1] != pid {
			last = 15
		}
		for _, field := range fields[11:last] {
			ticks, _ := strconv.Atoi(field) // the kernel's own number
			sum += time.Duration(ticks) * 10 * time.Millisecond
		}
	}
	return sum
}

func (d *database) number(query string) (n int) {
	d.tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	conn := fortest.Must(pgx.Connect(ctx, d.dsn))(d.tb)
	defer conn.Close(ctx)
	fortest.OK(d.tb, conn.QueryRow(ctx, query).Scan(&n))
	return n
}
