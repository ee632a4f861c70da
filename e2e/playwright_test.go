package e2e

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"context"

	"coinslot/bff/fortest"
	"coinslot/e2e/built"
	"coinslot/e2e/need"
)

// The page object that merchants copy, and the tests with it, against processes
// that it starts itself: the sandbox, the checkout and a shop.
func TestFullPlaywright(t *testing.T) {
	t.Parallel()
	modules := fortest.Must(filepath.Abs(need.File(t, "../.cache/playwright/node_modules")))(t)
	dir := t.TempDir()
	fortest.OK(t, os.CopyFS(dir, exampleFiles(t, "playwright")))
	fortest.OK(t, os.Symlink(modules, filepath.Join(dir, "node_modules")))
	shop := shops[1] // in Express
	shop.prepare(t, npmSettings(t, "npm_config_offline=true"))
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, need.Command(t, "node"), "node_modules/@playwright/test/cli.js", "test", "--workers=1", "--reporter=list", "--timeout=90000")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "COINSLOT="+built.Program(t), "SHOP=npm --prefix "+shop.dir+" start", "CHROMIUM=/usr/bin/chromium", "CI=1",
		"CHECKOUT_PORT="+fortest.FreePort(t), "SHOP_PORT="+fortest.FreePort(t), "GATEWAY_PORT="+fortest.FreePort(t), "DATABASE="+filepath.Join(dir, "coinslot.db"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	} else {
		t.Logf("%s", out)
	}
}

// exampleFiles are the files of an example.
func exampleFiles(t *testing.T, name string) fs.FS {
	t.Helper()
	return os.DirFS(filepath.Join(examples, name))
}
