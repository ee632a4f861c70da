//go:build linux

package torture

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/fortest"
	"coinslot/bff/sandbox"
	"coinslot/bff/store/pgtest"
	"coinslot/e2e/child"
	"coinslot/e2e/need"
	"coinslot/torture/goal"
)

// recipe is a way of docs/backup.md to back a database up and to restore it.
type recipe struct {
	recipePage
	store   database
	begin   func() // before the load
	backUp  func() // under load
	target  func() // under more load; nil = the latest state is restored
	destroy func() // no process runs
	restore func()
	exact   bool // everything after backUp, or target, is lost
}

// recipePage runs the commands of docs/backup.md, with paths of a test.
type recipePage struct {
	t     testing.TB
	paths []string // old, new
	env   []string
	by    []string // the command that runs them
}

// block returns the commands under a name.
func (p *recipePage) block(name string) string {
	p.t.Helper()
	text := fortest.Must(os.ReadFile("../docs/backup.md"))(p.t)
	found := regexp.MustCompile("(?s)<!-- tested: " + name +
		" -->\n```\\w+\n(.*?)```").FindSubmatch(text)
	if found == nil {
		p.t.Fatalf("docs/backup.md has no block %q", name)
	}
	return strings.NewReplacer(p.paths...).Replace(string(found[1]))
}

func (p *recipePage) command(name string) *exec.Cmd {
	p.t.Helper()
	argv := append(p.by, "sh", "-c", p.block(name))
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), p.env...)
	cmd.Dir = "/"
	child.Tie(cmd)
	return cmd
}

func (p *recipePage) run(name string) {
	p.t.Helper()
	if out, err := p.command(name).CombinedOutput(); err != nil {
		p.t.Fatalf("%s: %v\n%s", name, err, out)
	}
}

// start runs what stays, until stop or t ends it as kill -9 does.
func (p *recipePage) start(name string) (stop func()) {
	p.t.Helper()
	cmd := p.command(name)
	log := fortest.Must(os.Create(filepath.Join(p.t.TempDir(), "log")))(p.t)
	cmd.Stdout, cmd.Stderr = log, log
	fortest.OK(p.t, cmd.Start())
	stop = func() { child.End(cmd) }
	p.t.Cleanup(func() {
		stop()
		if text, _ := os.ReadFile(log.Name()); p.t.Failed() { // only to be shown
			p.t.Logf("%s:\n%s", name, text)
		}
		log.Close()
	})
	return stop
}

func newSQLiteRecipe(t testing.TB) *recipe {
	dir, away := t.TempDir(), t.TempDir()
	r := &recipe{store: sqlite{dir}}
	r.recipePage = recipePage{
		t: t,
		paths: []string{
			"/var/lib/coinslot/shop/coinslot.db", r.store.dsn(), "coinslot.db", "torture.db",
			"/var/lib/coinslot/shop", dir, "/var/lib/coinslot", dir, "/mnt/backup", away,
		},
	}
	r.begin = func() {}
	r.destroy = func() {
		files, _ := filepath.Glob(r.store.dsn() + "*") // the pattern is right
		for _, file := range files {
			fortest.OK(t, os.Truncate(file, 100))
		}
	}
	return r
}

func copied(t testing.TB) *recipe {
	need.Command(t, "sqlite3")
	r := newSQLiteRecipe(t)
	r.exact = true
	r.backUp = func() { r.run("copy") }
	r.restore = func() { r.run("copy restore") }
	return r
}

func litestream(t testing.TB) *recipe {
	r := newSQLiteRecipe(t)
	program := fortest.Must(filepath.Abs(need.File(t, "../.cache/tools/litestream-v0.5.18")))(t)
	config := filepath.Join(t.TempDir(), "litestream.yml")
	r.paths = append([]string{
		"litestream replicate", program + " replicate", "litestream restore", program + " restore",
		"/etc/litestream.yml", config,
	}, r.paths...)
	fortest.OK(t, os.WriteFile(config, []byte(r.block("litestream.yml")), 0o600))
	var stop func()
	r.begin = func() {
		stop = r.start("litestream")
		fortest.Until(t, "a first copy", func() bool {
			files, _ := filepath.Glob(r.paths[len(r.paths)-1] + "/*/*/*") // the pattern is right
			return len(files) > 0
		})
	}
	r.backUp = func() {}
	r.restore = func() {
		stop()
		r.run("litestream restore")
	}
	return r
}

