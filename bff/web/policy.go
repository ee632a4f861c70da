package web

import (
	"net/http"
	"strings"
)

// Kind decides the headers of an answer.
type Kind int

// The default is KindData.
const (
	KindData      Kind = iota // JSON, problems, plain text; never cached
	KindPage                  // the checkout, in frames of the listed shops
	KindFramed                // a page with its script inline
	KindAlone                 // a page that may not be framed
	KindDoctor                // likewise, and frames the checkout: doctor, playground
	KindMoved                 // a redirect to a page
	KindPicture               // a QR code
	KindHashed                // a file whose name changes with its content
	KindLogo                  // the shop's logo, likewise
	KindScript                // checkout.js, evergreen
	KindRelease               // checkout.js of one version
	KindModule                // a script that pages of any origin import
	KindManual                // a page of documentation
	KindPublished             // public: types, API description, public keys
	KindIcon                  // a coin's icon
	KindConsole               // the operator's pages
)

// kindNames are in the order of the constants.
var kindNames = [...]string{
	"data", "page", "framed", "alone", "doctor", "moved", "picture", "hashed", "logo", "script",
	"release", "module", "manual", "published", "icon", "console",
}

// String returns the name, "page".
func (k Kind) String() string { return kindNames[k] }

const (
	closedCSP = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
	// a picture that is opened on its own runs and loads nothing
	inertCSP = closedCSP + "; sandbox"
	// The console has no scripts and no content of other origins.
	consoleCSP = "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; " +
		"base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; " +
		"trusted-types 'none'"
	forever    = "public, max-age=31536000, immutable"
	negotiated = "Accept, Accept-Language"
	compressed = "Accept, Accept-Encoding, Accept-Language"
)

// unusedFeatures are browser features that no page may use. Those that Chromium does not know on
// some systems, like bluetooth and web-share on Linux, are left out: they log warnings.
var unusedFeatures = []string{
	"accelerometer", "autoplay", "camera", "clipboard-read", "display-capture", "encrypted-media",
	"fullscreen", "geolocation", "gyroscope", "hid", "idle-detection", "local-fonts",
	"magnetometer",
	"microphone", "midi", "payment", "picture-in-picture", "publickey-credentials-create",
	"publickey-credentials-get", "screen-wake-lock", "serial", "storage-access", "sync-xhr", "usb",
	"window-management", "xr-spatial-tracking",
}

// policy is the headers of a kind; "" = not sent.
type policy struct {
	content  string // Content-Security-Policy
	cache    string // Cache-Control
	vary     string // Vary
	resource string // Cross-Origin-Resource-Policy: who may load it
	opener   string // Cross-Origin-Opener-Policy
	embedder string // Cross-Origin-Embedder-Policy
	features string // Permissions-Policy
	readers  string // Access-Control-Allow-Origin
}

// policies is the table of headers by kind. Other origins may load pages, redirects to them and
// their files, because a cross-origin isolated host page requires that, but no session data.
type policies map[Kind]policy

