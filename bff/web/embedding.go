package web

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// embedding is what checkout.js says by itself, in one language, and whether
// the host page may show the frame at all.
type embedding struct {
	Listed  bool   `json:"listed"`
	Title   string `json:"title"`
	Close   string `json:"close"`
	Retry   string `json:"retry"`
	Failed  string `json:"failed"`
	Offline string `json:"offline"`
	Link    string `json:"link"`
}

// embedding answers GET /checkout/embed.js?lang=…&origin=… with a module for
// checkout.js. It is a script and not JSON because that needs no connect-src of
// the host page: whoever lets checkout.js in lets this in. It tells nothing that
// the doctor does not tell.
func (s *server) embedding(w http.ResponseWriter, r *http.Request) error {
	f := s.framedOf(r, r.URL.Query())
	_, _, text := s.words.in(f.lang, f.accept)
	words, err := json.Marshal(embedding{ // escapes what HTML or an old script reads otherwise
		Listed: f.origin != "", Title: text["title.none"], Close: text["close"], Retry: text["closed.again"],
		Failed: text["loader.failed"], Offline: text["error.offline"], Link: text["refused.link"],
	})
	if err != nil {
		return fmt.Errorf("encoding the words of checkout.js: %w", err)
	}
	s.as(w, kindModule)
	w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
	fmt.Fprintf(w, "export default %s\n", words) // a client that has gone is not our error
	return nil
}
