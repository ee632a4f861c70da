package shop

import (
	"encoding/json"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"coinslot/app/screen/screentest"
	"coinslot/app/widget"
	"coinslot/bff/fortest"
	"coinslot/bff/web"
	"coinslot/static"
)

// allWords are those of static, read once.
var allWords = sync.OnceValues(func() (*translations, error) { return readTranslations(static.Files, slog.New(slog.DiscardHandler)) })

// builtPages returns the document of the given files, with all languages, and their server, whose
// pages those shops may frame.
func builtPages(tb testing.TB, files fs.FS, shops ...string) (*web.Server, *document) {
	tb.Helper()
	site, err := web.New(web.Config{
		Static: files, PublicURL: "https://pay.example", Origins: shops,
	})
	fortest.OK(tb, err)
	w, err := allWords()
	fortest.OK(tb, err)
	texts := newTextFiles(w)
	site.Assets.More = texts.find
	return site, newDocument(site.Assets, texts)
}

// galleryPage returns a page of the gallery in English.
func galleryPage(tb testing.TB, name string) widget.Page {
	tb.Helper()
	w, err := allWords()
	fortest.OK(tb, err)
	for _, s := range screentest.Gallery() {
		if s.Name == name {
			page := screentest.Localize(s.Page, "en", w.texts["en"]())
			page.Languages = w.menu
			return page
		}
	}
	tb.Fatalf("the gallery has no %q", name)
	return widget.Page{}
}

// written returns the document of a page as a client gets it.
func written(tb testing.TB, p widget.Page) (*http.Response, string) {
	tb.Helper()
	site, d := builtPages(tb, builtFiles(tb), "https://shop.example")
	w := httptest.NewRecorder()
	site.SetKind(w, web.KindPage)
	fortest.OK(tb, d.write(w, httptest.NewRequest("GET", "/", nil), http.StatusTeapot, p))
	body, err := io.ReadAll(w.Result().Body)
	fortest.OK(tb, err)
	return w.Result(), string(body)
}

func TestDocumentHeaders(t *testing.T) {
	answer, _ := written(t, galleryPage(t, "open"))
	fortest.Equal(t, answer.StatusCode, http.StatusTeapot, "status")
	for name, want := range map[string]string{
		"Content-Type": "text/html; charset=utf-8",
		"Content-Security-Policy": "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; " +
			"connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'self' https://shop.example; " +
			"require-trusted-types-for 'script'; trusted-types 'none'",
		"Cache-Control": "no-store", "Cross-Origin-Opener-Policy": "same-origin-allow-popups",
		"Cross-Origin-Embedder-Policy": "require-corp", "Cross-Origin-Resource-Policy": "cross-origin",
	} {
		fortest.Equal(t, answer.Header.Get(name), want, "%s", name)
	}
}

// The two parts of what the WebAssembly program starts from.
var (
	dataBlock     = regexp.MustCompile(`(?s)<script type="application/json" id="coinslot-page">(.*?)</script>`)
	sentencesFile = regexp.MustCompile(`data-text="([^"]+)"`)
)

// TestDocumentData reads a page's data like the program: the page's own, then the language's.
func TestDocumentData(t *testing.T) {
	p := galleryPage(t, "pending-partial")
	p.View.Order.Title = `</script><script>alert(1)</script> & "quoted" <!--`
	_, page := written(t, p)
	own, file := dataBlock.FindStringSubmatch(page), sentencesFile.FindStringSubmatch(page)
	if own == nil || file == nil {
		t.Fatalf("no data: block %t, file %t", own != nil, file != nil)
	}
	site, _ := builtPages(t, builtFiles(t))
	shared := ask(site.Handler(nil), "GET", file[1])
	text, err := io.ReadAll(shared.Body)
	if err != nil || shared.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d, %v", file[1], shared.StatusCode, err)
	}
	var got widget.Page
	for _, members := range []string{own[1], string(text)} {
		fortest.OK(t, json.Unmarshal([]byte(members), &got))
	}
	p.View.Currencies = p.View.Currencies[:1]           // the coin that is paid; the feed brings the others
	p.View.Order.Amount, p.View.Order.Currency = "", "" // which the program does not read
	fortest.Diff(t, got, p, "data differs")
	if strings.Count(page, "<script") != 2 || strings.Contains(page, "<!--") {
		t.Error("the title has become markup")
	}
}

