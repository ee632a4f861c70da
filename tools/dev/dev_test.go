package main

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"coinslot/bff/fortest"
)

func TestWorkFor(t *testing.T) {
	for _, c := range []struct {
		changed string
		want    work
	}{
		{"static/css/1-tokens.css", work{assets: true}},
		{"static/text/de.json", work{assets: true}},
		{"static/shop/index.html", work{assets: true}},
		{"static/static.go", work{program: true}},
		{"static/stylesheet/sheet.go", everything},
		{"app/screen/choose.go", everything},
		{"bff/shop/page.go", work{program: true}},
		{"tools/assets/steps.go", everything},
		{"go.mod", everything},
	} {
		if got := workFor([]string{c.changed}); got != c.want {
			t.Errorf("%s needs %+v; want %+v", c.changed, got, c.want)
		}
	}
	if got := workFor([]string{"bff/shop/page.go", "static/frame/main.js"}); got != everything {
		t.Errorf("two changes need %+v", got)
	}
}

// TestSnapshot: what is built from is seen, and what is built or only tested is not.
func TestSnapshot(t *testing.T) {
	root := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(root, name)
		fortest.OK(t, os.MkdirAll(filepath.Dir(path), 0o755))
		fortest.OK(t, os.WriteFile(path, []byte(text), 0o644))
		later := time.Now().Add(time.Duration(len(text)) * time.Second)
		fortest.OK(t, os.Chtimes(path, later, later))
	}
	for _, name := range []string{"app/a.go", "static/b.css", "bff/gone.go"} {
		write(name, "1")
	}
	before := snapshot(root)
	write("app/a.go", "22")
	write("static/new.css", "1")
	for _, name := range []string{"static/dist/c.css", "app/a_test.go", "app/testdata/x", "docs/a.md", "bff/.a.go.swp", "other/a.go"} {
		write(name, "1")
	}
	fortest.OK(t, os.Remove(filepath.Join(root, "bff/gone.go")))
	got, want := differences(before, snapshot(root)), []string{"app/a.go", "bff/gone.go", "static/new.css"}
	fortest.Diff(t, got, want, "changed")
}

// TestPortInUse: a second make dev says so before it builds.
func TestPortInUse(t *testing.T) {
	taken := fortest.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer taken.Close()
	l := &loop{port: taken.Addr().(*net.TCPAddr).Port}
	if err := l.checkPorts(); err == nil || !strings.Contains(err.Error(), "Choose other ports with -port") {
		t.Errorf("error %v; want one that says what to do", err)
	}
}
