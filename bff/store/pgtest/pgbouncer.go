//go:build unix

package pgtest

import (
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/e2e/child"
	"coinslot/e2e/need"

	"github.com/jackc/pgx/v5"
)

// Pooled starts PgBouncer in front of the server at dsn and returns the address of the same
// database through it. mode is PgBouncer's pool_mode, "session" or "transaction"; settings are more
// lines of its file. It ends with t.
func Pooled(t testing.TB, dsn, mode string, settings ...string) string {
	t.Helper()
	bouncer := need.Server(t, "pgbouncer")
	dir := fortest.Must(makeDir("coinslot-pgb-"))(t)
	t.Cleanup(func() { fortest.OK(t, os.RemoveAll(dir)) })
	server := fortest.Must(url.Parse(dsn))(t)
	text := fmt.Sprintf(`[databases]
* = host=%s user=%s
[pgbouncer]
listen_addr =
unix_socket_dir = %s
listen_port = 6432
auth_type = any
pool_mode = %s
default_pool_size = 20
%s
`, server.Query().Get("host"), user, dir, mode, strings.Join(settings, "\n"))
	file := filepath.Join(dir, "pgbouncer.ini")
	fortest.OK(t, os.WriteFile(file, []byte(text), 0o644))
	fortest.OK(t, own(dir))
	var log strings.Builder
	cmd := exec.Command(bouncer, file)
	cmd.Dir = dir
	cmd.Stdout = &log
	cmd.Stderr = &log
	child.Tie(cmd)
	cmd.SysProcAttr.Credential = fortest.Must(servant())(t)
	fortest.OK(t, cmd.Start())
	t.Cleanup(func() {
		child.End(cmd)
		if t.Failed() {
			t.Logf("PgBouncer's log:\n%s", &log)
		}
	})
	server.RawQuery = url.Values{"host": {dir}, "port": {"6432"}, "sslmode": {"disable"}}.Encode()
	fortest.Until(t, "PgBouncer takes connections", func() bool {
		conn, err := pgx.Connect(t.Context(), server.String())
		return err == nil && conn.Close(t.Context()) == nil
	})
	return server.String()
}

// Demote makes the server a standby: it takes no writes any more.
func (c *Cluster) Demote(t testing.TB) {
	t.Helper()
	c.Stop(t)
	fortest.OK(t, os.WriteFile(filepath.Join(c.dir, "data", "standby.signal"), nil, 0o644))
	c.Start(t)
}

// Replica starts a replica of the server that confirms each commit, and takes no queries. It ends
// with t.
func (c *Cluster) Replica(t testing.TB) {
	t.Helper()
	dir := fortest.Must(makeDir("coinslot-wal-"))(t)
	t.Cleanup(func() { fortest.OK(t, os.RemoveAll(dir)) })
	fortest.OK(t, own(dir))
	server := filepath.Join(fortest.Must(binaries())(t), "postgres")
	bin := filepath.Dir(fortest.Must(filepath.EvalSymlinks(server))(t)) // of a link, the others may be missing
	cmd := exec.Command(filepath.Join(bin, "pg_receivewal"), "-D", dir, "-h", c.dir, "-U", user, "--synchronous")
	child.Tie(cmd)
	cmd.SysProcAttr.Credential = fortest.Must(servant())(t)
	fortest.OK(t, cmd.Start())
	t.Cleanup(func() { child.End(cmd) })
}
