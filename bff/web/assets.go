package web

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"coinslot/static/sheet"

	"github.com/andybalholm/brotli"
)

// assets serves the files that browsers get: built ones under /assets with
// their hash in the name, and the merchant's script, its types and the icons
// under the names that merchants write down.
type assets struct {
	named  map[string]*asset // by plain name, "app.wasm"
	hashed map[string]*asset // by name with hash, "app.1f2e3d4c5b6a.wasm"
	// version is what checkout.js calls itself; its immutable address has it.
	version string
	// built tells that tools/assets has run; if not, sources are served and there
	// is neither a script of the checkout nor WebAssembly.
	built bool
	// missing answers for what is not there; nil = as net/http does.
	missing   http.Handler
	policies  policies
	sentences sentences // nil = none
}

// asset is one file in all forms in which it is there.
type asset struct {
	name      string // with the content's hash
	mime      string
	integrity string            // for <script integrity>; empty for sources
	forms     map[string][]byte // by content coding: "br", "gzip", "identity"
	// zipped makes the gzip form of a file kept in brotli alone, once; nil = that is
	// among forms, or there is none.
	zipped func() []byte
}

// newAssets reads what static.Files holds. Without built files the sources of
// styles and icons are taken, so that pages work as HTML, without scripts. Errors: a
// manifest that cannot be read, or one that names a file that is not there.
func newAssets(files fs.FS) (*assets, error) {
	a := &assets{
		named: map[string]*asset{}, hashed: map[string]*asset{}, policies: newPolicies(nil, ""),
	}
	text, err := fs.ReadFile(files, "dist/manifest.json")
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = a.readSources(files)
	case err == nil:
		a.built = true
		err = a.readBuilt(files, text)
	}
	if err != nil {
		return nil, fmt.Errorf("reading assets: %w", err)
	}
	a.version = versionOf(a.named["checkout.js"])
	return a, nil
}

// readBuilt takes the files that a manifest names.
func (a *assets) readBuilt(files fs.FS, text []byte) error {
	var manifest struct {
		Files map[string]struct {
			File, Integrity string
			Brotli, Gzip    int
			Plain           bool
		} `json:"files"`
	}
	if err := json.Unmarshal(text, &manifest); err != nil {
		return fmt.Errorf("decoding the manifest: %w", err)
	}
	for name, entry := range manifest.Files {
		f := &asset{
			name: entry.File, mime: mimeOf(name), integrity: entry.Integrity,
			forms: map[string][]byte{},
		}
		forms := map[string]bool{"": entry.Plain, ".br": entry.Brotli > 0, ".gz": entry.Gzip > 0}
		for suffix, there := range forms {
			if !there {
				continue
			}
			content, err := fs.ReadFile(files, "dist/"+entry.File+suffix)
			if err != nil {
				return err
			}
			f.forms[codingOf(suffix)] = content
		}
		if f.forms["gzip"] == nil && !entry.Plain {
			f.zipped = sync.OnceValue(func() []byte { return squeezed("gzip", f.unpacked()) })
		}
		a.enter(name, f)
	}
	return nil
}

