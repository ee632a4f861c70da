package browser

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestAcceptLanguage looks at what requests and scripts get, in the page and
// in a frame of another site, which has a process of its own.
func TestAcceptLanguage(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "<p>%s</p>", r.Header.Get("Accept-Language"))
		if r.URL.Path == "/" {
			fmt.Fprintf(w, `<iframe name="inner" src="%s/inner"></iframe>`, strings.Replace("http://"+r.Host, "127.0.0.1", "localhost", 1))
		}
	}))
	t.Cleanup(server.Close)
	page := Start(t).Open(t, server.URL, Options{AcceptLanguage: "pl,de"})
	for name, v := range map[string]*View{"page": page.View, "frame": page.Frame("inner")} {
		if got := v.Text("p"); !strings.HasPrefix(got, "pl,de") {
			t.Errorf("the %s was asked for in %q; want pl,de", name, got)
		}
		var got string
		if v.Eval(`navigator.languages.join()`, &got); got != "pl,de" {
			t.Errorf("scripts of the %s get %q; want pl,de", name, got)
		}
	}
}
