package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"coinslot/e2e/browser"
	"coinslot/e2e/child"
)

// Whoever follows docs/quickstart.md gets what it says: its commands are run as
// they are but for port numbers, which somebody else may be using, in their order,
// in a clean clone of what is committed.
func TestQuickstart(t *testing.T) {
	t.Parallel()
	r := newReader(t)
	for _, b := range commandBlocks(t, "../docs/quickstart.md") {
		b = r.elsewhere(b)
		if b.fresh {
			r.env = slices.Clone(r.first)
		}
		switch {
		case b.prints != "":
			r.stay(b)
		case b.exports:
			r.paste()
			r.opensSession(r.run(b.text))
		default:
			r.run(b.text)
		}
		switch {
		case strings.Contains(b.text, "make run"):
			r.interrupt()
		case strings.Contains(b.text, "-own-shop"):
			r.buys("http://127.0.0.1:" + r.ports["3000"] + "/")
		case strings.Contains(b.text, "order_ref=1001"):
			r.interrupt() // the demo; its ports are free again
		case strings.Contains(b.text, "coinslot serve"):
			r.serves("http://localhost:" + r.ports["8084"] + "/checkout.js")
		}
	}
}

// commandBlock is what a reader pastes into a shell.
type commandBlock struct {
	text    string
	prints  string // it stays in the foreground, and prints this (a regular expression); empty = it ends
	exports bool   // the demo's exports come before it
	fresh   bool   // in a new terminal
}

// commandBlocks are the blocks of a page in its order, each with the comment
// before it.
func commandBlocks(t *testing.T, page string) (list []commandBlock) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	pattern := regexp.MustCompile("(?s)(?:<!-- ([^\n]*) -->\n)?```sh\n(.*?)\n```")
	for _, m := range pattern.FindAllStringSubmatch(string(text), -1) {
		prints, stays := strings.CutPrefix(m[1], "stays, and prints: ")
		if !stays {
			prints = ""
		}
		list = append(list, commandBlock{m[2], prints, m[1] == "the demo's exports", m[1] == "a new terminal"})
	}
	if len(list) == 0 {
		t.Fatalf("%s has no commands", page)
	}
	return list
}

// reader is somebody at a terminal: a folder, an environment, and what runs.
type reader struct {
	t       *testing.T
	dir     string
	env     []string
	first   []string // env of a new terminal
	running []*exec.Cmd
	said    *syncBuffer       // of what was started last
	ports   map[string]string // of the page, and those that are free
}

var portsOfPage = regexp.MustCompile(`\b(3000|808[0-9])\b`)

// elsewhere is the block with ports that are free.
func (r *reader) elsewhere(b commandBlock) commandBlock {
	free := func(port string) string {
		if r.ports[port] == "" {
			r.ports[port] = freePort(r.t)
		}
		return r.ports[port]
	}
	if strings.Contains(b.text, "-own-shop") {
		b.text += " -listen 127.0.0.1:8080 -shop-listen 127.0.0.1:8081 -gateway-listen 127.0.0.1:8082"
	}
	b.text = portsOfPage.ReplaceAllStringFunc(b.text, free)
	if !strings.Contains(b.text, "make run") {
		b.prints = portsOfPage.ReplaceAllStringFunc(b.prints, free)
	}
	return b
}

// newReader is in an empty folder. The address of the repository leads to a clone
// of this one; Go's caches are the machine's.
func newReader(t *testing.T) *reader {
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	r := &reader{t: t, dir: t.TempDir(), ports: map[string]string{}}
	for _, entry := range os.Environ() {
		if !strings.HasPrefix(entry, "COINSLOT_") {
			r.env = append(r.env, entry)
		}
	}
	r.env = append(r.env, "GIT_CONFIG_COUNT=2", "GIT_CONFIG_KEY_0=url."+root+".insteadOf", "GIT_CONFIG_VALUE_0=https://git.example/coinslot",
		"GIT_CONFIG_KEY_1=safe.directory", "GIT_CONFIG_VALUE_1=*", "MAKEFLAGS=", "MAKELEVEL=")
	r.first = slices.Clone(r.env)
	t.Cleanup(func() {
		for _, cmd := range r.running {
			child.End(cmd)
		}
	})
	return r
}

