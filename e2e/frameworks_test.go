package e2e

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/e2e/browser"
	"coinslot/e2e/child"
	"coinslot/e2e/need"
)

// frameworkProjects are the folders of testdata/frameworks, with the package whose version counts, and whether the
// element has its frame from the page, not from the script.
var frameworkProjects = []struct {
	name, library string
	hasFrame      bool
}{
	{"next", "next", true},
	{"vue", "vue", true},
	{"svelte", "svelte", true},
	{"solid", "solid-js", true},
	{"astro", "astro", false},
	{"plain", "typescript", false},
}

// TestFullFrameworks installs the packed tarball into a project of each framework, checks its types, builds it, serves what
// was built, and pays in it. docs/npm.md has the table.
func TestFullFrameworks(t *testing.T) {
	need.Long(t, "it installs frameworks from the npm registry")
	tarball := packNPM(t, "checkout")
	ports, origins := map[string]string{}, []string{}
	for _, project := range frameworkProjects {
		ports[project.name] = fortest.FreePort(t)
		origins = append(origins, "http://localhost:"+ports[project.name])
	}
	s := newStack(t, "COINSLOT_ORIGINS="+strings.Join(origins, ","))
	for _, project := range frameworkProjects {
		t.Run(project.name, func(t *testing.T) {
			shop := "http://localhost:" + ports[project.name]
			dir := t.TempDir()
			copyProject(t, filepath.Join("testdata", "frameworks", project.name), dir,
				strings.NewReplacer(inPages, s.base, "http://localhost:3000", shop))
			env := npmSettings(t, "npm_config_prefer_offline=true", "NEXT_TELEMETRY_DISABLED=1",
				"ASTRO_TELEMETRY_DISABLED=1")
			runIn(t, dir, env, "npm", "install", tarball)
			runIn(t, dir, env, "npm", "run", "check")
			runIn(t, dir, env, "npm", "run", "build")
			serveProject(t, dir, env, ports[project.name])
			id := s.session(order{"amount_usd": "25.00"})
			paysInProject(t, s, shop+"/?session="+id, id, project.hasFrame)
			t.Logf("| %s %s | yes | yes | yes |", project.library,
				installedVersion(t, dir, project.library))
		})
	}
}

// frameworkShops are those of docs/examples whose frameworks npm installs, with the packed tarball.
var frameworkShops = []example{
	{name: "next", needs: "npm --version", build: "npm install $TARBALL && npm run build",
		run: "npm start -- --hostname $HOST --port $PORT"},
	{name: "sveltekit", needs: "npm --version", build: "npm install $TARBALL && npm run build",
		run: "ORIGIN=$SHOP_URL npm start"},
}

// TestFullFrameworkShops is TestFullExampleShops of those that take long to install and to build.
func TestFullFrameworkShops(t *testing.T) {
	need.Long(t, "it installs frameworks from the npm registry")
	testShops(t, frameworkShops, npmSettings(t, "npm_config_prefer_offline=true",
		"NEXT_TELEMETRY_DISABLED=1", "TARBALL="+packNPM(t, "checkout")))
}

// copyProject copies a folder, with addresses replaced.
func copyProject(t *testing.T, folder, dir string, addresses *strings.Replacer) {
	t.Helper()
	fortest.OK(t, os.CopyFS(dir, os.DirFS(folder)))
	fortest.OK(t, filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(path, []byte(addresses.Replace(string(text))), 0o600)
	}))
}

// serveProject serves what was built until t ends.
func serveProject(t *testing.T, dir string, env []string, port string) {
	t.Helper()
	said := &fortest.Log{}
	cmd := exec.Command("npm", "run", "start", "--", "--port", port)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, append(os.Environ(), env...), said, said
	child.Tie(cmd)
	fortest.OK(t, cmd.Start())
	t.Cleanup(func() {
		child.End(cmd)
		if t.Failed() {
			t.Logf("npm run start said:\n%s", said.String())
		}
	})
	fortest.Until(t, "the project's server", func() bool {
		resp, err := http.Get("http://localhost:" + port + "/")
		if err != nil {
			return false
		}
		return resp.Body.Close() == nil && resp.StatusCode == http.StatusOK
	})
}

// paysInProject pays, and checks that the page heard of it once, of one frame, which its HTML had or not.
func paysInProject(t *testing.T, s *stack, url, id string, hasFrame bool) {
	t.Helper()
	resp := fortest.Must(http.Get(url))(t)
	defer resp.Body.Close()
	p := chromium.Open(t, url, browser.Options{Height: 2400})
	f := p.Frame(frame)
	f.Wait(`[data-live="wasm"]`)
	p.WaitJS(
		`document.querySelector("coinslot-checkout").title === "Pay" || !document.querySelector("[title=Pay]")`,
		"the title",
	)
	s.simulate(s.choose(f, "USDT", "trc20"), "pay")
	f.Wait(paid)
	p.WaitText(`[role="status"]`, id+" confirmed")
	fortest.Equal(t, p.Exists(`coinslot-checkout > iframe`), hasFrame, "the frame was in the HTML")
	framed := 0
	for _, request := range p.Requests() {
		if strings.Contains(request, "/checkout/"+id+"?embed=") {
			framed++
		}
	}
	fortest.Equal(t, framed, 1, "frames were loaded")
	assertCleanConsole(t, p)
}

func installedVersion(t *testing.T, dir, library string) string {
	t.Helper()
	var about struct{ Version string }
	text := fortest.Must(os.ReadFile(filepath.Join(dir, "node_modules", library,
		"package.json")))(t)
	fortest.OK(t, json.Unmarshal(text, &about))
	return about.Version
}

// TestFullReactExample runs docs/examples/react as its page says, on a free port.
func TestFullReactExample(t *testing.T) {
	need.Long(t, "it installs Vite from the npm registry")
	shop := example{name: "react", needs: "npm --version", build: "npm install",
		run: "npm start -- --port $PORT"}
	shop.prepare(t, npmSettings(t, "npm_config_prefer_offline=true"))
	s := newStack(t, "COINSLOT_ORIGINS="+shop.url,
		"COINSLOT_CATALOG="+examples+"/static/catalog.yaml")
	for _, name := range []string{"index.html", "App.jsx"} {
		path := filepath.Join(shop.dir, name)
		text := string(fortest.Must(os.ReadFile(path))(t))
		fortest.OK(t, os.WriteFile(path, []byte(strings.ReplaceAll(text, inPages, s.base)), 0o600))
	}
	shop.start(t, s.keys())

	p := chromium.Open(t, shop.url, browser.Options{Height: 2400})
	f := p.Frame(frame)
	f.Wait(`[data-live="wasm"]`)
	s.simulate(s.choose(f, "USDT", "trc20"), "pay")
	p.WaitText("[role=status]", "confirmed")
	if got := s.newest(); got.Title != "Notebook" || got.AmountUSD != "14.00" {
		t.Errorf("%s was sold for %s; want the notebook for 14.00", got.Title, got.AmountUSD)
	}
	assertCleanConsole(t, p)
}
