//go:build unix

// Package pgtest gives tests a PostgreSQL server of their own: a cluster in a
// temporary directory that ends with the process of the test, however that ends.
// Nothing is listening but a socket in that directory. Start at [DSN].
package pgtest

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/e2e/need"

	"github.com/jackc/pgx/v5"
)

// user owns the databases; who may reach the socket may be it.
const user = "postgres"

// one is the cluster that all tests of the process share.
var one struct {
	sync.Mutex
	cluster *Cluster
	err     error
}

// why tests that need a server are not run in short mode.
const why = "it runs PostgreSQL"

// Need ends t where PostgreSQL is not installed, and in short mode, as package need does.
func Need(t testing.TB) {
	t.Helper()
	need.Long(t, why)
	need.Tool(t, installed())
}

// Has reports whether t can have a database, for a test that does more without one.
func Has(t testing.TB) bool {
	t.Helper()
	return need.Has(t, why, installed())
}

// installed is nil, or the error that PostgreSQL is missing.
func installed() error {
	_, err := binaries()
	return err
}

// DSN returns the address of a fresh, empty database in the cluster that this
// process's tests share, which is made when the first asks for it. It calls [Need].
func DSN(t testing.TB) string {
	t.Helper()
	cluster := shared(t)
	name := cluster.create(t, empty)
	cluster.dropAfter(t, name)
	return cluster.address(name)
}

// template is the database of the shared cluster that [Migrated] copies.
var template struct {
	sync.Mutex
	name string // "" = not made
}

// Migrated is DSN of a database that has all its tables: a copy of one that create has made and
// closed, once in a process.
func Migrated(t testing.TB, create func(dsn string) error) string {
	t.Helper()
	cluster := shared(t)
	template.Lock()
	defer template.Unlock()
	if template.name == "" {
		name := cluster.create(t, empty)
		fortest.OK(t, create(cluster.address(name)))
		template.name = name
	}
	name := cluster.create(t, template.name)
	cluster.dropAfter(t, name)
	return cluster.address(name)
}

// shared is the cluster of this process.
func shared(t testing.TB) *Cluster {
	t.Helper()
	Need(t)
	one.Lock()
	defer one.Unlock()
	if one.cluster == nil && one.err == nil {
		one.cluster, one.err = start(t.Context(), nil)
	}
	fortest.OK(t, one.err)
	return one.cluster
}

// Cluster is a running server and its files.
type Cluster struct {
	dir      string
	settings []string
	process  *exec.Cmd // the server; nil = stopped
	ended    chan struct{}
	guard    *exec.Cmd
	leash    *os.File // the guard cleans up when it is closed
	last     atomic.Int64
}

// New returns a cluster for t alone, which may break it, with settings like
// "max_connections=12". It is removed when t ends. It calls [Need].
func New(t testing.TB, settings ...string) *Cluster {
	t.Helper()
	Need(t)
	c := fortest.Must(start(t.Context(), settings))(t)
	t.Cleanup(c.remove)
	return c
}

// DSN returns the address of a fresh database.
func (c *Cluster) DSN(t testing.TB) string {
	t.Helper()
	return c.address(c.create(t, empty))
}

// empty is the template of a database without tables.
const empty = "template0 ENCODING 'UTF8'"

// create makes a database of a template and returns its name.
func (c *Cluster) create(t testing.TB, template string) (name string) {
	t.Helper()
	name = fmt.Sprintf("test_%d", c.last.Add(1))
	c.Exec(t, "CREATE DATABASE "+name+" TEMPLATE "+template)
	return name
}

// dropAfter removes a database when t has ended: hundreds of them are gigabytes.
func (c *Cluster) dropAfter(t testing.TB, name string) {
	t.Cleanup(func() {
		err := c.exec(context.Background(), "DROP DATABASE "+name+" WITH (FORCE)")
		if err != nil {
			t.Logf("the database %s stays until all tests have ended: %v", name, err)
		}
	})
}