// newPolicies returns the table of a server whose pages the origins may frame. inline is the CSP
// source of the inline script; empty = there is none.
func newPolicies(origins []string, inline string) policies {
	features := strings.Join(unusedFeatures, "=(), ") + "=(), clipboard-write=(self)"
	framers := strings.Join(append([]string{"'self'"}, origins...), " ")
	file := policy{
		content:  inertCSP,
		vary:     "Accept-Encoding",
		resource: "cross-origin",
		opener:   "same-origin",
	}
	logo := file
	logo.content += "; style-src 'unsafe-inline'" // drawing programs write styles
	page := policy{pageCSP(framers), "no-store", compressed, "cross-origin",
		"same-origin-allow-popups", "require-corp", features, ""}
	framed := page
	alone := page
	framed.content = pageCSP(framers, inline)
	framed.vary += ", Available-Dictionary"
	alone.content = pageCSP("'none'")
	alone.resource = "same-origin"
	alone.opener = "same-origin"
	doctor := alone
	manual := alone
	console := alone
	doctor.content = alone.content + "; frame-src 'self'"
	doctor.vary = negotiated
	manual.cache = "public, max-age=300"
	manual.vary = "Accept-Encoding"
	console.content = consoleCSP
	console.vary = "Accept, Cookie"
	console.features = strings.Replace(features, "=(self)", "=()", 1)
	return policies{
		KindData:    {closedCSP, "no-store", negotiated, "same-origin", "same-origin", "", "", ""},
		KindPage:    page,
		KindFramed:  framed,
		KindAlone:   alone,
		KindDoctor:  doctor,
		KindManual:  manual,
		KindConsole: console,
		KindMoved: {closedCSP, "no-store", negotiated, "cross-origin", "same-origin-allow-popups",
			"require-corp", "", ""},
		KindPicture: {inertCSP, "no-store", "Accept-Encoding", "same-origin", "same-origin", "", "",
			""},
		KindHashed: file.withCache(forever),
		KindLogo:   logo.withCache(forever),
		KindScript: file.public("public, max-age=300, stale-while-revalidate=86400"),
		KindModule: {inertCSP, "public, max-age=60", "Accept-Encoding, Accept-Language",
			"cross-origin", "same-origin", "", "", "*"},
		KindRelease:   file.public(forever),
		KindPublished: file.public("public, max-age=300"),
		KindIcon:      file.public("public, max-age=86400"),
	}
}

// pageCSP is the Content-Security-Policy of a page: nothing from other origins, no inline script
// but those with a hash, no text as script.
func pageCSP(framers string, hashes ...string) string {
	scripts := strings.TrimSpace(strings.Join(append([]string{"'self'"}, hashes...), " "))
	return "default-src 'none'; script-src " + scripts +
		" 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
		"form-action 'self'; base-uri 'none'; frame-ancestors " + framers +
		"; require-trusted-types-for 'script'; trusted-types 'none'"
}

func (p policy) withCache(cache string) policy {
	p.cache = cache
	return p
}

// public is withCache for pages of every origin.
func (p policy) public(cache string) policy {
	p.cache = cache
	p.readers = "*"
	return p
}

// set replaces the headers by those of kind k. X-Frame-Options is never sent: it cannot name
// several origins, and frame-ancestors overrides it.
func (ps policies) set(h http.Header, k Kind) {
	p := ps[k]
	for _, header := range [...]struct{ name, value string }{
		{"Content-Security-Policy", p.content}, {"Cache-Control", p.cache}, {"Vary", p.vary},
		{"Cross-Origin-Resource-Policy", p.resource}, {"Cross-Origin-Opener-Policy", p.opener},
		{"Cross-Origin-Embedder-Policy", p.embedder}, {"Permissions-Policy", p.features},
		{"Access-Control-Allow-Origin", p.readers},
	} {
		if header.value == "" {
			h.Del(header.name)
			continue
		}
		h.Set(header.name, header.value)
	}
}

// setCommonHeaders sets the headers of all answers, and those of KindData. With the referrer
// policy no-referrer, forms would post with "Origin: null".
func (s *Server) setCommonHeaders(h http.Header, request string) {
	h.Set("X-Request-Id", request)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin")
	if strings.HasPrefix(s.PublicURL, "https:") {
		h.Set("Strict-Transport-Security", "max-age=31536000")
	}
	s.policies.set(h, KindData)
}

// SetKind sets the headers of kind k.
func (s *Server) SetKind(w http.ResponseWriter, k Kind) { s.policies.set(w.Header(), k) }

// Redirect redirects to a page of this server.
func (s *Server) Redirect(w http.ResponseWriter, r *http.Request, to string) {
	s.SetKind(w, KindMoved)
	http.Redirect(w, r, to, http.StatusSeeOther)
}

// PublicHeaders are those of a kind, without the origins that may frame it.
func (s *Server) PublicHeaders(k Kind) http.Header {
	h := http.Header{}
	newPolicies(nil, s.Assets.inlineSource()).set(h, k)
	return h
}
