package web

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"coinslot/app/widget"
	"coinslot/app/wire"
	"coinslot/static"
)

// galleryPage returns a page of the gallery in English.
func galleryPage(tb testing.TB, name string) widget.Page {
	tb.Helper()
	raw, err := static.Files.ReadFile("text/en.json")
	if err != nil {
		tb.Fatal(err)
	}
	text, err := widget.ReadText(raw)
	if err != nil {
		tb.Fatal(err)
	}
	for _, s := range widget.Gallery() {
		if s.Name == name {
			s.Page.Text = text
			return s.Page
		}
	}
	tb.Fatalf("the gallery has no %q", name)
	return widget.Page{}
}

// written returns the document of a page as a client gets it.
func written(tb testing.TB, p widget.Page) (*http.Response, string) {
	tb.Helper()
	a, err := newAssets(builtFiles(tb))
	if err != nil {
		tb.Fatal(err)
	}
	w := httptest.NewRecorder()
	newPolicies([]string{"https://shop.example"}).set(w.Header(), kindPage)
	if err := newDocument(a).write(w, http.StatusTeapot, p); err != nil {
		tb.Fatal(err)
	}
	body, err := io.ReadAll(w.Result().Body)
	if err != nil {
		tb.Fatal(err)
	}
	return w.Result(), string(body)
}

func TestDocumentHeaders(t *testing.T) {
	answer, _ := written(t, galleryPage(t, "open"))
	if answer.StatusCode != http.StatusTeapot {
		t.Errorf("status %d; want the given one", answer.StatusCode)
	}
	for name, want := range map[string]string{
		"Content-Type": "text/html; charset=utf-8",
		"Content-Security-Policy": "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; " +
			"connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'self' https://shop.example; " +
			"require-trusted-types-for 'script'; trusted-types 'none'",
		"Cache-Control": "no-store", "Cross-Origin-Opener-Policy": "same-origin-allow-popups",
		"Cross-Origin-Embedder-Policy": "require-corp", "Cross-Origin-Resource-Policy": "cross-origin",
		"Permissions-Policy": strings.Join(unused, "=(), ") + "=(), clipboard-write=(self)",
	} {
		if got := answer.Header.Get(name); got != want {
			t.Errorf("%s = %q; want %q", name, got, want)
		}
	}
}

// dataBlock finds what the WebAssembly program starts from.
var dataBlock = regexp.MustCompile(`(?s)<script type="application/json" id="coinslot-page">(.*?)</script>`)

func TestDocumentData(t *testing.T) {
	p := galleryPage(t, "pending-partial")
	p.View.Order.Title = `</script><script>alert(1)</script> & "quoted" <!--`
	_, page := written(t, p)
	found := dataBlock.FindStringSubmatch(page)
	if found == nil {
		t.Fatal("no data block")
	}
	var got widget.Page
	if err := json.Unmarshal([]byte(found[1]), &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(p, got); diff != "" {
		t.Errorf("data differs (-want +got):\n%s", diff)
	}
	if strings.Count(page, "<script") != 2 || strings.Contains(page, "<!--") {
		t.Error("the title has become markup")
	}
}

// TestDocumentOrder holds what frame.js and go-app rely on: the script is the
// first thing that can load, and the widget the first element of the body.
func TestDocumentOrder(t *testing.T) {
	_, page := written(t, galleryPage(t, "open"))
	script, style := strings.Index(page, "<script src="), strings.Index(page, "<link")
	if script < 0 || style < script {
		t.Error("the style sheet comes before the script")
	}
	if !strings.Contains(page, "<body>\n<main") {
		t.Error("the widget is not the first element of the body")
	}
	if !strings.Contains(page, `data-wasm="/assets/app.bbbbbbbbbbbb.wasm"`) {
		t.Error("the script is not told where the program is")
	}
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
		if got := strings.Contains(page, tag); got != want {
			t.Errorf("%s: refresh %t; want %t", name, got, want)
		}
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
	for _, want := range []string{
		"<title>Test: pay $25.00</title>", `lang="de&#34;x"`, `class="theme-dark"`, `name="color-scheme" content="dark"`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s", want)
		}
	}
}

func BenchmarkDocument(b *testing.B) {
	a, err := newAssets(static.Files)
	if err != nil {
		b.Fatal(err)
	}
	p, d := galleryPage(b, "pending"), newDocument(a)
	if p.View.Status != wire.Pending {
		b.Fatal("another page")
	}
	for b.Loop() {
		if err := d.write(httptest.NewRecorder(), http.StatusOK, p); err != nil {
			b.Fatal(err)
		}
	}
}