// Exec executes a statement as the superuser, outside of any test's database.
func (c *Cluster) Exec(t testing.TB, statement string) {
	t.Helper()
	fortest.OK(t, c.exec(t.Context(), statement))
}

func (c *Cluster) exec(ctx context.Context, statement string) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, c.address("postgres"))
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, statement)
	return err
}

func (c *Cluster) address(database string) string {
	q := url.Values{"host": {c.dir}, "sslmode": {"disable"}}
	return "postgres://" + user + "@/" + database + "?" + q.Encode()
}

// start makes a cluster and waits until it answers.
func start(ctx context.Context, settings []string) (*Cluster, error) {
	bin, err := binaries()
	if err != nil {
		return nil, err
	}
	c := &Cluster{settings: settings}
	if c.dir, err = makeDir("coinslot-pg-"); err != nil {
		return nil, err
	}
	if err := c.guarded(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(c.dir))
	}
	if err := c.initialize(ctx, bin); err != nil {
		c.remove()
		return nil, err
	}
	if err := c.run(ctx); err != nil {
		c.remove()
		return nil, err
	}
	return c, nil
}

// makeDir makes a directory that another user can be given, unlike t.TempDir's.
func makeDir(prefix string) (string, error) { return os.MkdirTemp(short(), prefix) }

// short is a directory whose name leaves room for that of a socket.
func short() string {
	if dir := os.TempDir(); len(dir) < 50 {
		return dir
	}
	return "/tmp"
}

// binaries returns the directory of PostgreSQL's programs.
func binaries() (string, error) {
	dirs, _ := filepath.Glob("/usr/lib/postgresql/*/bin") // the pattern is right
	if path, err := exec.LookPath("initdb"); err == nil {
		dirs = append([]string{filepath.Dir(path)}, dirs...)
	}
	for _, dir := range dirs {
		if _, err := os.Stat(filepath.Join(dir, "postgres")); err == nil {
			return dir, nil
		}
	}
	return "", need.Missing("PostgreSQL", "install")
}

// guarded starts a shell that ends the server and removes its files when this
// process is gone, or has let it off the leash.
func (c *Cluster) guarded() error {
	const script = `read -r _
pid=$(head -n 1 "$0/data/postmaster.pid" 2>/dev/null)
if [ -n "$pid" ]; then
	kill -QUIT "$pid"; kill -CONT "$pid"
	n=0
	while [ -e "$0/data/postmaster.pid" ] && kill -0 "$pid" 2>/dev/null && [ $n -lt 50 ]; do
	n=$((n+1)); sleep 0.1; done
	kill -KILL "$pid"
fi 2>/dev/null
rm -rf "$0"`
	c.guard = exec.Command("/bin/sh", "-c", script, c.dir)
	c.guard.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // outlives an interrupt
	in, out, err := os.Pipe()
	if err != nil {
		return err
	}
	defer in.Close()
	c.guard.Stdin, c.leash = in, out
	if err := c.guard.Start(); err != nil {
		return fmt.Errorf("starting the guard: %w", errors.Join(err, out.Close()))
	}
	return nil
}

// remove ends everything and waits for it.
func (c *Cluster) remove() {
	_ = c.leash.Close() // tells the guard
	_ = c.guard.Wait()  // its last command may fail
	if c.process != nil {
		<-c.ended
	}
}

func (c *Cluster) initialize(ctx context.Context, bin string) error {
	if err := own(c.dir); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, filepath.Join(bin, "initdb"), "-D",
		filepath.Join(c.dir, "data"), "-U", user,
		"-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync", "--no-instructions")
	cmd.Dir = c.dir
	if err := unprivileged(cmd); err != nil {
		return err
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w: %s", err, out)
	}
	return nil
}

