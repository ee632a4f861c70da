package rates

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"coinslot/bff/fortest"
)

func TestParseSetting(t *testing.T) {
	for setting, want := range map[string]string{
		"ecb":                                     "ecb www.ecb.europa.eu",
		"ecb:https://mirror.example/daily.xml":    "ecb mirror.example",
		"json:https://rates.example:8443/latest":  "json rates.example:8443",
		"json:https://me:secret@rates.example/?k": "json rates.example",
		"json:http://localhost/rates":             "json localhost",
		"json:http://127.0.0.1:8080/":             "json 127.0.0.1:8080",
		"json:http://127.8.9.1/":                  "json 127.8.9.1",
		"json:http://[::1]:8080/":                 "json [::1]:8080",
		"/etc/coinslot/rates.yaml":                "fixed ",
		"rates.yml":                               "fixed ",
		`C:\coinslot\rates.yaml`:                  "fixed ",
	} {
		source, err := Parse(setting)
		if err != nil {
			t.Errorf("%q: %v", setting, err)
			continue
		}
		fortest.Equal(t, source.Name()+" "+source.Host(), want, "%s", setting)
	}

	for _, setting := range []string{
		"", "ECB", "ecb:", "json", "json:", "https://rates.example/", "json:http://rates.example/?key=secret",
		"json:http://localhost.secret.example/", "json:http://192.168.0.1/secret", "json:http://[::2]/secret",
		"json:ftp://secret/", "json:https:///secret", "json:https:secret", "json:https://secret@/", "json:rates.yaml",
		"ecb:secret.yaml", "https://secret.example/rates.yaml", "secret.json", "json:https://rates.example/%zz-secret", "json:https://a/#secret", "fixed:secret",
	} {
		source, err := Parse(setting)
		if err == nil {
			t.Errorf("%q is %v", setting, source)
			continue
		}
		fortest.Has(t, "the error", err.Error(), "ecb, ecb:https://", "json:https://", ".yaml")
		fortest.Lacks(t, "the error", err.Error(), "secret")
	}
}

const euroJSON = `{"base":"USD","timestamp":1795694400,"rates":{"EUR":0.9157}}`

// remoteAt returns a JSON source at a path of a server, with a key in path, query and password.
func remoteAt(t *testing.T, handler http.HandlerFunc) Source {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	location := strings.Replace(server.URL, "http://", "http://me:secret1@", 1) + "/secret2/latest?key=secret3"
	return fortest.Must(Parse("json:" + location))(t)
}

func TestFetch(t *testing.T) {
	source := remoteAt(t, func(w http.ResponseWriter, r *http.Request) {
		if user, password, _ := r.BasicAuth(); user+" "+password != "me secret1" || r.URL.RawQuery != "key=secret3" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		if r.Header.Get("Cookie") != "" {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		http.SetCookie(w, &http.Cookie{Name: "a", Value: "b"})
		fmt.Fprint(w, euroJSON)
	})
	for range 2 {
		table := fortest.Must(source.Fetch(t.Context(), noon))(t)
		fortest.Equal(t, table.Rates["EUR"].Fraction, "1/0.9157", "EUR")
	}
}

// Errors say what is wrong, and hold no key.
func TestFetchFails(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, euroJSON)
	}))
	defer other.Close()
	for want, answer := range map[string]http.HandlerFunc{
		"it answered 500": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) },
		"it answered 204": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) },
		"another host or scheme": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other.URL+"/secret4", http.StatusFound)
		},
		"more than 3 times": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, r.URL.Path+"/secret4", http.StatusFound)
		},
		"not a URL": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "http://secret4:%zz/")
			w.WriteHeader(http.StatusFound)
		},
		"larger than 1048576 bytes": func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, strings.Repeat(" ", 1<<20)+euroJSON)
		},
		"not JSON": func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"secret4":`) },
		"EOF": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			fmt.Fprint(w, euroJSON)
		},
	} {
		source := remoteAt(t, answer)
		table, err := source.Fetch(t.Context(), noon)
		if err == nil {
			t.Errorf("%s: %v", want, table)
			continue
		}
		fortest.Has(t, "the error", err.Error(), want, source.Host())
		fortest.Lacks(t, "the error", err.Error(), "secret")
	}
}

func TestFetchFollowsRedirects(t *testing.T) {
	source := remoteAt(t, func(w http.ResponseWriter, r *http.Request) {
		if steps := strings.Count(r.URL.Path, "/again"); steps < maxRedirects {
			http.Redirect(w, r, r.URL.Path+"/again", http.StatusFound)
			return
		}
		fmt.Fprint(w, euroJSON)
	})
	fortest.Must(source.Fetch(t.Context(), noon))(t)
}

func TestFetchNoAnswer(t *testing.T) {
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	_, err := fortest.Must(Parse("json:"+gone.URL+"/secret?secret"))(t).Fetch(t.Context(), noon)
	fortest.Has(t, "the error", fmt.Sprint(err), "connection refused")
	fortest.Lacks(t, "the error", fmt.Sprint(err), "secret")

	ctx, cancel := context.WithCancel(t.Context())
	source := remoteAt(t, func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	})
	_, err = source.Fetch(ctx, noon)
	fortest.Is(t, err, context.Canceled, "the end of the context")

	encrypted := httptest.NewTLSServer(http.NotFoundHandler())
	defer encrypted.Close()
	_, err = fortest.Must(Parse("json:"+encrypted.URL+"/secret"))(t).Fetch(t.Context(), noon)
	fortest.Has(t, "the error", fmt.Sprint(err), "certificate")
	fortest.Lacks(t, "the error", fmt.Sprint(err), "secret")
}

func TestFetchFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rates.yaml")
	source := fortest.Must(Parse(path))(t)
	_, err := source.Fetch(t.Context(), noon)
	fortest.Is(t, err, os.ErrNotExist, "no file")

	fortest.OK(t, os.WriteFile(path, []byte("base: USD\nrates: {EUR: 0.9}\n"), 0o600))
	fortest.OK(t, os.Chtimes(path, time.Time{}, noon))
	table := fortest.Must(source.Fetch(t.Context(), noon.Add(time.Hour)))(t)
	fortest.Equal(t, table.AsOf, noon, "as of the change")
	fortest.Equal(t, table.Source, Fixed, "source")

	fortest.OK(t, os.WriteFile(path, []byte(strings.Repeat("#", 1<<20+1)), 0o600))
	_, err = source.Fetch(t.Context(), noon)
	fortest.Has(t, "the error", fmt.Sprint(err), "larger than")
}

func FuzzSetting(f *testing.F) {
	f.Add("json:https://me:pw@rates.example/?k=1")
	f.Fuzz(func(t *testing.T, setting string) {
		source, err := Parse(setting)
		if err != nil {
			fortest.Equal(t, err, errSetting, "%q", setting)
			return
		}
		r, isRemote := source.(remote)
		if !isRemote {
			fortest.Equal(t, source.Host()+source.Name(), Fixed, "%q", setting)
			return
		}
		if r.url.Scheme != "https" && !isLoopback(r.url.Hostname()) || r.Host() == "" || strings.Contains(r.Host(), "@") {
			t.Errorf("%q leads to %s %q", setting, r.url.Scheme, r.Host())
		}
	})
}