// TestDocumentOfPhone: only the pay screen of a phone has the links of wallets, also in its data, and
// their styles.
func TestDocumentOfPhone(t *testing.T) {
	p := galleryPage(t, "pending-phone")
	link := p.View.Attempt.Wallets[0].ID
	for _, phone := range []bool{true, false} {
		p.Phone = phone
		_, page := written(t, p)
		data := dataBlock.FindStringSubmatch(page)[1]
		fortest.Equal(t, strings.Contains(data, `"id":"`+link+`"`), phone, "links are in the data")
		fortest.Equal(t, strings.Contains(page, `data-value="`+link+`"`), phone, "links are shown")
		styles := strings.Count(page, "<link rel=\"stylesheet\"")
		fortest.Equal(t, styles == 3, phone, "their styles are linked")
	}
	if len(p.View.Attempt.Wallets) == 0 {
		t.Error("writing a page has changed it")
	}
}

// frame.js and go-app need this order: the script loads first, and the widget is the first element
// of the body.
func TestDocumentOrder(t *testing.T) {
	_, page := written(t, galleryPage(t, "open"))
	script, style := strings.Index(page, "<script src="), strings.Index(page, "<link")
	if script < 0 || style < script {
		t.Error("the style sheet comes before the script")
	}
	fortest.Has(t, "the widget is not the first element of the body", page,
		"<body data-refresh=\"/checkout/cs_gallery\">\n<main")
	fortest.Has(t, "the script is not told where the program", page,
		`data-wasm="/assets/app.bbbbbbbbbbbb.wasm"`)
}

// A browser lays a framed order out once, if it may paint only after the last element: the end of a
// document has its fields laid out for autofill.
func TestDocumentIsPaintedWhole(t *testing.T) {
	files := builtFiles(t)
	files["dist/manifest.json"] = &fstest.MapFile{Data: []byte(`{"files":{
		"framed.js":{"file":"framed.dddddddddddd.js","plain":true}}}`)}
	files["dist/framed.dddddddddddd.js"] = &fstest.MapFile{Data: []byte("dress()")}
	_, d := builtPages(t, files)
	p := galleryPage(t, "open")
	p.Embed = "inline"

	page := string(fortest.Must(d.render(p))(t))

	expected := regexp.MustCompile(`<link rel="expect" href="#([^"]+)" blocking="render">`)
	match := expected.FindStringSubmatch(page)
	if match == nil {
		t.Fatal("the browser may paint a part of the page")
	}
	_, last, _ := strings.Cut(page, ` id="`+match[1]+`"`)
	fortest.Equal(t, strings.Count(last, "<"), strings.Count("</script></body></html>", "<"),
		"tags after the element that painting waits for")
}

func TestDocumentRefresh(t *testing.T) {
	for name, want := range map[string]bool{
		"open": false, "preparing": true, "pending": true, "pending-changing": false, "review": true,
		"confirmed": false, "expired": false, "cancelled": false, "unknown-status": true,
	} {
		p := galleryPage(t, name)
		p.Carry = []widget.Field{{Name: "embed", Value: "inline"}, {Name: "origin", Value: "https://shop.example"}}
		_, page := written(t, p)
		tag := `<noscript><meta http-equiv="refresh" content="5; url=/checkout/cs_gallery?embed=inline&amp;origin=https%3A%2F%2Fshop.example"></noscript>`
		fortest.Equal(t, strings.Contains(page, tag), want, "%s: refresh", name)
	}
	if _, page := written(t, galleryPage(t, "pending-last-minutes")); !strings.Contains(page, `content="15; url=`) {
		t.Error("while there is something to read and decide, the page does not slow down")
	}
}

// The tab says from afar how the payment stands, at load as later.
func TestDocumentIcon(t *testing.T) {
	for name, icon := range map[string]string{"pending": "tab", "expired": "tab", "confirmed": "tab-paid", "receipt": "tab-paid"} {
		_, page := written(t, galleryPage(t, name))
		if want := `<link rel="icon" type="image/svg+xml" href="/icons/` + icon + `.svg">`; !strings.Contains(page, want) {
			t.Errorf("%s: no %s", name, want)
		}
		if _, err := static.Files.ReadFile("icons/" + icon + ".svg"); err != nil {
			t.Error(err)
		}
	}
}

func TestDocumentTitleAndTheme(t *testing.T) {
	p := galleryPage(t, "open")
	p.Theme, p.Lang, p.View.Test = "dark", `de"x`, true
	_, page := written(t, p)
	fortest.Has(t, "the page", page,
		"<title>Test: pay $25.00</title>", `lang="de&#34;x"`, `class="theme-dark"`, `name="color-scheme" content="dark"`,
	)
}

// A page is compressed.
func TestPagesAreCompressed(t *testing.T) {
	_, d := builtPages(t, builtFiles(t))
	w, r := httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil)
	r.Header.Set("Accept-Encoding", "gzip, br")
	fortest.OK(t, d.write(w, r, http.StatusOK, galleryPage(t, "open")))
	if coding := w.Header().Get("Content-Encoding"); coding != "br" || w.Body.Len() > 5000 {
		t.Errorf("a page is sent as %q, %d bytes", coding, w.Body.Len())
	}
}
