package e2e

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/e2e/built"
	"coinslot/e2e/need"
)

// The page object that merchants copy, and the tests with it, against processes
// that it starts itself: the sandbox, the checkout and a shop. The commands are those of
// docs/testing.md; ports that are free, Debian's Chromium and what npm has in its cache are all that
// differs from a reader's machine.
func TestFullPlaywright(t *testing.T) {
	t.Parallel()
	modules := fortest.Must(filepath.Abs(need.File(t, "../.cache/playwright/node_modules")))(t)
	chromium := need.Command(t, "chromium")
	clone := t.TempDir()
	fortest.OK(t, os.MkdirAll(filepath.Join(clone, "bin"), 0o700))
	fortest.OK(t, os.Symlink(built.Program(t), filepath.Join(clone, "bin", "coinslot")))
	for _, name := range []string{"playwright", "express"} {
		fortest.OK(t, os.CopyFS(filepath.Join(clone, "docs/examples", name), exampleFiles(t, name)))
	}
	playwright := filepath.Join(clone, "docs/examples/playwright/node_modules")
	fortest.OK(t, os.RemoveAll(playwright))
	fortest.OK(t, os.Symlink(modules, playwright))
	node := need.Command(t, "node")

	commands := playwrightCommands(t)
	for _, replaced := range [][2]string{
		{"make build\n", ""},                        // it is in bin
		{"npm install\n", ""},                       // the modules are here
		{"npx playwright install chromium", "true"}, // chromium is Debian's
		{
			"npx playwright test",
			node +
				" node_modules/@playwright/test/cli.js test --workers=1 --reporter=list --timeout=90000",
		},
	} {
		if strings.Count(commands, replaced[0]) != 1 {
			t.Fatalf("docs/testing.md does not say %q once:\n%s", replaced[0], commands)
		}
		commands = strings.Replace(commands, replaced[0], replaced[1], 1)
	}

	cmd := exec.CommandContext(t.Context(), "bash", "-ec", commands)
	cmd.Dir = clone
	cmd.Env = append(os.Environ(), npmSettings(t, "npm_config_offline=true")...)
	cmd.Env = append(cmd.Env, "CHROMIUM="+chromium, "CI=1", "CHECKOUT_PORT="+fortest.FreePort(t),
		"SHOP_PORT="+fortest.FreePort(t), "GATEWAY_PORT="+fortest.FreePort(t))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	} else {
		t.Logf("%s", out)
	}
}

// playwrightCommands are those of docs/testing.md.
func playwrightCommands(t *testing.T) string {
	t.Helper()
	page := string(fortest.Must(os.ReadFile("../docs/testing.md"))(t))
	_, after, _ := strings.Cut(page, "<!-- not run: e2e TestFullPlaywright runs it -->\n```sh\n")
	commands, _, found := strings.Cut(after, "```")
	if !found {
		t.Fatal("docs/testing.md does not say how to run docs/examples/playwright")
	}
	return commands
}

// The example asks npm for the Playwright that it is tested with.
func TestPlaywrightVersion(t *testing.T) {
	installed := fortest.Must(os.ReadFile("../tools/install/npm.go"))(t)
	tested := regexp.MustCompile(`"@playwright/test", "(\S+)"`).FindSubmatch(installed)
	if tested == nil {
		t.Fatal("tools/install/npm.go installs no Playwright")
	}
	wanted := fortest.Must(os.ReadFile(examples + "/playwright/package.json"))(t)
	fortest.Has(t, "package.json", string(wanted), `"@playwright/test": "`+string(tested[1])+`"`)
}

// exampleFiles are the files of an example.
func exampleFiles(t *testing.T, name string) fs.FS {
	t.Helper()
	return os.DirFS(filepath.Join(examples, name))
}