// readSources takes the sources as they are.
func (a *assets) readSources(files fs.FS) error {
	for name, of := range map[string]func(fs.FS) ([]byte, error){
		"checkout.css": sheet.Of, "console.css": sheet.Console,
	} {
		css, err := of(files)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err == nil {
			a.enterSource(name, css)
		}
	}
	names := []string{"docs.css", "doctor.css", "doctor.js"}
	icons, err := fs.Glob(files, "icons/*.svg")
	if err != nil {
		return err
	}
	for _, name := range append(names, icons...) {
		content, err := fs.ReadFile(files, name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		a.enterSource(strings.ReplaceAll(name, "icons/", "icon-"), content)
	}
	return nil
}

// enterSource takes a source under its plain name.
func (a *assets) enterSource(plain string, content []byte) {
	sum := sha256.Sum256(content)
	stem, extension, _ := strings.Cut(plain, ".")
	a.enter(plain,
		&asset{name: stem + "." + hex.EncodeToString(sum[:6]) + "." + extension,
			mime:  mimeOf(plain),
			forms: map[string][]byte{identity: content}})
}

func (a *assets) enter(name string, f *asset) {
	a.named[name] = f
	a.hashed[f.name] = f
}

// codingOf names the content coding of a file name's suffix.
func codingOf(suffix string) string {
	switch suffix {
	case ".br":
		return "br"
	case ".gz":
		return "gzip"
	}
	return "identity"
}

// mimeOf is the content type by extension; the machine's own table is not asked,
// because it differs between machines.
func mimeOf(name string) string {
	switch path.Ext(name) {
	case ".wasm":
		return "application/wasm"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	case ".json":
		return "application/json"
	case ".ts":
		return "text/plain; charset=utf-8"
	}
	return "application/octet-stream"
}

// scriptVersion finds the version that checkout.js gives itself, minified or not.
var scriptVersion = regexp.MustCompile(`version:\s*["'](\d+\.\d+\.\d+)["']`)

func versionOf(script *asset) string {
	if script == nil {
		return ""
	}
	if found := scriptVersion.FindSubmatch(script.forms["identity"]); found != nil {
		return string(found[1])
	}
	return ""
}

// URL returns the immutable address of a file by its plain name ("app.wasm");
// empty if it was not built.
func (a *assets) URL(name string) string {
	if f := a.named[name]; f != nil {
		return "/assets/" + f.name
	}
	return ""
}

// Integrity returns what a merchant puts into <script integrity> for the
// immutable address of a file; empty if it was not built.
func (a *assets) Integrity(name string) string {
	if f := a.named[name]; f != nil {
		return f.integrity
	}
	return ""
}

// icon returns the address of a coin's mark.
func (a *assets) icon(symbol string) string {
	return "/icons/" + strings.ToLower(symbol) + ".svg"
}

// routes registers everything that is served here.
func (a *assets) routes(mux *http.ServeMux) {
	mux.Handle("GET /assets/{file}", a)
	mux.HandleFunc("GET /checkout.js", a.serveScript)
	mux.HandleFunc("GET /checkout/{version}/checkout.js", a.serveScriptVersion)
	mux.HandleFunc("GET /checkout.d.ts", a.serveTypes)
	mux.HandleFunc("GET /custom-elements.json", a.serveTypes)
	mux.HandleFunc("GET /web-types.json", a.serveTypes)
	mux.HandleFunc("GET /icons/{file}", a.serveIcon)
}

func (a *assets) notFound(w http.ResponseWriter, r *http.Request) {
	if a.missing == nil {
		http.NotFound(w, r)
		return
	}
	a.missing.ServeHTTP(w, r)
}

// ServeHTTP answers GET and HEAD /assets/{file} with a file that never changes.
func (a *assets) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := path.Base(r.URL.Path)
	f := a.hashed[name]
	if f == nil {
		f = a.sentences.find(name)
	}
	tried, _ := strconv.Atoi(r.URL.Query().Get("tried"))
	switch {
	case f != nil:
		a.serve(w, r, f, kindHashed)
	case tried < triedEnough && ofAnyRelease.MatchString(name):
		a.askAgain(w, r, name, tried+1)
	default:
		a.notFound(w, r)
	}
}

// ofAnyRelease is how the name of a file with its hash looks, in whichever release.
var ofAnyRelease = regexp.MustCompile(`^[a-z][\w-]*\.[0-9a-f]{12}\.[a-z]+$`)

// triedEnough is how many times a file is asked for again.
const triedEnough = 4

