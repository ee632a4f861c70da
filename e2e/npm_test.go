package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/e2e/browser"
	"coinslot/e2e/built"
	"coinslot/e2e/need"
)

// packageLimits are how many bytes npm may download for a package.
var packageLimits = map[string]int64{"checkout": 12_000, "server": 12_000, "vendure": 30_000}

var packOnce = sync.OnceValues(func() (string, error) {
	out, err := os.MkdirTemp("", "coinslot-npm-")
	if err != nil {
		return "", err
	}
	cmd := exec.Command("../tools/npm/pack.sh", "v1.2.3", out)
	if said, err := cmd.CombinedOutput(); err != nil {
		return string(said), err
	}
	return out, nil
})

// packNPM returns the tarball of @coinslot/name that tools/npm/pack.sh leaves. It ends t if make
// install-all has not run.
func packNPM(t *testing.T, name string) string {
	t.Helper()
	need.Command(t, "npm")
	need.File(t, "../.cache/npm-types/node_modules/vue")
	built.TrackSources(t)
	out, err := packOnce()
	if err != nil {
		t.Fatalf("packing the npm packages: %v\n%s", err, out)
	}
	return filepath.Join(out, "coinslot-"+name+"-1.2.3.tgz")
}

// npmSettings have npm install what is not newer than npmDate of tools/install, with its cache.
func npmSettings(t testing.TB, more ...string) []string {
	t.Helper()
	date := regexp.MustCompile(`(?m)^const npmDate = "(\S+)"$`).FindSubmatch(
		fortest.Must(os.ReadFile("../tools/install/npm.go"))(t))
	cache := fortest.Must(filepath.Abs("../.cache/npm-registry"))(t)
	return append([]string{
		"npm_config_before=" + string(date[1]), "npm_config_cache=" + cache,
		"npm_config_loglevel=error", "npm_config_audit=false", "npm_config_fund=false",
		"npm_config_update_notifier=false",
	}, more...)
}

// runIn runs a command to its end and returns what it prints. Commands install and compile, and so
// have no deadline but that of all tests.
func runIn(t testing.TB, dir string, env []string, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// What npm gets: small, complete packages. The browser's has the types that the checkout serves, and is
// safe to import on a server.
func TestFullNPMPackage(t *testing.T) {
	t.Parallel()
	for name, module := range map[string]struct{ text, prints string }{
		"checkout": {`import { createCheckout, loadCoinslot } from './package/dist/index.js';
			loadCoinslot('https://pay.shop.example'); // at the top of a module: no unhandled rejection
			await createCheckout({ url: 'https://pay.shop.example' }).catch(({ message }) => console.log(message));`,
			"browsers only"},
		"server": {`import { verifyWebhook } from './package/dist/index.js';
			await verifyWebhook('whsec_x', {}, '').catch(({ name }) => console.log(name));`, "WebhookError"},
		"vendure": {`import { checkOptions } from './package/dist/options.js';
			try { checkOptions({}) } catch ({ message }) { console.log(message) }`, "option checkouts"},
	} {
		dir := testPackage(t, name)
		out := runIn(t, dir, nil, need.Command(t, "node"), "--input-type=module", "-e", module.text)
		fortest.Has(t, name+", imported on a server", out, module.prints)
		readme := fortest.Must(os.ReadFile(filepath.Join(dir, "package/README.md")))(t)
		if strings.Contains(string(readme), "](..") {
			t.Errorf("README.md of %s links to a file that is not in the package", name)
		}
		if name == "checkout" {
			served := fortest.Must(os.ReadFile("../static/checkout.d.ts"))(t)
			types := fortest.Must(os.ReadFile(filepath.Join(dir, "package/dist/checkout.d.ts")))(t)
			fortest.Diff(t, string(types), string(served),
				"the types of %s are not those that are served", name)
		}
	}
}

// testPackage tests the size and package.json of @coinslot/name, and returns a folder with the package.
func testPackage(t *testing.T, name string) (dir string) {
	t.Helper()
	tarball := packNPM(t, name)
	dir = t.TempDir()
	size := fortest.Must(os.Stat(tarball))(t).Size()
	t.Logf("%s has %d bytes", tarball, size)
	if limit := packageLimits[name]; size > limit {
		t.Errorf("%s has %d bytes; want at most %d", tarball, size, limit)
	}
	runIn(t, dir, nil, "tar", "xzf", tarball)
	var about struct {
		Version, License string
		SideEffects      *bool
		Dependencies     map[string]string
		Exports          map[string]any
		Repository       any
		PublishConfig    map[string]any
	}
	fortest.OK(
		t,
		json.Unmarshal(fortest.Must(os.ReadFile(filepath.Join(dir, "package/package.json")))(t),
			&about),
	)
	if about.Version != "1.2.3" || about.SideEffects == nil || *about.SideEffects ||
		len(about.Dependencies) > 0 ||
		about.License == "" || about.Repository == nil ||
		about.PublishConfig["provenance"] != true {
		t.Errorf(
			"package.json = %+v; want version 1.2.3, no side effects, no dependencies, and what provenance needs",
			about,
		)
	}
	for name, export := range about.Exports {
		conditions, _ := export.(map[string]any)
		for condition, file := range conditions {
			if _, err := os.Stat(filepath.Join(dir, "package", file.(string))); err != nil {
				t.Errorf("export %s for %s: %v", name, condition, err)
			}
		}
	}
	return dir
}

// A newcomer who follows docs/npm.md has a React shop whose types hold and which is paid. Only ports, folder and
// tarball are replaced; npm is offline, with what make install-all has put into its cache.
func TestFullNPMQuickPath(t *testing.T) {
	t.Parallel()
	need.File(t, "../.cache/npm-registry/shop")
	tarball, root := packNPM(t, "checkout"), filepath.Dir(filepath.Dir(built.Program(t)))
	r := newReader(t)
	r.env = append(r.env, npmSettings(t, "npm_config_offline=true")...)
	shop, beside := r.free("5173"), filepath.Join(r.dir, "coinslot")
	fortest.OK(t, os.Mkdir(beside, 0o700))
	r.dir = root
	replaced := strings.NewReplacer("../coinslot/dist/coinslot-checkout-*.tgz", tarball, "localhost:5173", "localhost:"+
		shop,
		"npm run dev", "npm run dev -- --strictPort --port "+shop)
	for _, b := range commandBlocks(t, "../docs/npm.md") {
		if b.text == "make build npm" {
			continue
		}
		if b.before == "a new terminal" {
			r.dir = beside
		}
		b = r.withFreePorts(b)
		b.text = replaced.Replace(b.text)
		if b.prints == "" {
			r.run(b.text)
		} else {
			r.runInBackground(b)
		}
	}
	p := chromium.Open(t, "http://localhost:"+shop+"/", browser.Options{Height: 2400})
	f := p.Frame(frame)
	f.Wait(`[data-live="wasm"]`)
	choose(f, "USDT", "trc20")
	f.Click(`[data-part="simulate"][value="pay"]`)
	p.WaitText(`[role="status"]`, "Paid: cs_")
	assertCleanConsole(t, p)
}
