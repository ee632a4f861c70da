//go:build linux

package torture

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/e2e/child"
	"coinslot/e2e/need"

	"github.com/jackc/pgx/v5"
)

// cluster is three PostgreSQL servers that Patroni replicates: a commit waits for one standby.
type cluster struct {
	t        testing.TB
	dir      string
	nodes    []*node
	asks     *http.Client
	replaced int // nodes, by an operator
}

// node is a machine of the cluster: a PID namespace that Patroni and its server run in, a small
// disk, and a connection to etcd that can be cut.
type node struct {
	c        *cluster
	name     string
	disk     string // a tmpfs
	host     string // of the server, without the port
	port     int    // of the server; Patroni's is the next one
	settings string // Patroni's file
	process  *exec.Cmd
	cut      atomic.Bool
	etcd     net.Listener // leads to etcd
}

const (
	diskSize = 256 << 20
	// electionTime is Patroni's ttl: that long a leader may be silent.
	electionTime = 6
)

// patroniSettings are those of docs/scale.md, with times for a fast network.
//
//go:embed testdata/patroni.yml
var patroniSettings string

// newCluster starts etcd and the nodes and waits until they are healthy. They end with t.
func newCluster(t testing.TB) *cluster {
	t.Helper()
	for _, program := range []string{"etcd", "patroni"} {
		need.Server(t, program)
	}
	if os.Getuid() != 0 {
		need.Tool(t, errors.New("it gives each server a disk of its own, which only root may do"))
	}
	servers, _ := filepath.Glob("/usr/lib/postgresql/*/bin") // the pattern is right
	if len(servers) == 0 {
		need.Tool(t, need.Missing("PostgreSQL", "install"))
	}
	c := &cluster{t: t, asks: &http.Client{Timeout: time.Second}}
	//nolint:usetesting // the user postgres can't enter t.TempDir
	c.dir = fortest.Must(os.MkdirTemp("/tmp", "coinslot-ha-"))(t)
	fortest.OK(t, os.Chmod(c.dir, 0o755))
	c.removeAtEnd()
	etcd := c.startEtcd()
	for i := range 3 {
		c.nodes = append(c.nodes, c.newNode(fmt.Sprint("n", i+1), etcd, servers[len(servers)-1]))
	}
	for _, n := range c.nodes {
		n.start()
	}
	c.awaitHealthy()
	return c
}

