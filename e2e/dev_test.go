package e2e

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/e2e/browser"
	"coinslot/e2e/child"
)

// compileTime is longer than a changed component takes to compile while other tests run.
const compileTime = 15 * time.Minute

// TestFullDev is the inner loop, make dev, in a copy of the sources: an open checkout shows a changed
// style, and then a changed component, by itself, and its payment is still there.
func TestFullDev(t *testing.T) {
	runParallel(t)
	root := copyOfSources(t)
	port := fourFreePorts(t)
	out := &fortest.Log{}
	cmd := exec.Command("go", "run", "-trimpath", "./tools/dev", "-port", strconv.Itoa(port))
	cmd.Dir, cmd.Stdout, cmd.Stderr = root, out, out
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=")
	child.Tie(cmd)
	fortest.OK(t, cmd.Start())
	t.Cleanup(func() { child.End(cmd) })
	(&reader{t: t, said: out}).awaitOutput(cmd,
		regexp.MustCompile("Press Ctrl-C to stop. Demo data"))

	page := chromium.Open(t, "http://127.0.0.1:"+strconv.Itoa(port+1)+
		"/?cart=abcdefgh", browser.Options{
		Height: 2400, Patience: compileTime,
	})
	f := page.Frame(frame)
	f.Wait(`[data-live="wasm"]`)
	choose(f, "USDT", "trc20")
	f.Wait(pending)
	address := f.Attr(`[data-part="address"]`, "data-value")

	changeFile(t, filepath.Join(root, "static", "css", "1-tokens.css"), func(css string) string {
		return css + "\nhtml { --dev-test: seen }\n"
	})
	f.WaitJS(
		`getComputedStyle(document.documentElement).getPropertyValue('--dev-test').trim() === 'seen'`,
		"the changed style",
	)
	f.Wait(pending)

	changeFile(t, filepath.Join(root, "app", "widget", "qr.go"), func(code string) string {
		changed := strings.Replace(code, `.Attr("data-part", "qr")`,
			`.Attr("data-part", "qr").Attr("data-dev-test", "seen")`, 1)
		if changed == code {
			t.Fatal("app/widget/qr.go has changed: this test has to find its part")
		}
		return changed
	})
	f.Wait(`[data-dev-test="seen"]`)
	f.Wait(`[data-live="wasm"]`)
	f.Wait(`[data-dev-test="seen"]`) // the program is the changed one, too
	if now := f.Attr(`[data-part="address"]`, "data-value"); now != address || address == "" {
		t.Errorf("the address is %q after two restarts; it was %q", now, address)
	}
}

// copyOfSources copies what git knows, and what is new, into a folder of the test's.
func copyOfSources(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	copying := exec.Command("bash", "-c", `git ls-files -z --cached --others --exclude-standard -- ':!*_test.go' ':!docs/images' |
		tar --null --ignore-failed-read -cf - -T - 2>/dev/null | tar -xf - -C "$0"`, root)
	copying.Dir = ".."
	if out, err := copying.CombinedOutput(); err != nil {
		t.Fatalf("copying the sources: %v: %s", err, out)
	}
	return root
}

func changeFile(t *testing.T, path string, change func(string) string) {
	t.Helper()
	text := fortest.Must(os.ReadFile(path))(t)
	fortest.OK(t, os.WriteFile(path, []byte(change(string(text))), 0o644))
}

// fourFreePorts returns the first of four in a row that are free now.
func fourFreePorts(t *testing.T) int {
	t.Helper()
	for try := 0; try < 100; try++ {
		first := fortest.Must(strconv.Atoi(fortest.FreePort(t)))(t)
		free := 0
		for offset := range 4 {
			l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(first+offset)))
			if err != nil {
				break
			}
			l.Close()
			free++
		}
		if free == 4 {
			return first
		}
	}
	t.Fatal("no four free ports in a row")
	return 0
}
