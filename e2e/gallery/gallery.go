// Package gallery shows the checkout in every state, size, theme, direction and
// language, for eyes and for tests: make gallery makes contact sheets of it.
package gallery

import (
	"fmt"
	"html"
	"io/fs"
	"net/http"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"coinslot/app/screen"
	"coinslot/app/screen/screentest"
	"coinslot/app/widget"
	"coinslot/app/widget/node"
	"coinslot/static/stylesheet"
	"coinslot/tools/bundle"

	qrcode "github.com/piglig/go-qr"
)

// Look is how a sample is shown.
type Look struct {
	Theme   string // "light" or "dark"
	Dir     string // "ltr" or "rtl"
	Lang    string // BCP 47, a catalog's name, or [Pseudo]
	Density string // "compact", "cozy" or empty
	Framed  bool   // with the page's own script, for a host page around it
	Minutes int    // left to pay and offered on top, where there is a clock; 0 = as the sample has it
}

// Pseudo is an invented language: English with accents, and longer by half, as
// the longest translations are.
const Pseudo = "en-XA"

// Samples are the pages of the checkout, with the names under which they are shown.
func Samples() []screentest.Sample { return screentest.Gallery() }

// Handler shows the samples with the files of folder, the module's static:
//
//	/?sample=…&theme=…                     the list of them, and one in a frame
//	/{sample}?theme=dark&dir=rtl&lang=ar   one page
//	/all?theme=…&samples=a,b               those samples or all, one below the other
//	/sheet?theme=…&samples=a,b             those samples or all, side by side in three widths
//	/framed?theme=…&samples=a,b            those samples or all, one below the other, in a host page
//	                                       whose dress(tokens) styles them
func Handler(folder string) (http.Handler, error) {
	static := os.DirFS(folder)
	texts, err := readTexts(static)
	if err != nil {
		return nil, err
	}

	css, err := stylesheet.Join(static, stylesheet.Checkout, stylesheet.After)
	if err != nil {
		return nil, err
	}

	g := &gallery{texts: texts}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /checkout.css", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/css; charset=utf-8")
		w.Write(css) // a browser that has gone is not our error
	})
	mux.HandleFunc("GET /frame.js", func(w http.ResponseWriter, _ *http.Request) {
		script, err := bundle.Script(folder, "frame", false)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
		w.Write(script)
	})
	mux.Handle("GET /icons/", http.FileServerFS(static))
	mux.HandleFunc("GET /checkout/{session}/qr.svg", picture)
	mux.HandleFunc("GET /{$}", g.index)
	mux.HandleFunc("GET /all", g.all)
	mux.HandleFunc("GET /sheet", g.sheet)
	mux.HandleFunc("GET /framed", framed)
	mux.HandleFunc("GET /{sample}", g.sample)
	return mux, nil
}

func readTexts(static fs.FS) (map[string]map[string]string, error) {
	names, err := fs.Glob(static, "text/*.json")
	if err != nil {
		return nil, err
	}

	texts := map[string]map[string]string{}
	for _, name := range names {
		raw, err := fs.ReadFile(static, name)
		if err != nil {
			return nil, err
		}
		text, err := widget.ReadText(raw)
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", name, err)
		}
		texts[strings.TrimSuffix(path.Base(name), ".json")] = text
	}

	texts[Pseudo] = pseudo(texts["en"])
	return texts, nil
}

type gallery struct {
	texts map[string]map[string]string // by language
}

// sample shows one page.
func (g *gallery) sample(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("sample")
	i := slices.IndexFunc(Samples(), func(s screentest.Sample) bool { return s.Name == name })
	if i < 0 {
		http.NotFound(w, r)
		return
	}
	g.write(w, r, Samples()[i])
}

// all shows the samples one below the other. Ids are there many times: it is for
// measuring boxes, not for reading.
func (g *gallery) all(w http.ResponseWriter, r *http.Request) {
	g.write(w, r, chosen(r)...)
}