// removeAtEnd removes the folder and its disks when t ends, or is killed.
func (c *cluster) removeAtEnd() {
	cmd := exec.Command("sh", "-c", `cat; umount -l "$0"/n?; rm -rf "$0"`, c.dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	end := fortest.Must(cmd.StdinPipe())(c.t)
	fortest.OK(c.t, cmd.Start())
	c.t.Cleanup(func() { fortest.OK(c.t, errors.Join(end.Close(), cmd.Wait())) })
}

// startEtcd returns where etcd takes requests. Patroni ends if the version is not decided yet.
func (c *cluster) startEtcd() string {
	clients, peers := freeHost(c.t), freeHost(c.t)
	cmd := exec.Command("etcd", "--name=e", "--data-dir="+c.dir+"/etcd",
		"--listen-client-urls=http://"+clients, "--advertise-client-urls=http://"+clients,
		"--listen-peer-urls=http://"+peers, "--initial-advertise-peer-urls=http://"+peers,
		"--initial-cluster=e=http://"+peers, "--log-level=error", "--unsafe-no-fsync",
		"--enable-v2")
	child.Tie(cmd)
	fortest.OK(c.t, cmd.Start())
	c.t.Cleanup(func() { child.End(cmd) })
	fortest.Until(c.t, "etcd to decide on its version", func() bool {
		res, err := c.asks.Get("http://" + clients + "/version")
		if err != nil {
			return false
		}
		defer res.Body.Close()
		answer, err := io.ReadAll(res.Body)
		return err == nil && !bytes.Contains(answer, []byte("not_decided"))
	})
	return clients
}

func (c *cluster) newNode(name, etcd, programs string) *node {
	host, port, _ := strings.Cut(freeHost(c.t), ":")
	n := &node{c: c, name: name, host: host, disk: filepath.Join(c.dir, name)}
	n.port = fortest.Must(strconv.Atoi(port))(c.t)
	n.etcd = fortest.Must(net.Listen("tcp", host+":0"))(c.t)
	c.t.Cleanup(func() { n.etcd.Close() })
	go n.forward(etcd)
	fortest.OK(c.t, os.Mkdir(n.disk, 0o700))
	fortest.OK(c.t,
		syscall.Mount("tmpfs", n.disk, "tmpfs", 0, fmt.Sprint("mode=0777,size=", diskSize)))
	c.t.Cleanup(n.kill)
	n.settings = filepath.Join(c.dir, name+".yml")
	text := fmt.Sprintf(patroniSettings, name, host, n.port, n.port+1, n.etcd.Addr(), n.disk,
		electionTime, programs)
	fortest.OK(c.t, os.WriteFile(n.settings, []byte(text), 0o644))
	return n
}

// start starts the machine.
func (n *node) start() {
	log, err := os.OpenFile(n.settings+".log", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	fortest.OK(n.c.t, err)
	defer log.Close()
	n.process = exec.Command("unshare", "--pid", "--fork", "--kill-child", "--mount-proc",
		"setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--pdeathsig=KILL", "patroni", n.settings)
	n.process.Stdout, n.process.Stderr = log, log
	child.Tie(n.process)
	fortest.OK(n.c.t, n.process.Start())
}

// kill ends the machine as a power cut would, but for what the kernel has not written.
func (n *node) kill() {
	n.signal(syscall.SIGKILL, "")
	child.End(n.process)
}

// signal sends s to what runs on the machine and has text in its command line, parents first: a
// stopped server has no more children.
func (n *node) signal(s syscall.Signal, text string) {
	for range 2 {
		for _, pid := range n.processes(text) {
			_ = syscall.Kill(pid, s) // may have ended
		}
	}
}

// processes returns what runs on the machine and has text in its command line.
func (n *node) processes(text string) (pids []int) {
	machines, _ := filepath.Glob("/proc/[0-9]*/ns/pid_for_children") // the pattern is right
	mine, err := os.Readlink(fmt.Sprintf("/proc/%d/ns/pid_for_children", n.process.Process.Pid))
	if err != nil {
		return nil
	}
	for _, path := range machines {
		pid := fortest.Must(strconv.Atoi(strings.Split(path, "/")[2]))(n.c.t)
		if theirs, _ := os.Readlink(path); theirs != mine || pid == n.process.Process.Pid {
			continue
		}
		line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if bytes.Contains(line, []byte(text)) {
			pids = append(pids, pid)
		}
	}
	slices.Sort(pids)
	return pids
}

// forward connects Patroni to etcd unless the connection is cut.
func (n *node) forward(etcd string) {
	for {
		from, err := n.etcd.Accept()
		if err != nil {
			return
		}
		to, err := net.Dial("tcp", etcd)
		if err != nil {
			from.Close()
			continue
		}
		copied := func(a, b net.Conn) {
			defer a.Close()
			defer b.Close()
			_, _ = io.Copy(writerFunc(func(p []byte) (int, error) {
				for n.cut.Load() { // as packets that are lost
					<-wait(50 * time.Millisecond)
				}
				return a.Write(p)
			}), b)
		}
		go copied(from, to)
		go copied(to, from)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// fillDisk leaves no room on the machine's disk until the file is removed, and has the server use
// up the files that it keeps for later.
func (n *node) fillDisk() (file string) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	address := fmt.Sprintf("postgres://postgres@%s:%d/postgres?sslmode=disable", n.host, n.port)
	server := fortest.Must(pgx.Connect(ctx, address))(n.c.t)
	defer server.Close(ctx)
	file = filepath.Join(n.disk, "full")
	f := fortest.Must(os.Create(file))(n.c.t)
	defer f.Close()
	block := make([]byte, 64<<10)
	for _, err := f.Write(block); err == nil; {
		_, err = f.Write(block)
	}
	const use = "SET synchronous_commit = off; SELECT pg_logical_emit_message(false, '', 'x'), pg_switch_wal()"
	for _, err := server.Exec(ctx, use); err == nil; {
		_, err = server.Exec(ctx, use) // until it panics: no space left
	}
	fortest.OK(n.c.t, ctx.Err())
	return file
}

// answers reports whether n's Patroni answers with success.
func (n *node) answers(path string) bool {
	res, err := n.c.asks.Get(fmt.Sprintf("http://%s:%d%s", n.host, n.port+1, path))
	if err != nil {
		return false
	}
	res.Body.Close()
	return res.StatusCode == http.StatusOK
}

// primary returns the node that leads, nil = none.
func (c *cluster) primary(except ...*node) *node {
	for _, n := range c.nodes {
		if !slices.Contains(except, n) && n.answers("/primary") {
			return n
		}
	}
	return nil
}

// standbys returns the other nodes.
func (c *cluster) standbys(primary *node) []*node {
	return slices.DeleteFunc(slices.Clone(c.nodes), func(n *node) bool { return n == primary })
}

// promote makes the synchronous standby the primary by hand.
func (c *cluster) promote(from *node) {
	client := http.Client{Timeout: time.Minute}
	c.await("a standby is promoted", func() string { // Patroni refuses while it does not know of a good one
		body := fmt.Sprintf(`{"leader":%q,"candidate":%q}`, from.name, c.synchronous().name)
		res, err := client.Post(fmt.Sprintf("http://%s:%d/switchover", from.host, from.port+1),
			"application/json", strings.NewReader(body))
		fortest.OK(c.t, err)
		defer res.Body.Close()
		if answer, _ := io.ReadAll(res.Body); res.StatusCode != http.StatusOK {
			return fmt.Sprintf("%s %s", res.Status, answer)
		}
		return ""
	})
}

// await waits until met returns "" instead of what is amiss. Nodes may have to be replaced meanwhile.
func (c *cluster) await(what string, met func() (amiss string)) {
	c.t.Helper()
	for deadline := time.Now().Add(5 * time.Minute); ; <-wait(100 * time.Millisecond) {
		amiss := met()
		if amiss == "" {
			return
		}
		if time.Now().After(deadline) {
			c.showLogs()
			c.t.Fatalf("waiting until %s: %s", what, amiss)
		}
	}
}

func (c *cluster) showLogs() {
	for _, n := range c.nodes {
		log, _ := os.ReadFile(n.settings + ".log") // only to be shown
		c.t.Logf("%s:\n%s", n.name, log[max(0, len(log)-20_000):])
	}
}

// awaitHealthy waits until all nodes run and one standby is synchronous.
func (c *cluster) awaitHealthy() {
	c.t.Helper()
	began := time.Now()
	c.await("the cluster is healthy", func() string {
		why, lost := c.unhealthy()
		if why != "" && time.Since(began) > rejoinTime {
			began = time.Now()
			for _, n := range lost {
				n.replace()
			}
		}
		return why
	})
}

// rejoinTime is how long a node may take to follow the primary again. Then an operator replaces it:
// pg_rewind before PostgreSQL 16 spoils a node if the primary has not finished its first checkpoint
// or is replaced meanwhile, and Patroni 3.0 may hang.
const rejoinTime = 45 * time.Second

// replace puts an empty machine in place of n, which copies the primary.
func (n *node) replace() {
	n.kill()
	fortest.OK(n.c.t, os.RemoveAll(filepath.Join(n.disk, "data")))
	n.start()
	n.c.replaced++
	n.c.t.Logf("%s is replaced", n.name)
}

// awaitPrimary returns a node that leads, other than except.
func (c *cluster) awaitPrimary(except ...*node) (primary *node) {
	c.t.Helper()
	c.await("a node leads", func() string {
		if primary = c.primary(except...); primary == nil {
			return "none does"
		}
		return ""
	})
	return primary
}

// unhealthy says why the cluster is not healthy, "" = it is, and which nodes do not follow.
func (c *cluster) unhealthy() (why string, lost []*node) {
	primary := c.primary()
	if primary == nil {
		return "it has no primary", nil
	}
	res, err := c.asks.Get(fmt.Sprintf("http://%s:%d/cluster", primary.host, primary.port+1))
	if err != nil {
		return err.Error(), nil
	}
	defer res.Body.Close()
	type member struct {
		Name, Role, State string
		Timeline          int // a node that has still to rewind is on an old one
	}
	var is struct{ Members []member }
	if err := json.NewDecoder(res.Body).Decode(&is); err != nil {
		return err.Error(), nil
	}
	members, roles := map[string]member{}, map[string]int{}
	for _, m := range is.Members {
		members[m.Name] = m
	}
	for _, n := range c.nodes {
		m := members[n.name]
		if (m.State == "running" || m.State == "streaming") &&
			m.Timeline == members[primary.name].Timeline {
			roles[m.Role]++
		} else {
			lost = append(lost, n)
		}
	}
	if len(lost) > 0 || roles["leader"] != 1 || roles["sync_standby"] == 0 || len(is.Members) != 3 {
		return fmt.Sprint(is.Members), lost
	}
	return "", nil
}

// proxy is the recipe for HAProxy in docs/scale.md.
var proxy = regexp.MustCompile(`(?s)\n(listen coinslot\n.*?)` + "```")

// startProxy starts HAProxy in front of the nodes, which ends with t, and returns its address.
func (c *cluster) startProxy() string {
	program := need.Command(c.t, "haproxy")
	page := fortest.Must(os.ReadFile("../docs/scale.md"))(c.t)
	host := freeHost(c.t)
	places := []string{"127.0.0.1:5432", host}
	for i, n := range c.nodes {
		places = append(places, fmt.Sprintf("db%d:5432 check port 8008", i+1),
			fmt.Sprintf("%s:%d check port %d", n.host, n.port, n.port+1))
	}
	file := filepath.Join(c.dir, "haproxy.cfg")
	text := strings.NewReplacer(places...).Replace(string(proxy.FindSubmatch(page)[1]))
	fortest.OK(c.t, os.WriteFile(file, []byte(text), 0o644))
	cmd := exec.Command(program, "-db", "-q", "-f", file)
	cmd.Stderr = os.Stderr
	child.Tie(cmd)
	fortest.OK(c.t, cmd.Start())
	c.t.Cleanup(func() { child.End(cmd) })
	return host
}

// awaitDatabase waits until every way of dsn leads to the primary. HAProxy may take a replaced one
// for that a little longer, and takes those in turns.
func (c *cluster) awaitDatabase(dsn string) {
	writable := func() bool {
		conn, err := pgx.Connect(c.t.Context(), dsn)
		if err != nil {
			return false
		}
		defer conn.Close(c.t.Context())
		var standby bool
		err = conn.QueryRow(c.t.Context(), "SELECT pg_is_in_recovery()").Scan(&standby)
		return err == nil && !standby
	}
	c.await("the database is there", func() string {
		for range 2 * len(c.nodes) {
			if !writable() {
				return "it is not, or not always"
			}
		}
		return ""
	})
}

// createDatabase makes a database and waits until each node has it: the driver looks for the leader
// no further once a node does not know the database.
func (c *cluster) createDatabase(name string) {
	c.t.Helper()
	execute(c.t, c.dsn("postgres"), "CREATE DATABASE "+name)
	for _, n := range c.nodes {
		address := fmt.Sprintf("postgres://postgres@%s:%d/%s?sslmode=disable", n.host, n.port, name)
		fortest.Until(c.t, n.name+" to have the database", func() bool {
			server, err := pgx.Connect(c.t.Context(), address)
			if err == nil {
				server.Close(c.t.Context())
			}
			return err == nil
		})
	}
}

// dsn is the address of a database, on whichever node leads.
func (c *cluster) dsn(database string) string {
	var hosts, ports []string
	for _, n := range c.nodes {
		hosts, ports = append(hosts, n.host), append(ports, strconv.Itoa(n.port))
	}
	return fmt.Sprintf("postgres://postgres@/%s?host=%s&port=%s&target_session_attrs=read-write&connect_timeout=2&sslmode=disable",
		database, strings.Join(hosts, ","), strings.Join(ports, ","))
}
