package e2e

import (
	"bufio"
	"crypto/rand"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/bff/sandbox"
	"coinslot/docs/examples/webhook"
	"coinslot/e2e/child"
	"coinslot/e2e/need"
)

// commandBlock is what a reader pastes into a shell, with what the comment before it says, one of:
//
//	<!-- stays, and prints: REGEXP -->  runs until it is interrupted
//	<!-- the demo's exports -->         after pasting the exports that the demo has printed
//	<!-- a new terminal -->             knows nothing of what was exported before
//	<!-- a shop -->                     SHOP is one that checks webhooks, COINSLOT_WEBHOOK_SECRET its secret
//	<!-- a Go module -->                in the folder of the reader's own
//	<!-- not run: WHY -->               cannot be run by a test
type commandBlock struct {
	text   string
	before string // the comment
	prints string // it stays in the foreground, and prints this (a regular expression); empty = it ends
}

// serving is what commands print that stay, for pages that do not say so.
var serving = []struct{ command, prints string }{
	{"coinslot demo", "Shop +http"},
	{"coinslot sandbox", "export COINSLOT_GATEWAY_KEY"},
	{"coinslot serve", "serves http"},
}

var blockPattern = regexp.MustCompile("(?s)(?:<!-- ([^\n]*) -->\n)?```sh\n(.*?)\n```")

// commandBlocks are the blocks of a page in its order.
func commandBlocks(t *testing.T, page string) (list []commandBlock) {
	t.Helper()
	text := fortest.Must(os.ReadFile(page))(t)
	for _, m := range blockPattern.FindAllStringSubmatch(string(text), -1) {
		b := commandBlock{text: m[2], before: m[1]}
		if prints, stays := strings.CutPrefix(b.before, "stays, and prints: "); stays {
			b.prints = prints
		}
		for _, s := range serving {
			last := b.text[strings.LastIndexByte(b.text, '\n')+1:]
			if b.prints == "" && strings.Contains(last, s.command) {
				b.prints = s.prints
			}
		}
		if !strings.HasPrefix(b.before, "not run: ") {
			list = append(list, b)
		}
	}
	if len(list) == 0 {
		t.Fatalf("%s has no commands", page)
	}
	return list
}

// reader is a person at a terminal: a folder, an environment, and what runs.
type reader struct {
	t          *testing.T
	clone      string // of this repository, built; empty until the quick start is through
	ownTexts   string // folder of a Go program of the reader's
	dir        string
	env        []string
	first      []string // env of a new terminal
	running    []*exec.Cmd
	said       *fortest.Log      // of what was started last
	ports      map[string]string // of the page, and those that are free
	webhookIDs chan string       // ids of webhooks that the reader's shop has taken
}

// newReader is in an empty folder. The address of the repository leads to a clone
// of this one; Go's caches are the machine's. Whatever curl is refused is an error.
func newReader(t *testing.T) *reader {
	for _, name := range []string{
		"make", "curl", "openssl", "python3",
	} { // in the commands of the pages
		need.Command(t, name)
	}
	root := fortest.Must(filepath.Abs(".."))(t)
	home := t.TempDir()
	fortest.OK(t,
		os.WriteFile(filepath.Join(home, ".curlrc"), []byte("fail-with-body\nshow-error\n"), 0o600))
	r := &reader{
		t:          t,
		dir:        t.TempDir(),
		ports:      map[string]string{},
		webhookIDs: make(chan string, 1),
	}
	for _, entry := range os.Environ() {
		if !strings.HasPrefix(entry, "COINSLOT_") && !strings.HasPrefix(entry, "FORCE_COLOR=") {
			r.env = append(r.env, entry)
		}
	}
	r.env = append(r.env, "NO_COLOR=1", "GIT_CONFIG_COUNT=2", "GIT_CONFIG_KEY_0=url."+root+
		".insteadOf", "GIT_CONFIG_VALUE_0=https://git.example/coinslot",
		"GIT_CONFIG_KEY_1=safe.directory", "GIT_CONFIG_VALUE_1=*", "MAKEFLAGS=", "MAKELEVEL=", "CURL_HOME="+
			home, "COINSLOT_OPS_LISTEN=-")
	r.first = slices.Clone(r.env)
	t.Cleanup(r.stopAll)
	return r
}

