package e2e

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"

	"coinslot/bff/fortest"
	"coinslot/e2e/child"
	"coinslot/e2e/link"
)

// goapp is where the hello world of ./goapp is built, once for each version of it.
var goapp = filepath.Join("..", ".cache", "goapp")

// buildGoapp builds the hello world for the browser, compressed as well as it
// can be, and its server, and returns the compressed size in bytes.
func buildGoapp(t testing.TB) int {
	t.Helper()
	program := filepath.Join(goapp, "app.wasm")
	compile(t, program, "GOOS=js", "GOARCH=wasm")
	compile(t, filepath.Join(goapp, "server"))
	raw := fortest.Must(os.ReadFile(program))(t)
	packed, stamp := program+".br", program+".stamp"
	sum := fmt.Sprintf("%x", sha256.Sum256(raw))
	if last, err := os.ReadFile(stamp); err != nil || string(last) != sum {
		for path, content := range map[string][]byte{packed: pack(t, raw), stamp: []byte(sum)} {
			fortest.OK(t, os.WriteFile(path, content, 0o644))
		}
	}
	return int(fortest.Must(os.Stat(packed))(t).Size())
}

// compile builds ./goapp as anybody would.
func compile(t testing.TB, into string, env ...string) {
	t.Helper()
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", into, "./goapp")
	cmd.Env = append(append(os.Environ(), "CGO_ENABLED=0"), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("building the hello world: %v\n%s", err, out)
	}
}

// pack is brotli at its best, with the window that tools/assets takes.
func pack(t testing.TB, raw []byte) []byte {
	t.Helper()
	var packed bytes.Buffer
	w := brotli.NewWriterOptions(&packed, brotli.WriterOptions{Quality: 11, LGWin: 24})
	fortest.Must(w.Write(raw))(t)
	fortest.OK(t, w.Close())
	return packed.Bytes()
}

// startGoapp serves the hello world behind a line and returns its address.
func startGoapp(t testing.TB, l *link.Link) string {
	t.Helper()
	buildGoapp(t)
	address := "127.0.0.1:" + fortest.FreePort(t)
	cmd := exec.Command(filepath.Join(goapp, "server"), address, goapp)
	child.Tie(cmd)
	fortest.OK(t, cmd.Start())
	t.Cleanup(func() { child.End(cmd) })
	fortest.Until(t, "the hello world to answer", func() bool {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			conn.Close()
		}
		return err == nil
	})
	front := front(t, l, func() string { return address })
	return "http://" + strings.Replace(front, "127.0.0.1", "localhost", 1)
}
