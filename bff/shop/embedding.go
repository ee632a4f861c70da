package shop

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"

	"coinslot/app/widget"
	"coinslot/bff/check"
	"coinslot/bff/web"
)

// embedCSS styles the parts of checkout.js, which also work without it. It is one rule, which the
// script inserts before its own. Its colors are those of css/1-tokens.css.
//
//go:embed embed.css
var embedCSS string

// embedding has the texts of checkout.js in one language, and whether the host page is listed.
type embedding struct {
	Listed  bool   `json:"listed"`
	Dir     string `json:"dir"` // of the language
	Title   string `json:"title"`
	Close   string `json:"close"`
	Retry   string `json:"retry"`
	Failed  string `json:"failed"`
	Create  string `json:"create"`
	Offline string `json:"offline"`
	Link    string `json:"link"`
	check.Hints
	CSS string `json:"css"`
	// Codes are in answers to requests with debug only.
	Codes []check.Code `json:"codes,omitempty"`
}

// loader answers checkout.js, which loads the checkout into a host page.
type loader struct {
	site      *web.Server
	hosts     hosts
	texts     *translations
	refusals  *Refusals // nil = unlisted hosts are not counted
	addOrigin string
}

// serve is GET /checkout/embed.js?lang=…&origin=…: a module for checkout.js. It is a script, not
// JSON, because a page that allows checkout.js then needs no connect-src. It is no secret. It does
// not depend on the referrer: caches keep it for all pages.
func (l *loader) serve(w http.ResponseWriter, r *http.Request) error {
	f := l.hosts.parse(r.URL.Query())
	f.accept = r.Header.Get("Accept-Language")
	if f.requested != "" && f.origin == "" {
		l.refusals.Add(f.requested, "")
	}
	origin := f.requested
	if r.URL.Query().Get("origin") == check.Opaque {
		origin = check.Opaque
	}
	_, dir, text := l.texts.match(f.lang, f.accept)
	say := func(key string) string { return widget.Translate(text, dir, key) }

	head := "export default "
	tail := "\n"
	var codes []check.Code
	if r.URL.Query().Has("debug") {
		head += "{explain, ..."
		tail = "}\n" + check.ExplainScript
		codes = check.CodesOf(origin, l.addOrigin)
	}

	words, err := json.Marshal(embedding{ // escapes for HTML and old scripts
		Listed:  f.origin != "",
		Dir:     dir,
		Title:   say("title.none"),
		Close:   say("close"),
		Retry:   say("closed.again"),
		Link:    say("refused.link"),
		Failed:  say("loader.failed"),
		Create:  say("error.unknown"),
		Offline: say("error.offline"),
		Hints:   check.NewHints(l.site.PublicURL, l.addOrigin, origin),
		CSS:     embedCSS,
		Codes:   codes,
	})
	if err != nil {
		return fmt.Errorf("encoding the words of checkout.js: %w", err)
	}

	l.site.SetKind(w, web.KindModule)
	w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
	web.Send(w, r, http.StatusOK, []byte(head+string(words)+tail))
	return nil
}
