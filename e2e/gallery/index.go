package gallery

import (
	"bytes"
	_ "embed" // index.html
	"html/template"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
)

// index is the gallery for people: the list of screens, how they can be shown, and one screen.
func (g *gallery) index(w http.ResponseWriter, r *http.Request) {
	look := lookOf(r)
	query := r.URL.Query()
	width, err := strconv.Atoi(query.Get("width"))
	if err != nil || width < 200 || width > 4000 {
		width = 390
	}

	data := indexData{
		Look:   look,
		Query:  template.URL(look.Query()),
		Width:  width,
		Sample: query.Get("sample"),
	}
	if data.Sample == "" {
		data.Sample = Samples()[0].Name
	}

	for _, s := range Samples() {
		to := url.Values{"sample": {s.Name}, "width": {strconv.Itoa(width)}}
		address := template.URL("/" + look.Query() + "&" + to.Encode())
		data.Samples = append(data.Samples, indexLink{Name: s.Name, URL: address})
	}

	known := func(l indexLink) bool { return l.Name == data.Sample }
	if !slices.ContainsFunc(data.Samples, known) {
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

// indexHTML is the page. Its form works without a script; with one, it is sent when something was
// chosen.
//
//go:embed index.html
var indexHTML string

var indexPage = template.Must(template.New("index").Parse(indexHTML))

// Themes are those that a screen can be shown in.
func (indexData) Themes() []string { return []string{"light", "dark"} }

// Dirs are the directions of text.
func (indexData) Dirs() []string { return []string{"ltr", "rtl"} }

// Densities are those of the checkout; empty is the usual one.
func (indexData) Densities() []string { return []string{"", "compact", "cozy"} }