// chosen are the samples that the query names, separated by commas; all if it names none.
func chosen(r *http.Request) []screentest.Sample {
	names := r.URL.Query().Get("samples")
	return slices.DeleteFunc(Samples(), func(s screentest.Sample) bool {
		return names != "" && !slices.Contains(strings.Split(names, ","), s.Name)
	})
}

// write writes a document of some samples.
func (g *gallery) write(w http.ResponseWriter, r *http.Request, samples ...screentest.Sample) {
	look := lookOf(r)
	first := g.styled(samples[0].Page, look)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprintf(w, "<!doctype html>\n<html lang=%q dir=%q class=%q data-js=1 data-back=1%s>\n<head>\n<meta charset=utf-8>\n%s<title>%s</title>\n"+
		"<meta name=viewport content=\"width=device-width, initial-scale=1\">\n<link rel=stylesheet href=/checkout.css>\n</head>\n<body>\n",
		look.Lang, look.Dir, "theme-"+look.Theme, look.attributes(), look.script("http://"+r.Host), html.EscapeString(first.Title()))
	for i, s := range samples {
		p := g.styled(s.Page, look)
		if i > 0 { // forty menus of forty languages are slow to measure
			slices.SortStableFunc(p.Languages, func(a, b widget.Language) int { return len(b.Name) - len(a.Name) })
			p.Languages = p.Languages[:min(len(p.Languages), 3)]
		}
		fmt.Fprintf(w, "<div data-sample=%q>%s</div>\n", s.Name, node.HTML(&screen.Checkout{Page: p}))
	}

	fmt.Fprint(w, "</body>\n</html>\n")
}

// styled is p in a look.
func (g *gallery) styled(p widget.Page, l Look) widget.Page {
	p.Lang = l.Lang
	p.Dir = l.Dir
	p.Theme = l.Theme
	p = screentest.Localize(p, l.Lang, g.texts[l.Lang])
	a := p.View.Attempt
	if a != nil && l.Minutes > 0 {
		changed := *a
		changed.ExpiresInMs = int64(l.Minutes) * 60_000
		changed.ExtendMinutes = l.Minutes
		p.View.Attempt = &changed
	}

	for tag, text := range g.texts {
		if tag != Pseudo && !l.Framed {
			p.Languages = append(p.Languages, widget.Language{Tag: tag, Name: text["lang.name"]})
		}
	}

	slices.SortFunc(p.Languages, func(a, b widget.Language) int { return strings.Compare(a.Name, b.Name) })
	return p
}

func lookOf(r *http.Request) Look {
	q := r.URL.Query()
	l := Look{
		Theme:   q.Get("theme"),
		Dir:     q.Get("dir"),
		Lang:    q.Get("lang"),
		Density: q.Get("density"),
		Framed:  q.Has("framed"),
	}
	l.Minutes, _ = strconv.Atoi(q.Get("minutes"))
	if l.Theme != "dark" {
		l.Theme = "light"
	}
	if l.Dir != "rtl" {
		l.Dir = "ltr"
	}
	if l.Lang == "" {
		l.Lang = "en"
	}

	return l
}

func (l Look) attributes() string {
	if l.Density == "" {
		return ""
	}
	return fmt.Sprintf(" data-density=%q", l.Density)
}

// script is the page's own one, where a host page is to talk to it.
func (l Look) script(origin string) string {
	if !l.Framed {
		return ""
	}
	return fmt.Sprintf("<script src=/frame.js data-origin=%q data-embed=inline data-wasm=\"\"></script>\n", origin)
}

// accentSamples are the samples in which every use of the accent is to be seen.
const accentSamples = "open-chosen,pending-link,preparing"

// framed is a host page with samples in a frame.
func framed(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprintf(w, framedPage, html.EscapeString(lookOf(r).Query()), html.EscapeString(r.URL.Query().Get("samples")))
}

