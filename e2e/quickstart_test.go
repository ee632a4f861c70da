package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/e2e/browser"
)

// A reader who follows docs/quickstart.md gets what it says: its commands are run as they are, in
// their order, in a clean clone of what is committed; only port numbers are replaced by free ones.
// The build serves the commands of other pages, too.
func TestFullQuickstart(t *testing.T) {
	t.Parallel()
	r := newReader(t)
	r.start()
	for _, page := range []string{"../README.md", "../CONTRIBUTING.md", "../docs/testing.md"} {
		r.follow(page)
	}
	r.writesShop("../docs/library.md")
	r.follow("../docs/library.md")
	r.compiles()
}

var forwarded = regexp.MustCompile(`checkout\.confirmed .* 501 in \d+ ms`)

// start pastes the quick start.
func (r *reader) start() {
	for _, b := range commandBlocks(r.t, "../docs/quickstart.md") {
		b = r.withFreePorts(b)
		if b.before == "a new terminal" {
			r.env = slices.Clone(r.first)
		}
		switch {
		case b.prints != "":
			r.runInBackground(b)
		case b.before == "the demo's exports":
			r.pasteExports()
			r.opensSession(r.run(b.text))
		default:
			r.run(b.text)
		}
		switch {
		case strings.Contains(b.text, "make run"):
			r.interrupt()
		case strings.Contains(b.text, "-own-shop"):
			r.buys("http://127.0.0.1:" + r.ports["3000"] + "/")
		case strings.Contains(b.text, "coinslot trigger"):
			fortest.Until(r.t, "listen to print the delivery",
				func() bool { return forwarded.MatchString(r.said.String()) })
			r.interrupt() // listen
			r.interrupt() // the demo; its ports are free again
		case strings.Contains(b.text, "coinslot serve"):
			r.serves("http://localhost:" + r.ports["8084"] + "/checkout.js")
		}
	}
	r.stopAll()
	r.clone = r.dir
}

// opensSession checks that the answer is a session whose page is there.
func (r *reader) opensSession(answer string) {
	r.t.Helper()
	var session struct{ ID, URL, Status string }
	err := json.Unmarshal([]byte(answer), &session)
	if err != nil || session.Status != "open" || !strings.HasPrefix(session.ID, "cs_") {
		r.t.Fatalf("the answer is no session (%v): %s", err, answer)
	}
	r.serves(session.URL)
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

// shop is what the Go of a page leaves out.
const shop = `package shop

import (
	"context"
	"log/slog"
	"net/http"
	"os"

	"coinslot/bff/config"
	bff "coinslot/bff/server"
)

func serve(ctx context.Context, mux *http.ServeMux, shop http.Handler) error {
	%s
	return err
}
`

// writesShop puts the Go of a page into a module of the reader's own.
func (r *reader) writesShop(page string) {
	r.t.Helper()
	text := fortest.Must(os.ReadFile(page))(r.t)
	code := regexp.MustCompile("(?s)```go\nimport bff \"coinslot/bff/server\"\n(.*?)```").FindSubmatch(text)
	if code == nil {
		r.t.Fatalf("%s has no Go that imports bff/server", page)
	}
	r.ownTexts = r.t.TempDir()
	for name, text := range map[string]string{
		"shop.go": strings.Replace(shop, "%s", string(code[1]), 1),
		"go.mod":  "module shop.example\n\ngo 1.26\n",
	} {
		fortest.OK(r.t, os.WriteFile(filepath.Join(r.ownTexts, name), []byte(text), 0o600))
	}
}

// compiles checks that the reader's own module is a program.
func (r *reader) compiles() {
	r.t.Helper()
	cmd := exec.Command("go", "build", "-trimpath",
		"./...") // as the clone was built: what both need is compiled once
	cmd.Dir, cmd.Env = r.ownTexts, append(r.env, "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		r.t.Errorf("the Go of docs/library.md: %v\n%s", err, out)
	}
}