func streamed(t testing.TB) *recipe {
	c := pgtest.New(t)
	address := c.DSN(t)
	dir := fortest.Must(url.Parse(address))(t).Query().Get("host") // of the server
	away := filepath.Join(dir, "away")
	r := &recipe{store: postgres{address}}
	r.recipePage = recipePage{
		t:     t,
		paths: []string{"/mnt/backup", away},
		env: []string{
			"PGHOST=" + dir, "PGUSER=postgres", "PGDATA=" + dir + "/data", "PATH=" + pgPath(),
		},
	}
	if os.Getuid() == 0 {
		r.by = []string{"setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"}
	}
	r.begin = func() {
		fortest.OK(
			t,
			exec.Command("sh", "-c",
				"mkdir -p "+away+"/wal && chown -R --reference="+dir+" "+away).Run(),
		)
		r.start("receive")
		fortest.Until(t, "the log to be received", func() bool {
			files, _ := filepath.Glob(away + "/wal/*") // the pattern is right
			return len(files) > 0
		})
	}
	r.backUp = func() { r.run("base") }
	r.destroy = func() {
		c.Kill(t)
		fortest.OK(t, os.RemoveAll(dir+"/data"))
	}
	r.restore = func() {
		r.run("recover")
		if r.target != nil {
			r.run("recover to a time")
		}
		c.Start(t)
		fortest.Until(t, "the server to take writes", func() bool {
			return texts(t, connected(t, address), "SELECT pg_is_in_recovery()::text")[0] == "false"
		})
	}
	return r
}

// toATime is streamed, back to a time before the end.
func toATime(t testing.TB) *recipe {
	r := streamed(t)
	r.exact = true
	r.target = func() {
		now := texts(t, connected(t, r.store.dsn()), "SELECT now()::text")[0]
		r.paths = append(r.paths, "2026-11-22 14:05:00+00", now)
	}
	return r
}

// pgPath has PostgreSQL's programs in front.
func pgPath() string {
	dirs, _ := filepath.Glob("/usr/lib/postgresql/*/bin") // the pattern is right
	return strings.Join(append(dirs, os.Getenv("PATH")), ":")
}

// TestTortureRestore destroys a database under load and restores it as docs/backup.md says. Every
// payment since the backup must be found again.
func TestTortureRestore(t *testing.T) {
	began := time.Now()
	r := goal.Result{Goal: "restores", Wanted: 40, Seed: goal.Seed(t)}
	recipes := []struct {
		name string
		make func(testing.TB) *recipe
	}{
		{"Litestream", litestream},
		{"point in time", toATime},
		{"copy", copied},
		{"streamed log", streamed},
	}
	worst := map[string]time.Duration{} // by recipe
	var sessions, found int
	for range goal.Rounds(2, r.Wanted) {
		kind := recipes[r.Rounds%len(recipes)]
		t.Run(kind.name, func(t *testing.T) {
			w, lost := restored(t, r.Seed+uint64(r.Rounds), kind.make(t))
			worst[kind.name] = max(worst[kind.name], lost.since)
			t.Logf("%s: %d sessions and %d payments lost, the last %s", kind.name, lost.sessions,
				lost.found, lost.since.Round(10*time.Millisecond))
			sessions, found = sessions+lost.sessions, found+lost.found
			r.Violations += w.reportViolations()
		})
		r.Rounds++
	}
	r.Took = time.Since(began)
	r.Figure = fmt.Sprintf("%d sessions lost, %d payments unknown to the database, all found again; Litestream lost the last %.2f s, a streamed log %.2f s",
		sessions, found, worst["Litestream"].Seconds(), worst["streamed log"].Seconds())
	goal.Report(t, r)
}

// restored is one round.
func restored(t testing.TB, seed uint64, r *recipe) (*world, loss) {
	w := newWorld(t, seed, r.store, 1)
	w.startAndWait(0)
	r.begin()
	stop := w.startShoppers(orders / 2)
	w.awaitSessions(20)
	r.backUp()
	w.awaitSessions(20)
	if r.target != nil {
		r.target()
		w.awaitSessions(20)
	}
	log := &follower{w: w, times: map[string]int{}}
	for before := "none"; before != log.cursor; log.read(t.Context()) {
		before = log.cursor
	}
	w.kill()
	lostAt := time.Now()
	stop()
	w.checkHistories()
	r.destroy()
	r.restore()

	records := w.gateway.records()
	reported := w.reconcile()
	w.startAndWait(0)
	lost, outdated := w.compareRestored(reported, records, lostAt)
	for _, s := range outdated {
		w.payAgain(s)
	}
	status := log.read(t.Context())
	if status != http.StatusGone && (r.exact || status != http.StatusOK) {
		w.violate("", "reading events after a cursor that the backup lacks is answered by %d",
			status)
	}
	if r.exact && (lost.sessions == 0 || lost.found == 0) {
		w.violate("", "nothing was lost: %+v", lost)
	}
	w.seed++
	stop = w.startShoppers(orders / 2)
	w.awaitSessions(20)
	stop()
	w.observed.mu.Lock()
	clear(w.observed.list) // versions were there that are lost, or another by now
	w.observed.mu.Unlock()
	w.finalCheck()
	return w, lost
}

// loss is what a restored database lacks.
type loss struct {
	sessions int
	found    int           // payments that the reconciliation lists
	since    time.Duration // from the first lost acknowledgment to the end
}

// awaitSessions waits until so many more sessions were opened, and as many events have come.
func (w *world) awaitSessions(more int) {
	w.t.Helper()
	count := func() (int, int) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.sink.mu.Lock()
		defer w.sink.mu.Unlock()
		return len(w.sessions), len(w.sink.events)
	}
	sessions, events := count()
	fortest.Within(w.t, patience, "sessions and events", func() bool {
		s, e := count()
		return s >= sessions+more && e >= events+more
	})
}

