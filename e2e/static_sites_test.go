package e2e

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/e2e/browser"
	"coinslot/e2e/need"
)

// staticSite is a site of docs/examples that a generator builds. Its commands run in the shell.
type staticSite struct {
	name   string
	needs  string // fails where the generator is missing
	build  string // as docs/static-sites.md has it
	output string // the folder with what was built
	tip    string // path of the page with the open amount
}

var staticSites = []staticSite{
	{"hugo", "hugo version", "hugo", "public", "/tip/"},
	{"jekyll", "jekyll --version", "jekyll build", "_site", "/tip.html"},
	{
		"eleventy", "ls $npm_config_cache/eleventy-*", "npm install && npm run build", "_site",
		"/tip/",
	},
	{"astro", "ls $npm_config_cache/astro-*", "npm install && npm run build", "dist", "/tip/"},
}

// TestFullStaticSites builds each site by its generator, serves what was built as files, and pays
// in it: a fixed price, and an amount that the shopper changes.
func TestFullStaticSites(t *testing.T) {
	runParallel(t)
	env := npmSettings(t, "npm_config_offline=true", "ASTRO_TELEMETRY_DISABLED=1")
	for _, site := range staticSites {
		t.Run(site.name, func(t *testing.T) {
			dir := t.TempDir()
			files := httptest.NewServer(http.FileServer(http.Dir(filepath.Join(dir, site.output))))
			t.Cleanup(files.Close)
			s := newStack(t, "COINSLOT_ORIGINS="+files.URL,
				"COINSLOT_CATALOG="+examples+"/static/catalog.yaml")
			site.generate(t, dir, env, s.base)

			p := chromium.Open(t, files.URL, browser.Options{Height: 2400})
			f := p.Frame(frame)
			f.Wait(`[data-live="wasm"]`)
			fortest.Equal(t, f.Attr("html", "lang"), "en", "the frame's language is")
			buyInPage(t, s, p, sale{"Notebook", "14.00"})

			p.Goto(files.URL + site.tip)
			f = p.Frame(frame)
			f.Wait(`[data-live="wasm"]`)
			fortest.Equal(t, f.Attr(`[data-part="amount-usd"]`, "data-value"), "20.00",
				"the page suggests")
			f.Type(`[data-part="offer-amount"]`, "12.50")
			buyInPage(t, s, p, sale{"A tip for the birds", "12.50"})
		})
	}
}

// generate builds the site in dir, for a checkout at base.
func (s *staticSite) generate(t *testing.T, dir string, env []string, base string) {
	t.Helper()
	needs := exec.Command("sh", "-c", s.needs)
	needs.Env = append(os.Environ(), env...)
	if needs.Run() != nil {
		need.Tool(t, need.Missing("what builds docs/examples/"+s.name, "install-all"))
	}
	copyProject(t, filepath.Join(examples, s.name), dir, strings.NewReplacer(inPages, base))
	runIn(t, dir, env, "sh", "-ec", s.build)
}

// buyInPage pays in the frame that the page's HTML has, and compares what was sold.
func buyInPage(t *testing.T, s *stack, p *browser.Page, want sale) {
	t.Helper()
	f := p.Frame(frame)
	s.simulate(s.choose(f, "USDT", "trc20"), "pay")
	f.Wait(paid)
	p.WaitJS(`document.querySelector("coinslot-checkout").status === "confirmed"`,
		"the page to hear of the payment")
	fortest.Equal(t, s.newest(), want, "the checkout sold")
	if !p.Exists(`coinslot-checkout > iframe`) {
		t.Error("the frame is not the one in the page's HTML")
	}
	assertCleanConsole(t, p)
}
