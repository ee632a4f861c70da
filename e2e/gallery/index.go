package gallery

import (
	"bytes"
	"html/template"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
)

// index is the gallery for people: the list of screens, how they can be shown, and one screen.
func (g *gallery) index(w http.ResponseWriter, r *http.Request) {
	look, query := lookOf(r), r.URL.Query()
	width, err := strconv.Atoi(query.Get("width"))
	if err != nil || width < 200 || width > 4000 {
		width = 390
	}
	data := indexData{Look: look, Width: width, Sample: query.Get("sample"), Query: template.URL(look.Query())}
	if data.Sample == "" {
		data.Sample = Samples()[0].Name
	}
	for _, s := range Samples() {
		to := url.Values{"sample": {s.Name}, "width": {strconv.Itoa(width)}}
		data.Samples = append(data.Samples, indexLink{Name: s.Name, URL: template.URL("/" + look.Query() + "&" + to.Encode())})
	}
	if !slices.ContainsFunc(data.Samples, func(l indexLink) bool { return l.Name == data.Sample }) {
		http.NotFound(w, r)
		return
	}
	data.Langs = slices.Sorted(maps.Keys(g.texts))
	data.Widths = []int{280, 320, 390, 480, 720, 960}
	var page bytes.Buffer
	if err := indexPage.Execute(&page, data); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Write(page.Bytes()) // a browser that has gone is not our error
}

type indexData struct {
	Look    Look
	Width   int
	Sample  string
	Query   template.URL // of the look
	Samples []indexLink
	Langs   []string
	Widths  []int
}

type indexLink struct {
	Name string
	URL  template.URL
}

// The form works without a script; with one, it is sent when something was chosen.
var indexPage = template.Must(template.New("index").Parse(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{.Sample}} · Coinslot gallery</title>
<style>
:root { color-scheme: light dark; --line: light-dark(#d9dedb, #333a37); --back: light-dark(#f4f6f5, #161a18); --text: light-dark(#17201c, #e8edea); --accent: light-dark(#0a6b4f, #5fd0a6); }
* { box-sizing: border-box; }
body { margin: 0; height: 100vh; display: grid; grid-template: auto 1fr / 230px 1fr; background: var(--back); color: var(--text); font: 14px/1.45 system-ui, sans-serif; }
header { grid-column: 1 / 3; display: flex; flex-wrap: wrap; gap: 8px 20px; align-items: center; padding: 10px 20px; border-bottom: 1px solid var(--line); }
h1 { font-size: 15px; margin: 0 auto 0 0; }
label { display: flex; gap: 6px; align-items: center; }
select, button { font: inherit; color: inherit; background: transparent; border: 1px solid var(--line); border-radius: 6px; padding: 4px 8px; }
option { color: #17201c; background: #fff; }
nav { overflow: auto; padding: 10px; border-right: 1px solid var(--line); }
nav a { display: block; padding: 5px 10px; border-radius: 6px; color: inherit; text-decoration: none; }
nav a:hover { background: color-mix(in srgb, var(--accent) 10%, transparent); }
nav a[aria-current] { background: color-mix(in srgb, var(--accent) 18%, transparent); font-weight: 600; }
main { overflow: auto; padding: 24px; display: flex; flex-wrap: wrap; gap: 24px; align-items: flex-start; align-content: flex-start; justify-content: center; }
figure { margin: 0; }
figcaption { padding: 0 0 6px; font-size: 12px; opacity: .75; }
iframe { display: block; border: 1px solid var(--line); border-radius: 12px; background: #fff; max-width: 100%; }
@media (max-width: 700px) { body { display: block; height: auto; } nav { max-height: 30vh; border: 0; } }
</style>
</head>
<body>
<header>
<h1>Every screen</h1>
<form style="display: contents">
<input type="hidden" name="sample" value="{{.Sample}}">
<label>Theme <select name="theme">{{range $v := .Themes}}<option{{if eq $v $.Look.Theme}} selected{{end}}>{{$v}}</option>{{end}}</select></label>
<label>Direction <select name="dir">{{range $v := .Dirs}}<option{{if eq $v $.Look.Dir}} selected{{end}}>{{$v}}</option>{{end}}</select></label>
<label>Language <select name="lang">{{range $v := .Langs}}<option{{if eq $v $.Look.Lang}} selected{{end}}>{{$v}}</option>{{end}}</select></label>
<label>Density <select name="density">{{range $v := .Densities}}<option value="{{$v}}"{{if eq $v $.Look.Density}} selected{{end}}>{{or $v "comfortable"}}</option>{{end}}</select></label>
<label>Width <select name="width">{{range $v := .Widths}}<option{{if eq $v $.Width}} selected{{end}}>{{$v}}</option>{{end}}</select></label>
<noscript><button>Show</button></noscript>
</form>
</header>
<nav aria-label="Screens">
{{range .Samples}}<a href="{{.URL}}"{{if eq .Name $.Sample}} aria-current="page"{{end}}>{{.Name}}</a>
{{end}}<a href="/sheet{{.Query}}">all, side by side</a>
</nav>
<main>
<figure>
<figcaption>{{.Sample}}, {{.Width}} px · <a href="/{{.Sample}}{{.Query}}" style="color: inherit">alone</a></figcaption>
<iframe src="/{{.Sample}}{{.Query}}" width="{{.Width}}" height="844" title="{{.Sample}}"></iframe>
</figure>
</main>
<script>
for (const choice of document.querySelectorAll('select')) choice.onchange = () => choice.form.submit();
const frame = document.querySelector('iframe');
frame.onload = () => frame.height = Math.max(844, frame.contentDocument.documentElement.scrollHeight);
document.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
</script>
</body>
</html>
`))

// Themes are those that a screen can be shown in.
func (indexData) Themes() []string { return []string{"light", "dark"} }

// Dirs are the directions of text.
func (indexData) Dirs() []string { return []string{"ltr", "rtl"} }

// Densities are those of the checkout; empty is the usual one.
func (indexData) Densities() []string { return []string{"", "compact", "cozy"} }