const framedPage = `<!doctype html>
<meta charset=utf-8>
<title>A shop</title>
<style>body { margin: 0 } iframe { border: 0; width: 100%%; height: 1400px }</style>
<script>
let port;
const warnings = [];
addEventListener('message', event => { port = event.ports[0]; port.onmessage = ({ data }) => data.type === 'warning' && warnings.push(data.cure); document.documentElement.dataset.ready = '1'; });
const dress = tokens => port.postMessage({ type: 'style', ...tokens });
</script>
<iframe name=checkout src="/all%s&framed=1&samples=%s"></iframe>
`

// Query is the part of an address that asks for the look.
func (l Look) Query() string {
	return "?theme=" + l.Theme + "&dir=" + l.Dir + "&lang=" + l.Lang + "&density=" + l.Density + "&minutes=" + strconv.Itoa(l.Minutes)
}

// picture is some QR code.
func picture(w http.ResponseWriter, _ *http.Request) {
	code, err := qrcode.EncodeText("TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf", qrcode.Medium)
	if err == nil {
		var svg []byte
		svg, err = code.ToSVGBytes(qrcode.NewQrCodeImgConfig(10, 4, qrcode.WithOptimalSVG()))
		if err == nil {
			w.Header().Set("Content-Type", "image/svg+xml")
			w.Write(svg)
			return
		}
	}
	http.Error(w, err.Error(), http.StatusInternalServerError)
}

// Widths are the widths of the contact sheets, in CSS pixels.
var Widths = []int{320, 480, 960}

// sheet shows all samples in all widths. Its script makes each frame as high as
// its page and marks the body when all are there.
func (g *gallery) sheet(w http.ResponseWriter, r *http.Request) {
	look := lookOf(r)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprint(w, sheetHead)
	for _, s := range chosen(r) {
		fmt.Fprintf(w, "<figure><figcaption>%s</figcaption>", html.EscapeString(s.Name))
		for _, width := range Widths {
			fmt.Fprintf(w, "<iframe width=%d src=\"/%s%s\"></iframe>", width, s.Name, html.EscapeString(look.Query()))
		}
		fmt.Fprint(w, "</figure>\n")
	}
	fmt.Fprint(w, sheetTail)
}

const sheetHead = `<!doctype html>
<meta charset=utf-8>
<title>Coinslot: every screen</title>
<style>
body { margin: 0; padding: 24px; background: #9aa19d; font: 600 26px system-ui, sans-serif; columns: 4; column-gap: 24px; width: 7600px; }
figure { display: flex; flex-wrap: wrap; align-items: flex-start; gap: 14px; margin: 0 0 28px; break-inside: avoid; }
figcaption { flex-basis: 100%; }
iframe { border: 0; background: #fff; }
</style>
<body>
`

// The window's load event comes after that of every frame in it.
const sheetTail = `<script>
addEventListener('load', () => {
  for (const frame of document.querySelectorAll('iframe')) frame.height = frame.contentDocument.documentElement.scrollHeight;
  document.body.dataset.ready = '1';
});
</script>
`

// pseudo returns the sentences with accents and longer by half; placeholders stay.
func pseudo(text map[string]string) map[string]string {
	longer := map[string]string{}
	for key, sentence := range text {
		if strings.HasPrefix(key, "number.") {
			longer[key] = sentence
			continue
		}
		longer[key] = "[" + accented(sentence) + strings.Repeat(" ẋẋẋẋẋ", len([]rune(sentence))/12) + "]"
	}
	return longer
}

var accents = strings.NewReplacer("a", "á", "e", "ë", "i", "ï", "o", "ø", "u", "ü", "A", "Å", "E", "Ē", "n", "ñ", "y", "ý", "c", "ç")

// accented puts accents on the letters outside placeholders.
func accented(sentence string) string {
	var out strings.Builder
	for sentence != "" {
		plain, rest, found := strings.Cut(sentence, "{")
		out.WriteString(accents.Replace(plain))
		if !found {
			break
		}
		name, after, _ := strings.Cut(rest, "}")
		out.WriteString("{" + name + "}")
		sentence = after
	}

	return out.String()
}
