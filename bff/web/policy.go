package web

import (
	"net/http"
	"strings"
)

// Kind is what an answer is to the browser that gets it.
type Kind int

// Every answer is of one of these kinds; one that says nothing else is data.
const (
	KindData      Kind = iota // JSON, problems, plain text: for whoever has asked, never kept
	KindPage                  // the checkout, in frames of the listed shops
	KindFramed                // one that has its script in it
	KindAlone                 // a page that belongs in no frame
	KindDoctor                // a page that belongs in no frame, and tries one of the checkout's
	KindMoved                 // a redirect to a page
	KindPicture               // a QR code
	KindHashed                // a file whose name changes with its content
	KindScript                // checkout.js, evergreen
	KindRelease               // checkout.js of one version
	KindModule                // a script that a page of any origin imports
	KindManual                // a page of documentation
	KindPublished             // what anybody may read: types, descriptions, public keys
	KindIcon                  // a coin's mark
	KindConsole               // the operator's pages
)

// kindNames are in the order of the constants.
var kindNames = [...]string{
	"data", "page", "framed", "alone", "doctor", "moved", "picture", "hashed", "script", "release",
	"module", "manual", "published", "icon", "console",
}

// String returns the kind's name, "page".
func (k Kind) String() string { return kindNames[k] }

// Values that several kinds have.
const (
	closedCSP = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
	// a picture that is opened on its own runs and loads nothing
	inertCSP = closedCSP + "; sandbox"
	// The console runs nothing and shows nothing of anybody else.
	consoleCSP = "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; " +
		"base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; " +
		"trusted-types 'none'"
	forever    = "public, max-age=31536000, immutable"
	negotiated = "Accept, Accept-Language"
	compressed = "Accept, Accept-Encoding, Accept-Language"
)

// unusedFeatures are the features of a browser that no page needs, so that nothing in it
// can ask for them. One that Chromium does not know on some machine, such as
// bluetooth and web-share on Linux, is a warning in every console: it is left out.
var unusedFeatures = []string{
	"accelerometer", "autoplay", "camera", "clipboard-read", "display-capture", "encrypted-media",
	"fullscreen",
	"geolocation", "gyroscope", "hid", "idle-detection", "local-fonts", "magnetometer",
	"microphone", "midi", "payment", "picture-in-picture",
	"publickey-credentials-create", "publickey-credentials-get", "screen-wake-lock", "serial",
	"storage-access", "sync-xhr", "usb",
	"window-management", "xr-spatial-tracking",
}

// policy is the headers of one kind of answer, "" for those that it has not.
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

// policies is the one table of headers, by kind. Pages, what they are redirected
// through and their files may be loaded by other origins, because a host page
// that is cross-origin isolated asks for that; what holds a session may not.
type policies map[Kind]policy

// newPolicies returns the table of a server whose pages the origins may frame.
// inline is the source that allows the one script in pages of frames; empty = none
// is there.
func newPolicies(origins []string, inline string) policies {
	features := strings.Join(unusedFeatures, "=(), ") + "=(), clipboard-write=(self)"
	framers := strings.Join(append([]string{"'self'"}, origins...), " ")
	file := policy{
		content: inertCSP, vary: "Accept-Encoding", resource: "cross-origin", opener: "same-origin",
	}
	return policies{
		KindData: {closedCSP, "no-store", negotiated, "same-origin", "same-origin", "", "", ""},
		KindPage: {
			pageCSP(framers), "no-store", compressed, "cross-origin", "same-origin-allow-popups",
			"require-corp", features, "",
		},
		KindFramed: {
			pageCSP(framers, inline), "no-store", compressed, "cross-origin",
			"same-origin-allow-popups", "require-corp", features, "",
		},
		KindAlone: {
			pageCSP("'none'"), "no-store", compressed, "same-origin", "same-origin", "require-corp",
			features, "",
		},
		KindDoctor: {
			pageCSP("'none'") + "; frame-src 'self'", "no-store", negotiated, "same-origin",
			"same-origin", "require-corp", features, "",
		},
		KindMoved: {
			closedCSP, "no-store", negotiated, "cross-origin", "same-origin-allow-popups",
			"require-corp", "", "",
		},
		KindPicture: {
			inertCSP, "no-store", "Accept-Encoding", "same-origin", "same-origin", "", "", "",
		},
		KindHashed: file.withCache(forever),
		KindScript: file.withCache("public, max-age=300, stale-while-revalidate=86400").
			readableByAll(),
		KindRelease: file.withCache(forever).readableByAll(),
		KindModule: {
			inertCSP, "public, max-age=60", "Accept-Language", "cross-origin", "same-origin", "",
			"",
			"*",
		},
		KindManual: {
			pageCSP("'none'"), "public, max-age=300", "Accept-Encoding", "same-origin",
			"same-origin", "require-corp", features, "",
		},
		KindPublished: file.withCache("public, max-age=300").readableByAll(),
		KindIcon:      file.withCache("public, max-age=86400").readableByAll(),
		KindConsole: {
			consoleCSP, "no-store", "Accept, Cookie", "same-origin", "same-origin", "require-corp",
			strings.Join(unusedFeatures, "=(), ") + "=(), clipboard-write=()", "",
		},
	}
}

