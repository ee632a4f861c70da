package gallery

import (
	"encoding/json"
	"maps"
	"os"
	"strings"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/e2e/browser"
	"coinslot/e2e/need"
)

// shopLook is the colors that a shop sets for one scheme, and what becomes of them.
type shopLook struct {
	given map[string]string
	want  map[string]string // the page's own properties, as hex; "" = as without a shop
	warns []string          // the tokens of each pair that is ignored
}

var shopLooks = map[string]shopLook{
	"a background": {
		given: map[string]string{"background": "light-dark(#fff1d6, #211a10)"},
		want:  map[string]string{"ink": ""},
	},
	"the night by day": {
		given: map[string]string{
			"background": "#14213d",
			"surface":    "#1f2f52",
			"text":       "white",
			"border":     "#345",
			"danger":     "#f99",
			"accent":     "#fca311",
		},
		want: map[string]string{
			"paper":           "#14213d",
			"raised":          "#1f2f52",
			"ink":             "#ffffff",
			"line":            "#334455",
			"bad":             "#ff9999",
			"coinslot-accent": "#fca311",
		},
	},
	"little contrast": {
		given: map[string]string{"background": "#7c7c7c", "text": "black", "accent": "#777"},
		want:  map[string]string{"paper": "#7c7c7c"},
	},
	"a pair that fails": {
		given: map[string]string{"background": "#777", "text": "#888", "border": "#f0f"},
		want:  map[string]string{"paper": "", "ink": "", "line": "#ff00ff"},
		warns: []string{"text background"},
	},
	"two that fail": {
		given: map[string]string{
			"background": "#fff",
			"text":       "#000",
			"surface":    "#333",
			"danger":     "#fdd",
		},
		want:  map[string]string{"paper": "#ffffff", "ink": "#000000"},
		warns: []string{"text surface", "danger background"},
	},
	"no colors": {
		given: map[string]string{
			"background": "url(https://evil.example)",
			"text":       "var(--coinslot-text)",
			"surface":    "red; color: blue",
			"border":     "env(x)",
			"accent":     "}*{display:none",
		},
		want: map[string]string{"paper": "", "ink": "", "coinslot-accent": ""},
	},
	"nor are these": {
		given: map[string]string{
			"background": "#12",
			"text":       "inherit",
			"surface":    "12px",
			"border":     "light-dark(red)",
			"accent":     "garbage",
		},
		want: map[string]string{"paper": "", "ink": "", "coinslot-accent": ""},
	},
	"an accent, as is": {
		given: map[string]string{"accent": "light-dark(#a8481f, #a8481f)"},
		want:  map[string]string{"coinslot-accent": "#a8481f", "paper": ""},
	},
	"another scheme": {
		given: map[string]string{"other": "light-dark(#fed, #123456)"},
		want:  map[string]string{"paper": "", "ink": ""},
	},
}

// A shop's colors are used in their own scheme. All text can be read, whatever is derived from
// them, and a pair that cannot be read is ignored, with one warning.
func TestShopColors(t *testing.T) {
	t.Parallel()
	axe := fortest.Must(os.ReadFile(need.File(t, axeFile)))(t)
	for theme, suffix := range map[string]string{"light": "", "dark": "-dark"} {
		page, f := openFramed(
			t,
			theme,
			accentSamples+
				",open-amount-wrong,pending-partial,pending-differs,pending-last-minutes,confirmed,review,expired",
		)
		f.Eval(string(axe)+";document.body.style.background = 'var(--paper)', 0",
			nil) // as a frame has it
		f.Eval(`window.hex = (name) => { const e = document.createElement('i'); e.style.color = 'var(--' + name + ')'; document.body.append(e);
			const c = getComputedStyle(e).color.match(/[\d.]+/g).slice(0, 3).map((n) => Number(n).toString(16).padStart(2, '0')); e.remove(); return '#' + c.join('') }, 0`, nil)
		own := map[string]string{}
		for _, name := range []string{"paper", "ink", "bad", "coinslot-accent"} {
			own[name] = browser.Eval[string](f, `hex('`+name+`')`)
		}
		for name, look := range shopLooks {
			tokens := map[string]string{"radius": "7px"}
			for token, color := range look.given {
				switch token {
				case "accent":
					tokens[token] = color
				case "other": // of the other scheme
					tokens["background"+map[string]string{"": "-dark"}[suffix]] = color
				default:
					tokens[token+suffix] = color
				}
			}
			for range 2 { // the second time without a warning
				dress(t, page, f, tokens)
			}
			got, want := map[string]string{}, maps.Clone(look.want)
			for property, color := range want {
				if got[property] = browser.Eval[string](f, `hex('`+property+`')`); color == "" {
					want[property] = own[property]
				}
			}
			fortest.Diff(t, got, want, "%s, %s", name, theme)
			var warns []string
			for _, text := range browser.Eval[[]string](page, `warnings.splice(0)`) {
				pair, rest, _ := strings.Cut(strings.ReplaceAll(text, "--coinslot-", ""),
					" is ignored: contrast ")
				if !strings.HasSuffix(rest, ", needs 4.5") {
					t.Errorf("%s: warning %q; want what was measured, and what is needed", name,
						text)
				}
				warns = append(warns,
					strings.ReplaceAll(strings.Replace(pair, " on ", " ", 1), "-dark", ""))
			}
			fortest.Diff(t, warns, look.warns, "%s, %s: warnings", name, theme)
			for _, found := range browser.Eval[[]string](
				f,
				`axe.run(document, {runOnly: ['color-contrast']}).then(r => r.violations.flatMap(v => v.nodes.map(n => n.target.join(' ') + ' ' + n.any[0].message)))`,
			) {
				t.Errorf("%s, %s: %s", name, theme, found)
			}
		}
	}
}