// reconcile runs the command of docs/backup.md and returns what the database does not know, by
// tracking code. No process runs.
func (w *world) reconcile() map[string]string {
	p := recipePage{
		t:     w.t,
		paths: []string{"coinslot reconcile", fortest.Must(binary())(w.t) + " reconcile -json"},
		env:   w.env,
	}
	out, _ := p.command("reconcile").Output() // fails if there are findings
	var report struct {
		Findings []struct {
			Kind, There  string
			TrackingCode string `json:"tracking_code"`
		}
	}
	if err := json.Unmarshal(out, &report); err != nil {
		w.t.Fatalf("coinslot reconcile: %v\n%s", err, out)
	}
	unknown := map[string]string{}
	for _, f := range report.Findings {
		if f.Kind == "unknown_here" {
			unknown[f.TrackingCode] = f.There
		}
	}
	return unknown
}

// compareRestored has the world forget what a restored database lacks, and checks that the report
// has all of that: awaitConsistency finds a payment that neither has. None of the reported can be
// paid any more unless something was paid before. It returns the sessions that are there, but not
// with all their payments, too.
func (w *world) compareRestored(
	reported map[string]string, before map[string]sandbox.Transaction, lostAt time.Time,
) (l loss, outdated []*session) {
	w.sink.restored.Store(true)
	for _, s := range w.allSessions() {
		o, err := w.read(context.Background(), s.id)
		w.recordTrackingCodes(s, o)
		if err != nil {
			l.sessions++
			l.since = max(l.since, lostAt.Sub(w.acknowledgedAt(s.id)))
		}
		w.mu.Lock()
		unknown := slices.ContainsFunc(s.shown,
			func(d shownPayment) bool { return reported[d.code] != "" })
		if err != nil || unknown {
			delete(w.sessions, s.id)
		}
		if err == nil && unknown {
			outdated = append(outdated, s)
		}
		clear(s.seen)
		s.confirmed = false
		s.operated.Store(false)
		if !unknown {
			s.shown = nil
		}
		w.mu.Unlock()
	}
	after := w.gateway.records()
	for code, there := range reported {
		tx := before[code]
		l.found++
		for _, want := range []string{
			string(tx.Status),
			tx.AmountUSD.String(),
			fmt.Sprint(tx.OrderID),
			tx.Comment[:23],
		} {
			if !strings.Contains(there, want) {
				w.violate("", "the report of %s lacks %s: %s", code, want, there)
			}
		}
		if after[code].Status == sandbox.Pending && len(tx.Transfers) == 0 {
			w.violate("", "I1: %s can still be paid, and no session knows it", code)
		}
		w.mu.Lock()
		w.known[code] = "reported"
		w.mu.Unlock()
	}
	return l, outdated
}

// payAgain has the shopper of an outdated session choose and pay once more. Nothing else can be
// paid then, and its merchant hears of one confirmation, however often.
func (w *world) payAgain(s *session) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	b := &shopper{
		w:    w,
		name: "the shopper of " + s.id,
		rng:  rand.New(rand.NewPCG(w.seed, 3)),
		ip:   fmt.Sprintf("10.%d.%d.1", 100+s.id[3], s.id[4]),
		at:   s,
	}
	defer func() {
		o, err := w.read(context.Background(), s.id)
		fortest.OK(w.t, err)
		w.recordTrackingCodes(s, o)
	}()
	older := s.shown
	s.shown, s.plan = nil, "pay"
	for ctx.Err() == nil {
		v, ok := b.view(ctx, s)
		switch o, err := w.read(ctx, s.id); {
		case err == nil && o.Deleted:
			return
		case ok && v.Status == wire.Confirmed:
			fortest.Until(w.t, "the webhook of "+s.id,
				func() bool { return w.sink.count(s.id, "checkout.confirmed") > 0 })
			if n := w.sink.count(s.id, "checkout.confirmed"); n != 1 {
				w.violate(s.id, "I5: %d events confirm it", n)
			}
			return
		case ok && v.Status == wire.Review:
			return
		case ok && v.Status == wire.Pending:
			code := w.payable(v.Attempt)
			for _, d := range older {
				tx := w.gateway.records()[d.code]
				if d.code != code && tx.Status == sandbox.Pending && len(tx.Transfers) == 0 {
					w.violate(s.id, "I1: %s is shown while %s can still be paid", code, d.code)
				}
			}
			b.pay(code, sandbox.KindPay)
		case ok && (v.Can(wire.Choose) || v.Can(wire.Retry)):
			b.choose(ctx, v)
		case ok && v.Status.Final():
			return
		}
		<-wait(50 * time.Millisecond)
	}
	w.violate(s.id, "it could not be paid again within %v", patience)
}

// acknowledgedAt is when a session's creation was answered.
func (w *world) acknowledgedAt(id string) time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	i := slices.IndexFunc(w.notes, func(n note) bool { return n.session == id })
	return w.notes[i].at
}