// askAgain sends who wants a file of another release to the same address: while
// instances change their release one after another, the next that a load balancer
// takes may have it. So that it does take one, the connection ends here.
func (a *assets) askAgain(w http.ResponseWriter, r *http.Request, name string, tried int) {
	a.policies.set(w.Header(), kindMoved)
	w.Header().Set("Connection", "close")
	http.Redirect(w, r, "/assets/"+name+"?tried="+strconv.Itoa(tried), http.StatusTemporaryRedirect)
}

// serveScript answers GET /checkout.js: evergreen, so it is asked for again
// after five minutes.
func (a *assets) serveScript(w http.ResponseWriter, r *http.Request) {
	a.serveNamed(w, r, "checkout.js", kindScript)
}

// serveScriptVersion answers GET /checkout/{version}/checkout.js: the current
// version only, for ever the same.
func (a *assets) serveScriptVersion(w http.ResponseWriter, r *http.Request) {
	if r.PathValue("version") != a.version {
		a.notFound(w, r)
		return
	}
	a.serveNamed(w, r, "checkout.js", kindRelease)
}

// serveTypes answers GET /checkout.d.ts and the two files that tell editors the
// same.
func (a *assets) serveTypes(w http.ResponseWriter, r *http.Request) {
	a.serveNamed(w, r, path.Base(r.URL.Path), kindPublished)
}

// serveIcon answers GET /icons/{symbol}.svg; a coin without a mark of its own
// gets the neutral one.
func (a *assets) serveIcon(w http.ResponseWriter, r *http.Request) {
	name := "icon-" + path.Base(r.URL.Path)
	if a.named[name] == nil {
		name = "icon-default.svg"
	}
	a.serveNamed(w, r, name, kindIcon)
}

// serveNamed serves a file under a name without hash.
func (a *assets) serveNamed(w http.ResponseWriter, r *http.Request, name string, k kind) {
	f := a.named[name]
	if f == nil {
		a.notFound(w, r)
		return
	}
	a.serve(w, r, f, k)
}

// serve answers with the best form of f that the client accepts.
func (a *assets) serve(w http.ResponseWriter, r *http.Request, f *asset, k kind) {
	coding := f.coding(r.Header.Get("Accept-Encoding"))
	h := w.Header()
	a.policies.set(h, k)
	h.Set("Content-Type", f.mime)
	tag := `"` + f.name + "-" + coding + `"` // the name has the content's hash
	h.Set("ETag", tag)
	if matchesTag(r.Header.Get("If-None-Match"), tag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	content := f.content(coding)
	if coding != identity {
		h.Set("Content-Encoding", coding)
	}
	h.Set("Content-Length", strconv.Itoa(len(content)))
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodGet {
		w.Write(content) // a client that has gone is not our error
	}
}

// coding chooses the form for an Accept-Encoding header: the smallest of those
// that there are.
func (f *asset) coding(accept string) string {
	for _, coding := range []string{"br", "gzip"} {
		there := f.forms[coding] != nil || coding == "gzip" && f.zipped != nil
		if there && accepts(accept, coding) {
			return coding
		}
	}
	return identity
}

// content returns a form. Others than brotli of a file kept in that alone are made
// for the rare client that does not take it: gzip once, the plain one each time.
func (f *asset) content(coding string) []byte {
	if content := f.forms[coding]; content != nil {
		return content
	}
	if coding == "gzip" {
		return f.zipped()
	}
	return f.unpacked()
}

// unpacked returns the plain content of a file kept in brotli alone.
func (f *asset) unpacked() []byte {
	content, err := io.ReadAll(brotli.NewReader(bytes.NewReader(f.forms["br"])))
	if err != nil {
		return nil // it is embedded, and a test has read it
	}
	return content
}

// matchesTag reports whether an If-None-Match header names tag; weak ones count
// (RFC 9110, 13.1.2).
func matchesTag(header, tag string) bool {
	tags := strings.Split(header, ",")
	for i := range tags {
		tags[i] = strings.TrimPrefix(strings.TrimSpace(tags[i]), "W/")
	}
	return slices.Contains(tags, tag) || slices.Contains(tags, "*")
}
