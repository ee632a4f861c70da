package api

import (
	"net/http"
	"strings"
	"testing"
	"testing/fstest"

	"coinslot/bff/fortest"
	"coinslot/bff/web"
)

// FuzzAuthorized: only the key opens the merchant's API, and no key does if none is set.
func FuzzAuthorized(f *testing.F) {
	const secret = "sk-0123456789abcdef0123456789abcdef"
	for _, s := range []string{"Bearer " + secret, "bearer   " + secret + " ", "Basic " + secret, secret, "Bearer", "Bearer " + secret[:34], "Bearer " + secret + secret, "Bearer \u212a"} {
		f.Add(s)
	}
	taken := func(http.ResponseWriter, *http.Request) error { return nil }
	set, unset := closed(f), closed(f)
	unset.keys = hashKeys([]string{""})
	set.keys = hashKeys([]string{"sk-new-456789abcdef0123456789abcdef", secret})
	guarded, never := set.requireKey(taken), unset.requireKey(taken)
	f.Fuzz(func(t *testing.T, header string) {
		r := &http.Request{Header: http.Header{"Authorization": {header}}}
		if never(nil, r) == nil {
			t.Fatalf("%q opens what has no key", header)
		}
		if scheme, key, _ := strings.Cut(header, " "); guarded(nil, r) == nil && (strings.TrimSpace(key) != secret || len(scheme) != len("Bearer")) {
			t.Fatalf("%q opens", header)
		}
		r.Header["Authorization"] = []string{header, "Bearer " + secret}
		if guarded(nil, r) == nil {
			t.Fatal("two keys open")
		}
	})
}

// closed is a server without keys.
func closed(tb testing.TB) *server {
	tb.Helper()
	site := fortest.Must(web.New(web.Config{Static: fstest.MapFS{}, Limits: web.Limits{Guesses: 1 << 30}}))(tb)
	return &server{Server: site}
}