// run starts the server and waits until it takes connections.
func (c *Cluster) run(ctx context.Context) error {
	bin, err := binaries()
	if err != nil {
		return err
	}
	args := []string{"-D", filepath.Join(c.dir, "data"), "-k", c.dir, "-c", "listen_addresses=",
		"-c", "fsync=on",
		"-c", "dynamic_shared_memory_type=mmap", // files of the folder, so that a kill leaves none
		"-c", "max_connections=60", "-c", "shared_buffers=16MB", "-c", "max_wal_size=64MB",
		"-c", "logging_collector=off"}
	for _, setting := range c.settings {
		args = append(args, "-c", setting)
	}
	for deadline := time.Now().Add(30 * time.Second); ; {
		if err = c.launch(filepath.Join(bin, "postgres"), args); err == nil {
			err = c.answers(ctx, deadline)
		}
		// Until the last child of a killed server is gone, no other one starts.
		if err == nil || time.Now().After(deadline) || ctx.Err() != nil {
			return err
		}
		<-c.ended
		<-time.After(20 * time.Millisecond)
	}
}

func (c *Cluster) launch(postgres string, args []string) error {
	log, err := os.OpenFile(filepath.Join(c.dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := exec.Command(postgres, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = c.dir, log, log
	if err := unprivileged(cmd); err != nil {
		return err
	}
	cmd.SysProcAttr.Setpgid = true
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan struct{})
	c.process, c.ended = cmd, ended
	go func() { _ = cmd.Wait(); close(ended) }() // how it ends is in the log
	return nil
}

// answers waits until the server takes a connection. Errors: it has ended; the log.
func (c *Cluster) answers(ctx context.Context, deadline time.Time) error {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-c.ended:
			log, _ := os.ReadFile(filepath.Join(c.dir, "log")) // is only to be shown
			return fmt.Errorf("PostgreSQL has ended: %s", log)
		case <-tick.C:
		}
		err := func() error {
			ctx, cancel := context.WithDeadline(ctx, deadline)
			defer cancel()
			conn, err := pgx.Connect(ctx, c.address("postgres"))
			if err != nil {
				return err
			}
			return conn.Close(ctx)
		}()
		if err == nil || time.Now().After(deadline) {
			return err
		}
	}
}

// Start starts a server that was stopped or killed, and waits until it answers.
func (c *Cluster) Start(t testing.TB) {
	t.Helper()
	fortest.OK(t, c.run(t.Context()))
}

// Stop ends the server as an operator would in a hurry: connections are cut.
func (c *Cluster) Stop(t testing.TB) { c.end(t, syscall.SIGINT) }

// Kill ends the server as kill -9 does. Its children see that, and end.
func (c *Cluster) Kill(t testing.TB) { c.end(t, syscall.SIGKILL) }

func (c *Cluster) end(t testing.TB, signal syscall.Signal) {
	t.Helper()
	fortest.OK(t, c.process.Process.Signal(signal))
	<-c.ended
}

// Pause stops the server and all of its children where they are, until the
// returned function is called or t ends.
func (c *Cluster) Pause(t testing.TB) (resume func()) {
	t.Helper()
	var stopped []int
	signal := func(pid int, s syscall.Signal) { _ = syscall.Kill(pid, s) } // may have ended
	// has no more children from now on
	signal(c.process.Process.Pid, syscall.SIGSTOP)
	stopped = append(children(c.process.Process.Pid), c.process.Process.Pid)
	for _, pid := range stopped {
		signal(pid, syscall.SIGSTOP)
	}
	resume = sync.OnceFunc(func() {
		for _, pid := range stopped {
			signal(pid, syscall.SIGCONT)
		}
	})
	t.Cleanup(resume)
	return resume
}

// children returns the processes whose parent is pid.
func children(pid int) []int {
	var list []int
	stats, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is right
	for _, name := range stats {
		text, err := os.ReadFile(name)
		if err != nil {
			continue // has ended
		}
		fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
		if len(fields) > 1 && fields[1] == strconv.Itoa(pid) {
			child, _ := strconv.Atoi(filepath.Base(filepath.Dir(name))) // the kernel's own number
			list = append(list, child)
		}
	}
	return list
}
