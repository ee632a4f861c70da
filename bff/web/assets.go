package web

import (
	"bytes"
	"cmp"
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

// Assets serves static files: built ones under /assets with a hash in their name, and the
// merchant's script, its types and the icons under fixed names.
type Assets struct {
	byName map[string]*Asset // by plain name, "app.wasm"
	byHash map[string]*Asset // by name with hash, "app.1f2e3d4c5b6a.wasm"
	// version is that of checkout.js and part of its immutable URL.
	version    string
	policies   policies
	dictionary *dictionary // nil = framed.js is not built
	// More finds further files under /assets by their hashed name; nil = none.
	More func(name string) *Asset
}

// NewAsset returns a file with compressed forms. Its hashed name is made from stem and
// extension, "openapi" and ".json".
func NewAsset(stem, extension, mime string, content []byte) *Asset {
	return &Asset{
		name: hashName(stem, extension, content),
		mime: mime,
		forms: map[string][]byte{
			identity: content,
			"br":     compress("br", content),
			"gzip":   compress("gzip", content),
		},
	}
}

// NewLogo returns the shop's logo, with the extension ".svg" or ".png".
func NewLogo(extension string, content []byte) *Asset {
	logo := NewAsset("logo", extension, mimeOf(extension), content)
	logo.kind = KindLogo
	return logo
}

func hashName(stem, extension string, content []byte) string {
	sum := sha256.Sum256(content)
	return stem + "." + hex.EncodeToString(sum[:6]) + extension
}

// URL is the immutable path of a file that [Assets.More] finds; "" for nil.
func (a *Asset) URL() string {
	if a == nil {
		return ""
	}
	return "/assets/" + a.name
}

// Name is the hashed name.
func (a *Asset) Name() string { return a.name }

// Asset is one file in all its content codings.
type Asset struct {
	name      string // with the content's hash
	mime      string
	integrity string            // for <script integrity>; empty for sources
	kind      Kind              // KindData = KindHashed
	forms     map[string][]byte // by content coding: "br", "gzip", "identity"
	// lazyGzip makes the gzip form, once, of a file that is built in brotli only; nil = none.
	lazyGzip func() []byte
}

// newAssets reads static.Files. If nothing is built (see tools/assets), it takes the sources of
// stylesheets and icons: pages then work as HTML, without scripts. Errors: an invalid manifest;
// a file of it is missing.
func newAssets(files fs.FS) (*Assets, error) {
	a := &Assets{
		byName:   map[string]*Asset{},
		byHash:   map[string]*Asset{},
		policies: newPolicies(nil, ""),
	}

	manifest, err := fs.ReadFile(files, "dist/manifest.json")
	switch {
	case errors.Is(err, fs.ErrNotExist): // nothing is built
		err = a.readSources(files)
	case err == nil:
		err = a.readBuilt(files, manifest)
	}
	if err != nil {
		return nil, fmt.Errorf("reading assets: %w", err)
	}

	a.version = versionOf(a.byName["checkout.js"])
	if framed := a.byName["framed.js"]; framed != nil {
		a.dictionary, err = newDictionary(framed.content(identity))
		if err != nil {
			return nil, fmt.Errorf("reading assets: %w", err)
		}
	}
	return a, nil
}

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
			name:      entry.File,
			mime:      mimeOf(name),
			integrity: entry.Integrity,
			forms:     map[string][]byte{},
		}
		exists := map[string]bool{"": entry.Plain, ".br": entry.Brotli > 0, ".gz": entry.Gzip > 0}
		for suffix, coding := range map[string]string{"": identity, ".br": "br", ".gz": "gzip"} {
			if !exists[suffix] {
				continue
			}
			content, err := fs.ReadFile(files, "dist/"+entry.File+suffix)
			if err != nil {
				return err
			}
			f.forms[coding] = content
		}
		if f.forms["gzip"] == nil && !entry.Plain {
			f.lazyGzip = sync.OnceValue(func() []byte { return compress("gzip", f.decompressed()) })
		}

		a.add(name, f)
	}

	return nil
}