// stopAll ends whatever runs.
func (r *reader) stopAll() {
	for _, cmd := range r.running {
		child.End(cmd)
	}
	r.running = nil
}

// follow pastes what a page other than the quick start says, in the clone that this has left.
func (r *reader) follow(page string) {
	r.t.Helper()
	r.newTerminal()
	for _, b := range commandBlocks(r.t, page) {
		switch b.before {
		case "a new terminal":
			r.newTerminal()
		case "a shop":
			r.opensShop()
		case "a Go module":
			r.dir = r.ownTexts
		}
		switch b = r.withFreePorts(r.built(b)); b.prints {
		case "":
			r.confirms(b, r.run(b.text))
		default:
			r.runInBackground(b)
		}
	}
	r.stopAll()
}

// newTerminal is in the clone, with its coinslot in the PATH. A checkout without
// an address of its own gets one that is free.
func (r *reader) newTerminal() {
	r.dir = r.clone
	address := r.free("8080")
	r.env = append(slices.Clone(r.first), "PATH="+filepath.Join(r.clone, "bin")+":"+
		os.Getenv("PATH"),
		"COINSLOT_LISTEN=127.0.0.1:"+address, "COINSLOT_PUBLIC_URL=http://localhost:"+address)
}

var (
	cloning  = regexp.MustCompile(`\bgit clone \S+`)
	making   = regexp.MustCompile(`\bmake\b`)
	inFolder = regexp.MustCompile(`/etc/coinslot/([\w.-]+)`)
)

// built is the block for a reader who has cloned and built already: make only prints what it would
// do, and placeholders are replaced by things that exist.
func (r *reader) built(b commandBlock) commandBlock {
	if cloning.MatchString(b.text) && r.dir == r.clone {
		r.dir = filepath.Dir(r.clone)
	}
	b.text = cloning.ReplaceAllString(b.text,
		`{ test -d coinslot || ln -s "`+r.clone+`" coinslot; }`)
	b.text = making.ReplaceAllString(b.text, "make -n")
	if strings.Contains(b.text, "https://gateway.example") {
		gateway := httptest.NewServer(sandbox.New(sandbox.Config{}))
		r.t.Cleanup(gateway.Close)
		b.text = strings.ReplaceAll(b.text, "https://gateway.example", gateway.URL)
	}
	b.text = strings.ReplaceAll(b.text, "https://pay.shop.example", "http://localhost:8080")
	keys := r.t.TempDir()
	b.text = inFolder.ReplaceAllStringFunc(b.text, func(name string) string {
		file, value := filepath.Join(keys, filepath.Base(name)), rand.Text()+rand.Text()
		switch {
		case strings.Contains(name, "gateway"):
			value = sandbox.DefaultKey
		case strings.Contains(name, "webhook"):
			value = "whsec_" + hookKey
		}
		fortest.OK(r.t, os.WriteFile(file, []byte(value+"\n"), 0o600))
		return file
	})
	return b
}

var (
	portsOfPage = regexp.MustCompile(`\b(3000|808[0-9])\b`)
	ownPorts    = regexp.MustCompile(`\bcoinslot (demo|sandbox)\b`)
)

// withFreePorts is the block with ports that are free.
func (r *reader) withFreePorts(b commandBlock) commandBlock {
	if !strings.Contains(b.text, "-listen ") {
		b.text = ownPorts.ReplaceAllStringFunc(b.text, func(command string) string {
			if strings.HasSuffix(command, "demo") {
				return command +
					" -listen 127.0.0.1:8080 -shop-listen 127.0.0.1:8081 -gateway-listen 127.0.0.1:8082"
			}
			return command + " -listen 127.0.0.1:8082"
		})
	}
	b.text = portsOfPage.ReplaceAllStringFunc(b.text, r.free)
	if !strings.Contains(b.text, "make run") {
		b.prints = portsOfPage.ReplaceAllStringFunc(b.prints, r.free)
	}
	return b
}

// free is the port that stands for one of the page.
func (r *reader) free(port string) string {
	if r.ports[port] == "" {
		r.ports[port] = fortest.FreePort(r.t)
	}
	return r.ports[port]
}