// run pastes a block that ends, and returns what it prints. What it exports and
// where it goes stays for the blocks after it.
func (r *reader) run(block string) string {
	r.t.Helper()
	keep := filepath.Join(r.t.TempDir(), "kept")
	cmd := exec.CommandContext(r.t.Context(), "bash", "-ec", block+"\n{ pwd; env -0; } > "+keep)
	cmd.Dir, cmd.Env = r.dir, r.env
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		r.t.Fatalf("%s\n%v\n%s%s", block, err, out, errs.String())
	}
	r.keep(keep)
	return string(out)
}

func (r *reader) keep(file string) {
	r.t.Helper()
	kept, err := os.ReadFile(file)
	if err != nil {
		r.t.Fatal(err)
	}
	dir, env, _ := strings.Cut(string(kept), "\n")
	r.dir, r.env = dir, strings.Split(strings.TrimRight(env, "\x00"), "\x00")
}

// stay pastes a block that runs until it is interrupted, and waits for what it prints.
func (r *reader) stay(b commandBlock) {
	r.t.Helper()
	r.said = &syncBuffer{}
	cmd := exec.Command("bash", "-ec", b.text)
	cmd.Dir, cmd.Env = r.dir, append(slices.Clip(r.env), "PYTHONUNBUFFERED=1")
	cmd.Stdout, cmd.Stderr = r.said, r.said
	child.Tie(cmd)
	if err := cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	r.running = append(r.running, cmd)
	r.hears(cmd, regexp.MustCompile(b.prints))
}

// hears waits until the command prints what it should: building takes its time.
func (r *reader) hears(cmd *exec.Cmd, prints *regexp.Regexp) {
	r.t.Helper()
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for end := time.Now().Add(10 * time.Minute); time.Now().Before(end); <-look.C {
		if prints.MatchString(r.said.String()) {
			return
		}
		if syscall.Kill(cmd.Process.Pid, 0) != nil || exited(cmd) {
			break
		}
	}
	r.t.Fatalf("%q did not print %q but:\n%s", cmd.Args[2], prints, r.said.String())
}

// exited reports whether the command is a process no more, but for being waited for.
func exited(cmd *exec.Cmd) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", cmd.Process.Pid))
	return err == nil && strings.Contains(string(stat), ") Z ")
}

// interrupt is Ctrl-C in the terminal of what was started last.
func (r *reader) interrupt() {
	r.t.Helper()
	last := len(r.running) - 1
	syscall.Kill(-r.running[last].Process.Pid, syscall.SIGINT)
	r.running[last].Wait()
	r.running = r.running[:last]
}

// paste takes the exports that the demo has printed.
func (r *reader) paste() {
	r.t.Helper()
	var exports []string
	for lines := bufio.NewScanner(strings.NewReader(r.said.String())); lines.Scan(); {
		if line := strings.TrimSpace(lines.Text()); strings.HasPrefix(line, "export ") {
			exports = append(exports, line)
		}
	}
	if len(exports) != 5 {
		r.t.Fatalf("the demo printed %d exports; want five:\n%s", len(exports), r.said.String())
	}
	r.run(strings.Join(exports, "\n"))
}

// opensSession checks that the answer is a session whose page is there.
func (r *reader) opensSession(answer string) {
	r.t.Helper()
	var session struct{ ID, URL, Status string }
	if err := json.Unmarshal([]byte(answer), &session); err != nil || session.Status != "open" || !strings.HasPrefix(session.ID, "cs_") {
		r.t.Fatalf("the answer is no session (%v): %s", err, answer)
	}
	r.serves(session.URL)
}

func (r *reader) serves(url string) {
	r.t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		r.t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		r.t.Errorf("GET %s = %s", url, resp.Status)
	}
}

// buys pays in the reader's own page.
func (r *reader) buys(page string) {
	p := chromium.Open(r.t, page, browser.Options{Height: 2400})
	f := p.Frame(frame)
	f.Wait(`[data-live="wasm"]`)
	choose(f, "USDT", "trc20")
	f.Wait(pending)
	f.Click(`[data-part="simulate"][value="pay"]`)
	f.Wait(paid)
}