func (a *Assets) readSources(files fs.FS) error {
	for name := range stylesheet.Parts {
		css, err := stylesheet.Join(files, name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err == nil {
			a.addSource(name, css)
		}
	}

	icons, err := fs.Glob(files, "icons/*.svg")
	if err != nil {
		return err
	}

	for _, name := range append(icons, "doctor.js") {
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

func (a *Assets) addSource(plain string, content []byte) {
	stem, extension, _ := strings.Cut(plain, ".")
	a.add(plain, &Asset{
		name:  hashName(stem, "."+extension, content),
		mime:  mimeOf(plain),
		forms: map[string][]byte{identity: content},
	})
}

func (a *Assets) add(name string, f *Asset) {
	a.byName[name] = f
	a.byHash[f.name] = f
}

// mimeOf is the content type by extension; that of the system differs between machines.
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
	case ".png":
		return "image/png"
	case ".json":
		return "application/json"
	case ".ts":
		return "text/plain; charset=utf-8"
	}

	return "application/octet-stream"
}

var scriptVersion = regexp.MustCompile(`version:\s*["'](\d+\.\d+\.\d+)["']`)

func versionOf(script *Asset) string {
	if script == nil {
		return ""
	}
	found := scriptVersion.FindSubmatch(script.forms["identity"])
	if found != nil {
		return string(found[1])
	}
	return ""
}

// URL returns the immutable path of a file by its plain name ("app.wasm"); "" = not built.
func (a *Assets) URL(name string) string {
	return a.byName[name].URL()
}

// Integrity returns the SRI hash of a file by its plain name; "" = not built.
func (a *Assets) Integrity(name string) string {
	if f := a.byName[name]; f != nil {
		return f.integrity
	}
	return ""
}

// Icon returns the path of a coin's icon.
func (a *Assets) Icon(symbol string) string {
	return "/icons/" + strings.ToLower(symbol) + ".svg"
}

// Text returns the content of a file by its plain name; "" = not built.
func (a *Assets) Text(name string) string {
	if f := a.byName[name]; f != nil {
		return string(f.content(identity))
	}
	return ""
}

// Version is that of checkout.js; "" = not built.
func (a *Assets) Version() string { return a.version }

// inlineSource is the CSP source that allows the inline script of framed pages: its hash.
func (a *Assets) inlineSource() string {
	script := a.Text("framed.js")
	if script == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(script))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

func (a *Assets) routes() []Route {
	named := func(name string, k Kind) Route {
		handle := func(w http.ResponseWriter, r *http.Request) error {
			return a.serveNamed(w, r, name, k)
		}
		return Route{Pattern: "GET /" + name, Kind: k, Handle: handle}
	}
	return []Route{
		{Pattern: "GET /assets/{file}", Kind: KindHashed, Handle: a.serveHashed},
		{
			Pattern: "GET /checkout/{version}/checkout.js",
			Kind:    KindRelease,
			Handle:  a.serveScriptVersion,
		},
		{Pattern: "GET /icons/{file}", Kind: KindIcon, Handle: a.serveIcon},
		named("checkout.js", KindScript), named("checkout.d.ts", KindPublished),
		named("custom-elements.json", KindPublished), named("web-types.json", KindPublished),
	}
}

// serveHashed is GET /assets/{file}: a file that never changes.
func (a *Assets) serveHashed(w http.ResponseWriter, r *http.Request) error {
	name := path.Base(r.URL.Path)
	f := a.byHash[name]
	if f == nil && a.More != nil {
		f = a.More(name)
	}

	tried, _ := strconv.Atoi(r.URL.Query().Get("tried"))
	switch {
	case f != nil:
		a.Serve(w, r, f, cmp.Or(f.kind, KindHashed))
	case tried < maxTries && hashedName.MatchString(name):
		a.retryElsewhere(w, r, name, tried+1)
	default:
		return Refuse(wire.CodeNotFound, "")
	}

	return nil
}

// hashedName matches hashed file names of any release.
var hashedName = regexp.MustCompile(`^[a-z][\w-]*\.[0-9a-f]{12}\.[a-z]+$`)

// maxTries bounds how often a client is redirected for a file.
const maxTries = 4

// retryElsewhere redirects a request for a file of another release to the same path: during a
// rolling update, another instance behind the load balancer may have it. Closing the connection
// makes the client reach one.
func (a *Assets) retryElsewhere(w http.ResponseWriter, r *http.Request, name string, tried int) {
	a.policies.set(w.Header(), KindMoved)
	w.Header().Set("Connection", "close")
	http.Redirect(w, r, "/assets/"+name+"?tried="+strconv.Itoa(tried), http.StatusTemporaryRedirect)
}

// serveScriptVersion is GET /checkout/{version}/checkout.js: the current version only.
func (a *Assets) serveScriptVersion(w http.ResponseWriter, r *http.Request) error {
	if r.PathValue("version") != a.version {
		return Refuse(wire.CodeNotFound, "")
	}
	return a.serveNamed(w, r, "checkout.js", KindRelease)
}

// serveIcon is GET /icons/{symbol}.svg; a coin without an icon gets the default one.
func (a *Assets) serveIcon(w http.ResponseWriter, r *http.Request) error {
	name := "icon-" + path.Base(r.URL.Path)
	if a.byName[name] == nil {
		name = "icon-default.svg"
	}
	return a.serveNamed(w, r, name, KindIcon)
}

// serveNamed serves a file by its plain name.
func (a *Assets) serveNamed(w http.ResponseWriter, r *http.Request, name string, k Kind) error {
	f := a.byName[name]
	if f == nil {
		return Refuse(wire.CodeNotFound, "")
	}
	a.Serve(w, r, f, k)
	return nil
}

// Serve answers with the smallest form of f that the client accepts.
func (a *Assets) Serve(w http.ResponseWriter, r *http.Request, f *Asset, k Kind) {
	coding := f.coding(r.Header.Get("Accept-Encoding"))
	h := w.Header()
	a.policies.set(h, k)
	h.Set("Content-Type", f.mime)
	if f == a.byName["framed.js"] {
		h.Set("Use-As-Dictionary", useAsDictionary)
	}
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

// coding is the smallest form that an Accept-Encoding header accepts.
func (a *Asset) coding(accept string) string {
	for _, coding := range []string{"br", "gzip"} {
		there := a.forms[coding] != nil || coding == "gzip" && a.lazyGzip != nil
		if there && accepts(accept, coding) {
			return coding
		}
	}
	return identity
}

// content returns a form. Of a file that is built in brotli only, the few clients without
// brotli get a gzip form that is made once, or a plain one that is made each time.
func (a *Asset) content(coding string) []byte {
	if content := a.forms[coding]; content != nil {
		return content
	}
	if coding == "gzip" {
		return a.lazyGzip()
	}
	return a.decompressed()
}

func (a *Asset) decompressed() []byte {
	content, err := io.ReadAll(brotli.NewReader(bytes.NewReader(a.forms["br"])))
	if err != nil {
		return nil // it is embedded, and a test has read it
	}
	return content
}

// matchesTag reports whether an If-None-Match header names tag, also weakly. Source: RFC 9110,
// 13.1.2.
func matchesTag(header, tag string) bool {
	tags := strings.Split(header, ",")
	for i := range tags {
		tags[i] = strings.TrimPrefix(strings.TrimSpace(tags[i]), "W/")
	}
	return slices.Contains(tags, tag) || slices.Contains(tags, "*")
}
