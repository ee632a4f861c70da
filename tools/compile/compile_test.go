package compile

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"coinslot/bff/fortest"
)

// repository is a folder with one commit of a known time.
func repository(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	run(t, root, "git", "init", "-q")
	fortest.OK(t, os.WriteFile(filepath.Join(root, "a"), nil, 0o644))
	run(t, root, "git", "add", "a")
	t.Setenv("GIT_COMMITTER_DATE", "2026-11-22T10:00:00+02:00")
	run(t, root, "git", "-c", "user.name=a", "-c", "user.email=a@example", "commit", "-qm", "a")
	return root
}

func run(t *testing.T, root, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v: %s", name, args, err, out)
	}
}

func find(t *testing.T, root, name string) Version {
	t.Helper()
	return fortest.Must(FindVersion(root, name, ""))(t)
}

func TestFindVersion(t *testing.T) {
	root := repository(t)
	v := find(t, root, "")
	if want := time.Date(2026, 11, 22, 8, 0, 0, 0, time.UTC); v.Name != Development || len(v.Commit) != 40 || !v.Time.Equal(want) || v.Changed != "" {
		t.Errorf("without a tag: %+v", v)
	}
	if got, want := v.stamp(), "v0.0.0-dev "+v.Commit+" 2026-11-22T08:00:00Z"; got != want {
		t.Errorf("stamp %q; want %q", got, want)
	}
	for _, tag := range []string{"v1.9.0", "v1.10.0", "latest"} {
		run(t, root, "git", "tag", tag)
	}
	fortest.Equal(t, find(t, root, "").Name, "v1.10.0", "with tags")
	fortest.Equal(t, find(t, root, "v3.0.0").Name, "v3.0.0", "with a name")
	fortest.OK(t, os.WriteFile(filepath.Join(root, "a"), []byte("changed"), 0o644))
	if v := find(t, root, ""); !strings.Contains(v.Changed, "a") || !strings.HasSuffix(v.stamp(), "Z changed") {
		t.Errorf("with a change: %+v", v)
	}
}

// Sources from an archive have no repository.
func TestFindVersionWithoutGit(t *testing.T) {
	root := t.TempDir()
	fortest.Equal(t, find(t, root, "").stamp(), Development, "stamp")
	t.Setenv("SOURCE_DATE_EPOCH", "1764000000")
	v, err := FindVersion(root, "v1.2.3", "abc")
	if err != nil || v.stamp() != "v1.2.3 abc 2025-11-24T16:00:00Z" {
		t.Errorf("%v, %v", v, err)
	}
}

func TestFindVersionRefuses(t *testing.T) {
	for _, name := range []string{"1.2.3", "v1.2", "v1.2.3 -X"} {
		if _, err := FindVersion(t.TempDir(), name, ""); err == nil {
			t.Errorf("version %q was taken", name)
		}
	}
	t.Setenv("SOURCE_DATE_EPOCH", "yesterday")
	if _, err := FindVersion(t.TempDir(), "", ""); err == nil || !strings.Contains(err.Error(), "SOURCE_DATE_EPOCH") {
		t.Errorf("error %v", err)
	}
}

// TestEnv: what would change the bytes does not come from the caller's environment.
func TestEnv(t *testing.T) {
	t.Setenv("GOFLAGS", "-tags=mine")
	t.Setenv("GOOS", "plan9")
	seen := map[string]string{}
	for _, v := range Env("js", "wasm", "GOEXPERIMENT=x") {
		name, value, _ := strings.Cut(v, "=")
		seen[name] = value
	}
	for name, want := range map[string]string{"GOFLAGS": "", "GOOS": "js", "GOARCH": "wasm", "CGO_ENABLED": "0", "GOEXPERIMENT": "x"} {
		fortest.Equal(t, seen[name], want, "%s", name)
	}
}