// A preset sets what the shop does not.
func TestPresets(t *testing.T) {
	t.Parallel()
	page, f := openFramed(t, "light", accentSamples)
	for _, c := range []struct{ preset, radius, want string }{
		{"flat", "", "8px"},
		{"flat", "20px", "20px"},
		{"default", "", "14px"},
	} {
		dress(t, page, f, map[string]string{"preset": c.preset, "radius": c.radius})
		got := browser.Eval[string](f,
			`getComputedStyle(document.documentElement).getPropertyValue('--coinslot-radius')`)
		if got != c.want {
			t.Errorf("preset %s and radius %q: %q; want %q", c.preset, c.radius, got, c.want)
		}
	}
}

// dress gives the screens a style and waits until the frame has applied it.
func dress(t *testing.T, page *browser.Page, f *browser.View, tokens map[string]string) {
	t.Helper()
	text := fortest.Must(json.Marshal(tokens))(t)
	f.Eval(`document.documentElement.dataset.density = 'none', 0`, nil)
	page.Eval(`dress(`+string(text)+`), 0`, nil)
	f.WaitJS(`document.documentElement.dataset.density !== 'none'`, "the frame to have heard")
}

// What has to be seen besides text has three times the light of what it lies on: the borders of
// fields and buttons, the mark of what is chosen, and the focus (WCAG 1.4.11).
func TestEdgesAreSeen(t *testing.T) {
	t.Parallel()
	for _, theme := range []string{"light", "dark"} {
		t.Run(theme, func(t *testing.T) {
			page := openAll(t, Look{Theme: theme}, browser.Options{ReducedMotion: true})
			reportFindings(t, page, theme, finds("contrast", "edges"))
		})
	}
}

// merchantAccents are accents that merchants write, or will some day: colors that cannot be
// read on any paper, on one of them, or are the paper itself.
var merchantAccents = []string{
	"#a8481f", "white", "#ffff00", "#808080", "#757575", "black", "#39ff14", "#ffffff", "#151b19",
	"transparent", "rgb(255 255 0 / .3)", "light-dark(#fff, #000)", "light-dark(#a8481f, #f0a06e)",
	"rebeccapurple", "oklch(0.7 0.3 150)", "color(display-p3 0 1 0)", "hsl(210 100% 50%)",
	"Canvas",
}

// openFramed opens samples in a host page; "" = all.
func openFramed(t *testing.T, theme, samples string) (*browser.Page, *browser.View) {
	t.Helper()
	page := open(t, serve(t)+"/framed"+Look{Theme: theme}.Query()+"&samples="+samples,
		browser.Options{Height: 1400, ReducedMotion: true, Dark: theme == "dark"})
	page.Wait(`html[data-ready]`)
	return page, page.Frame("checkout")
}

// Whatever the merchant's accent is, everything that bears it can be read: the
// text on it, and what is written and drawn with it, in both themes.
func TestAnyAccentCanBeRead(t *testing.T) {
	t.Parallel()
	for _, theme := range []string{"light", "dark"} {
		t.Run(theme, func(t *testing.T) {
			page, f := openFramed(t, theme, accentSamples)
			for _, accent := range merchantAccents {
				dress(t, page, f, map[string]string{"accent": accent})
				found := browser.Eval[[]string](f, finds("contrast", "readable"))
				for _, line := range found {
					t.Errorf("%s: %s", accent, line)
				}
			}
		})
	}
}
