package web

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
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

	"coinslot/app/wire"
	"coinslot/static/stylesheet"

	"github.com/andybalholm/brotli"
)

// Assets serves the files that browsers get: built ones under /assets with
// their hash in the name, and the merchant's script, its types and the icons
// under the names that merchants write down.
type Assets struct {
	byName map[string]*Asset // by plain name, "app.wasm"
	byHash map[string]*Asset // by name with hash, "app.1f2e3d4c5b6a.wasm"
	// version is what checkout.js calls itself; its immutable address has it.
	version string
	// built tells that tools/assets has run; if not, sources are served and there
	// is neither a script of the checkout nor WebAssembly.
	built    bool
	policies policies
	// More finds further files under /assets by their name with hash; nil = there are none.
	More func(name string) *Asset
}

// NewAsset returns content as a file in all its forms. Its name with the content's hash is made of
// the stem and the extension, "openapi" and ".json".
func NewAsset(stem, extension, mime string, content []byte) *Asset {
	sum := sha256.Sum256(content)
	return &Asset{
		name: stem + "." + hex.EncodeToString(sum[:6]) + extension, mime: mime,
		forms: map[string][]byte{
			identity: content, "br": compress("br", content), "gzip": compress("gzip", content),
		},
	}
}

// Name is that with the content's hash.
func (f *Asset) Name() string { return f.name }

// Asset is one file in all forms in which it is there.
type Asset struct {
	name      string // with the content's hash
	mime      string
	integrity string            // for <script integrity>; empty for sources
	forms     map[string][]byte // by content coding: "br", "gzip", "identity"
	// lazyGzip makes the gzip form of a file kept in brotli alone, once; nil = that is
	// among forms, or there is none.
	lazyGzip func() []byte
}

// newAssets reads what static.Files holds. Without built files the sources of
// styles and icons are taken, so that pages work as HTML, without scripts. Errors: a
// manifest that cannot be read, or one that names a file that is not there.
func newAssets(files fs.FS) (*Assets, error) {
	a := &Assets{
		byName: map[string]*Asset{}, byHash: map[string]*Asset{}, policies: newPolicies(nil, ""),
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
	a.version = versionOf(a.byName["checkout.js"])
	return a, nil
}

// readBuilt takes the files that a manifest names.
func (a *Assets) readBuilt(files fs.FS, text []byte) error {
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
		f := &Asset{
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
			f.lazyGzip = sync.OnceValue(func() []byte { return compress("gzip", f.decompressed()) })
		}
		a.add(name, f)
	}
	return nil
}

