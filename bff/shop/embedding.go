package shop

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"

	"coinslot/bff/web"
)

// embedCSS styles the parts of checkout.js that also work without it: the dialog, its button,
// the outline while it loads, and failure texts. It is one rule, which the script inserts before
// its own. Its colors are those of css/1-tokens.css.
//
//go:embed embed.css
var embedCSS string

// embedding has the texts of checkout.js in one language, and whether the host page may show the
// frame. Those named like an error code tell the host page's developer what to change, in one line
// of ASCII.
type embedding struct {
	Listed  bool   `json:"listed"`
	Dir     string `json:"dir"` // of the language
	Title   string `json:"title"`
	Close   string `json:"close"`
	Retry   string `json:"retry"`
	Failed  string `json:"failed"`
	Offline string `json:"offline"`
	Link    string `json:"link"`

	OriginRefused string `json:"origin_refused"`
	FrameBlocked  string `json:"frame_blocked"`
	Timeout       string `json:"timeout"`

	CSS string `json:"css"`
}

// embedding is GET /checkout/embed.js?lang=…&origin=…: a module for checkout.js. It is a script,
// not JSON, because a page that allows checkout.js then needs no connect-src. It is as public as
// the doctor.
func (s *server) embedding(w http.ResponseWriter, r *http.Request) error {
	f := s.readEmbed(r, r.URL.Query())
	if f.requested != "" && f.origin == "" {
		s.Refusals.Add(f.requested, "")
	}
	_, dir, text := s.texts.match(f.lang, f.accept)
	refused := "COINSLOT_ORIGINS must list the origin of this page"
	if s.AddOrigin != "" {
		refused = "restart it to allow this page: " + s.AddOrigin + f.requested
	}
	words, err := json.Marshal(embedding{ // escapes for HTML and old scripts
		Listed: f.origin != "", Dir: dir, Title: text["title.none"], Close: text["close"],
		Retry:  text["closed.again"],
		Failed: text["loader.failed"], Offline: text["error.offline"], Link: text["refused.link"],
		OriginRefused: refused,
		FrameBlocked: "a proxy must not add X-Frame-Options or Content-Security-Policy " +
			"frame-ancestors to " + s.PublicURL +
			" (COINSLOT_PUBLIC_URL); a sandbox around this page needs allow-same-origin",
		Timeout: "no answer in time from " + s.PublicURL +
			": is it reachable, and what COINSLOT_PUBLIC_URL says?",
		CSS: embedCSS,
	})
	if err != nil {
		return fmt.Errorf("encoding the words of checkout.js: %w", err)
	}
	s.SetKind(w, web.KindModule)
	w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
	web.Send(w, r, http.StatusOK, fmt.Appendf(nil, "export default %s\n", words))
	return nil
}