// run pastes a block that ends, and returns what it prints. What it sets and
// where it goes stays for the blocks after it.
func (r *reader) run(block string) string {
	r.t.Helper()
	kept := filepath.Join(r.t.TempDir(), "kept")
	// Blocks compile, and so have no deadline but that of all tests.
	cmd := exec.CommandContext(r.t.Context(), "bash", "-aec", saveShellState(block, kept))
	cmd.Dir, cmd.Env = r.dir, r.env
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		r.t.Fatalf("%s\n%v\n%s%s", block, err, out, errs.String())
	}
	r.loadShellState(kept)
	return string(out)
}

// saveShellState is the block, after which a file has where it went and what it set.
func saveShellState(block, file string) string {
	return block + "\n{ pwd; env -0; } > " + file + ".new; mv " + file + ".new " + file
}

func (r *reader) loadShellState(file string) {
	r.t.Helper()
	kept := fortest.Must(os.ReadFile(file))(r.t)
	dir, env, _ := strings.Cut(string(kept), "\n")
	r.dir, r.env = dir, strings.Split(strings.TrimRight(env, "\x00"), "\x00")
}

// runInBackground pastes a block that runs until it is interrupted, and waits for what it
// prints. If the terminal is free at once, what the block sets stays, too.
func (r *reader) runInBackground(b commandBlock) {
	r.t.Helper()
	r.said = &fortest.Log{}
	kept := filepath.Join(r.t.TempDir(), "kept")
	cmd := exec.Command("bash", "-aec", b.text)
	behind := strings.HasSuffix(b.text, "&")
	if behind {
		cmd.Args[2] = saveShellState(b.text, kept) + "; wait"
	}
	cmd.Dir, cmd.Env = r.dir, append(slices.Clip(r.env), "PYTHONUNBUFFERED=1")
	cmd.Stdout, cmd.Stderr = r.said, r.said
	child.Tie(cmd)
	fortest.OK(r.t, cmd.Start())
	r.running = append(r.running, cmd)
	r.awaitOutput(cmd, regexp.MustCompile(b.prints))
	if behind {
		for _, s := range serving { // there may be several
			if strings.Contains(b.text, s.command) {
				r.awaitOutput(cmd, regexp.MustCompile(s.prints))
			}
		}
		fortest.Until(r.t, "the terminal to be free",
			func() bool { _, err := os.Stat(kept); return err == nil })
		r.loadShellState(kept)
	}
}

// awaitOutput waits until the command prints what it should, or ends. It may compile, and so has no
// deadline but that of all tests.
func (r *reader) awaitOutput(cmd *exec.Cmd, prints *regexp.Regexp) {
	r.t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for syscall.Kill(cmd.Process.Pid, 0) == nil && !exited(cmd) {
		if prints.MatchString(r.said.String()) {
			return
		}
		<-tick.C
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

// pasteExports takes the exports that the demo has printed.
func (r *reader) pasteExports() {
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

// opensShop has a shop take webhooks, as docs/examples/webhook does.
func (r *reader) opensShop() {
	shop := httptest.NewServer(webhook.Receive("whsec_"+hookKey,
		func(id string, _ []byte) error { r.webhookIDs <- id; return nil }))
	r.t.Cleanup(shop.Close)
	r.env = append(r.env, "SHOP="+shop.URL, "COINSLOT_WEBHOOK_SECRET=whsec_"+hookKey)
}

// confirms checks that a block has done what the page says of it.
func (r *reader) confirms(b commandBlock, out string) {
	r.t.Helper()
	switch {
	case strings.Contains(b.text, "/simulate"):
		fortest.Has(r.t, b.text+"\nis not paid", out, `"status":"confirmed"`)
	case b.before == "a shop":
		select {
		case <-r.webhookIDs:
		default:
			r.t.Errorf("%s\nwas not taken for a webhook:\n%s", b.text, out)
		}
	}
}

func (r *reader) serves(url string) {
	r.t.Helper()
	resp := fortest.Must(http.Get(url))(r.t)
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		r.t.Errorf("GET %s = %s", url, resp.Status)
	}
}