// readSources takes the sources as they are.
func (a *Assets) readSources(files fs.FS) error {
	for name, of := range map[string]func(fs.FS) ([]byte, error){
		"checkout.css": stylesheet.Checkout, "console.css": stylesheet.Console,
	} {
		css, err := of(files)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err == nil {
			a.addSource(name, css)
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
		a.addSource(strings.ReplaceAll(name, "icons/", "icon-"), content)
	}
	return nil
}

// addSource takes a source under its plain name.
func (a *Assets) addSource(plain string, content []byte) {
	sum := sha256.Sum256(content)
	stem, extension, _ := strings.Cut(plain, ".")
	a.add(plain,
		&Asset{name: stem + "." + hex.EncodeToString(sum[:6]) + "." + extension,
			mime:  mimeOf(plain),
			forms: map[string][]byte{identity: content}})
}

func (a *Assets) add(name string, f *Asset) {
	a.byName[name] = f
	a.byHash[f.name] = f
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

func versionOf(script *Asset) string {
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
func (a *Assets) URL(name string) string {
	if f := a.byName[name]; f != nil {
		return "/assets/" + f.name
	}
	return ""
}

// Integrity returns what a merchant puts into <script integrity> for the
// immutable address of a file; empty if it was not built.
func (a *Assets) Integrity(name string) string {
	if f := a.byName[name]; f != nil {
		return f.integrity
	}
	return ""
}

// Icon returns the address of a coin's mark.
func (a *Assets) Icon(symbol string) string {
	return "/icons/" + strings.ToLower(symbol) + ".svg"
}

// Text returns the plain content of a file by its plain name; empty if it was not built.
func (a *Assets) Text(name string) string {
	if f := a.byName[name]; f != nil {
		return string(f.content(identity))
	}
	return ""
}

// Version is what checkout.js calls itself; empty if it was not built.
func (a *Assets) Version() string { return a.version }

// inlineSource is what a policy calls the script in pages of frames: its hash, so
// that the policy allows this one and none that is put into a page.
func (a *Assets) inlineSource() string {
	script := a.Text("framed.js")
	if script == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(script))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// routes are those of everything that is served here.
func (a *Assets) routes() []Route {
	list := []Route{
		{Pattern: "GET /assets/{file}", Kind: KindHashed, Handle: a.serveHashed},
		{Pattern: "GET /checkout.js", Kind: KindScript, Handle: a.serveScript},
		{Pattern: "GET /checkout/{version}/checkout.js", Kind: KindRelease,
			Handle: a.serveScriptVersion},
		{Pattern: "GET /icons/{file}", Kind: KindIcon, Handle: a.serveIcon},
	}
	for _, name := range []string{"checkout.d.ts", "custom-elements.json", "web-types.json"} {
		list = append(list, Route{
			Pattern: "GET /" + name, Kind: KindPublished,
			Handle: a.handleNamed(name, KindPublished),
		})
	}
	return list
}

// serveHashed answers GET and HEAD /assets/{file} with a file that never changes.
func (a *Assets) serveHashed(w http.ResponseWriter, r *http.Request) error {
	name := path.Base(r.URL.Path)
	f := a.byHash[name]
	if f == nil && a.More != nil {
		f = a.More(name)
	}
	tried, _ := strconv.Atoi(r.URL.Query().Get("tried"))
	switch {
	case f != nil:
		a.Serve(w, r, f, KindHashed)
	case tried < maxTries && hashedName.MatchString(name):
		a.retryElsewhere(w, r, name, tried+1)
	default:
		return Refuse(wire.CodeNotFound, "")
	}
	return nil
}

// hashedName is how the name of a file with its hash looks, in whichever release.
var hashedName = regexp.MustCompile(`^[a-z][\w-]*\.[0-9a-f]{12}\.[a-z]+$`)

// maxTries is how many times a file is asked for again.
const maxTries = 4

// retryElsewhere sends who wants a file of another release to the same address: while
// instances change their release one after another, the next that a load balancer
// takes may have it. So that it does take one, the connection ends here.
func (a *Assets) retryElsewhere(w http.ResponseWriter, r *http.Request, name string, tried int) {
	a.policies.set(w.Header(), KindMoved)
	w.Header().Set("Connection", "close")
	http.Redirect(w, r, "/assets/"+name+"?tried="+strconv.Itoa(tried), http.StatusTemporaryRedirect)
}

// serveScript answers GET /checkout.js: evergreen, so it is asked for again
// after five minutes.
func (a *Assets) serveScript(w http.ResponseWriter, r *http.Request) error {
	return a.serveNamed(w, r, "checkout.js", KindScript)
}

// serveScriptVersion answers GET /checkout/{version}/checkout.js: the current
// version only, for ever the same.
func (a *Assets) serveScriptVersion(w http.ResponseWriter, r *http.Request) error {
	if r.PathValue("version") != a.version {
		return Refuse(wire.CodeNotFound, "")
	}
	return a.serveNamed(w, r, "checkout.js", KindRelease)
}

// serveIcon answers GET /icons/{symbol}.svg; a coin without a mark of its own
// gets the neutral one.
func (a *Assets) serveIcon(w http.ResponseWriter, r *http.Request) error {
	name := "icon-" + path.Base(r.URL.Path)
	if a.byName[name] == nil {
		name = "icon-default.svg"
	}
	return a.serveNamed(w, r, name, KindIcon)
}

// handleNamed returns what serves one file under a name without hash.
func (a *Assets) handleNamed(name string, k Kind) Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		return a.serveNamed(w, r, name, k)
	}
}

// serveNamed serves a file under a name without hash.
func (a *Assets) serveNamed(w http.ResponseWriter, r *http.Request, name string, k Kind) error {
	f := a.byName[name]
	if f == nil {
		return Refuse(wire.CodeNotFound, "")
	}
	a.Serve(w, r, f, k)
	return nil
}

// Serve answers with the best form of f that the client accepts.
func (a *Assets) Serve(w http.ResponseWriter, r *http.Request, f *Asset, k Kind) {
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
func (f *Asset) coding(accept string) string {
	for _, coding := range []string{"br", "gzip"} {
		there := f.forms[coding] != nil || coding == "gzip" && f.lazyGzip != nil
		if there && accepts(accept, coding) {
			return coding
		}
	}
	return identity
}

// content returns a form. Others than brotli of a file kept in that alone are made
// for the rare client that does not take it: gzip once, the plain one each time.
func (f *Asset) content(coding string) []byte {
	if content := f.forms[coding]; content != nil {
		return content
	}
	if coding == "gzip" {
		return f.lazyGzip()
	}
	return f.decompressed()
}

// decompressed returns the plain content of a file kept in brotli alone.
func (f *Asset) decompressed() []byte {
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