// pageCSP is the Content-Security-Policy of a page: nothing is loaded from
// anywhere else, nothing inline runs but what has one of the hashes, and no text
// becomes a script.
func pageCSP(framers string, hashes ...string) string {
	scripts := strings.TrimSpace(strings.Join(append([]string{"'self'"}, hashes...), " "))
	return "default-src 'none'; script-src " + scripts +
		" 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
		"form-action 'self'; base-uri 'none'; frame-ancestors " + framers +
		"; require-trusted-types-for 'script'; trusted-types 'none'"
}

// withCache returns p with how long caches may keep it.
func (p policy) withCache(cache string) policy {
	p.cache = cache
	return p
}

// readableByAll returns p for what pages of every origin may read.
func (p policy) readableByAll() policy {
	p.readers = "*"
	return p
}

// set makes an answer one of kind k, whatever it was to be before. Names are in
// their canonical form. X-Frame-Options
// is never sent: it cannot name several origins, and frame-ancestors rules over it.
func (list policies) set(h http.Header, k Kind) {
	p := list[k]
	values := make([]string, 0, 8) // of all of them: each header set alone is an allocation
	for _, header := range [...]struct{ name, value string }{
		{"Content-Security-Policy", p.content}, {"Cache-Control", p.cache}, {"Vary", p.vary},
		{"Cross-Origin-Resource-Policy", p.resource}, {"Cross-Origin-Opener-Policy", p.opener},
		{"Cross-Origin-Embedder-Policy", p.embedder}, {"Permissions-Policy", p.features},
		{"Access-Control-Allow-Origin", p.readers},
	} {
		if header.value == "" {
			delete(h, header.name)
			continue
		}
		values = append(values, header.value)
		h[header.name] = values[len(values)-1 : len(values) : len(values)]
	}
}

// Headers that many answers have, each with memory that all of them share: nobody changes it.
var (
	noSniffing   = []string{"nosniff"}
	ownReferrer  = []string{"same-origin"}
	onlySecurely = []string{"max-age=31536000"}
	asJSON       = []string{"application/json"}
)

// setCommonHeaders sets the headers that all answers carry, and those of data. The referrer
// policy is not no-referrer because a form would then post with "Origin: null".
func (s *Server) setCommonHeaders(h http.Header, request string) {
	h.Set("X-Request-Id", request)
	h["X-Content-Type-Options"], h["Referrer-Policy"] = noSniffing, ownReferrer
	if strings.HasPrefix(s.PublicURL, "https:") {
		h["Strict-Transport-Security"] = onlySecurely
	}
	s.policies.set(h, KindData)
}

// SetKind makes an answer one of kind k.
func (s *Server) SetKind(w http.ResponseWriter, k Kind) { s.policies.set(w.Header(), k) }

// Redirect sends the browser to a page of ours.
func (s *Server) Redirect(w http.ResponseWriter, r *http.Request, to string) {
	s.SetKind(w, KindMoved)
	http.Redirect(w, r, to, http.StatusSeeOther)
}

// PublicHeaders are those of a kind, without the names of the shops that may frame it.
func (s *Server) PublicHeaders(k Kind) http.Header {
	h := http.Header{}
	newPolicies(nil, s.Assets.inlineSource()).set(h, k)
	return h
}
