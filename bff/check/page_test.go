package check

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"coinslot/bff/fortest"
)

const hash = "sha384-V37rTF68FNa/v2qtipH7h8Y7+ZZlM0hDkFU7ACRBqVcBJ1fzjRJHuD/gKZv9oIRN"

// newEmbedding is a shop's page with these headers.
func newEmbedding(headers ...string) Embedding {
	return Embedding{
		URL:       "https://pay.example",
		Version:   "1.0.0",
		Integrity: hash,
		API:       true,
		Given:     "https://shop.example",
		Origin:    "https://shop.example",
		Listed:    true,
		Pasted:    strings.Join(headers, "\n")}
}

// result returns one check.
func result(t *testing.T, list []Finding, id string) Finding {
	t.Helper()
	i := slices.IndexFunc(list, func(c Finding) bool { return c.ID == id })
	if i < 0 {
		t.Fatalf("there is no check %s", id)
	}
	return list[i]
}

func TestHostPage(t *testing.T) {
	const csp = "Content-Security-Policy: "
	pinned := `<script async src="https://pay.example/checkout/1.0.0/checkout.js" integrity="` +
		hash + `" crossorigin></script>`
	for _, c := range []struct {
		headers, check string
		want           Status
		add            string // lines, joined by "|"
	}{
		{"content-type: text/html", "page-script", OK, ""},
		{"content-type: text/html", "page-frame", OK, ""},
		{csp + "script-src 'self' https://pay.example", "page-script", OK, ""},
		{csp + "script-src 'self'", "page-script", Fail, "script-src 'self' https://pay.example"},
		{csp + "script-src 'none'", "page-script", Fail, "script-src https://pay.example"},
		{csp + "script-src", "page-script", Fail, "script-src https://pay.example"},
		{
			csp + "default-src 'self' *.cdn.example",
			"page-script",
			Fail,
			"script-src 'self' *.cdn.example https://pay.example",
		},
		{
			csp + "default-src 'none'; script-src 'self'; script-src-elem 'none'",
			"page-script",
			Fail,
			"script-src-elem https://pay.example",
		},
		{csp + "script-src 'self'; script-src-elem https:", "page-script", OK, ""},
		{csp + "default-src https:", "page-script", OK, ""},
		{csp + "img-src 'self'", "page-script", OK, ""},
		{
			csp + "script-src 'nonce-abc' 'self'",
			"page-script",
			Warn,
			`<script nonce="…" async src="https://pay.example/checkout.js"></script>`,
		},
		{csp + "script-src 'nonce-abc' https://pay.example", "page-script", OK, ""},
		{
			csp + "script-src 'strict-dynamic' 'nonce-abc' https://pay.example",
			"page-script",
			Warn,
			`<script nonce="…" async src="https://pay.example/checkout.js"></script>`,
		},
		{
			csp + "script-src 'strict-dynamic' 'sha256-abc' https://pay.example",
			"page-script",
			Fail,
			"script-src 'strict-dynamic' 'sha256-abc' https://pay.example '" + hash + "'",
		},
		{csp + "script-src '" + hash + "'", "page-script", OK, ""},
		{csp + "script-src https://pay.example/checkout/", "page-script", Warn, pinned},
		{
			csp + "script-src https://pay.example, script-src 'self'",
			"page-script",
			Fail,
			"script-src 'self' https://pay.example",
		},
		{
			csp + "script-src 'none'\n" + csp + "script-src 'self'",
			"page-script",
			Fail,
			"script-src https://pay.example|script-src 'self' https://pay.example",
		},
		{"Content-Security-Policy-Report-Only: script-src 'none'", "page-script", OK, ""},
		{
			csp +
				"require-trusted-types-for 'script'; trusted-types 'none'; style-src 'none'; connect-src 'none'",
			"page-script",
			OK,
			"",
		},

		{csp + "frame-src https://pay.example", "page-frame", OK, ""},
		{csp + "frame-src 'self'", "page-frame", Fail, "frame-src 'self' https://pay.example"},
		{csp + "child-src 'self'", "page-frame", Fail, "child-src 'self' https://pay.example"},
		{csp + "child-src 'none'; frame-src https://*.example", "page-frame", OK, ""},
		{csp + "default-src 'none'", "page-frame", Fail, "frame-src https://pay.example"},
		{
			csp + "frame-src https://pay.example/checkout/",
			"page-frame",
			Warn,
			"frame-src https://pay.example/checkout/ https://pay.example",
		},
		{csp + "frame-src http://pay.example", "page-frame", OK, ""},

		{
			csp + "sandbox allow-scripts",
			"page-sandbox",
			Fail,
			"sandbox allow-scripts allow-same-origin allow-forms allow-popups allow-popups-to-escape-sandbox",
		},
		{
			csp + "sandbox allow-scripts allow-forms allow-same-origin",
			"page-sandbox",
			Warn,
			"sandbox allow-scripts allow-forms allow-same-origin allow-popups allow-popups-to-escape-sandbox",
		},
		{
			csp +
				"sandbox allow-scripts allow-forms allow-same-origin allow-popups allow-popups-to-escape-sandbox",
			"page-sandbox",
			OK,
			"",
		},

		{"permissions-policy: camera=()", "page-clipboard", OK, ""},
		{"permissions-policy: clipboard-write=*", "page-clipboard", OK, ""},
		{
			"permissions-policy: clipboard-write=()",
			"page-clipboard",
			Warn,
			`clipboard-write=(self "https://pay.example")`,
		},
		{
			"permissions-policy: camera=(), clipboard-write=(self \"https://a.example\");report-to=x",
			"page-clipboard",
			Warn,
			`clipboard-write=(self "https://a.example" "https://pay.example")`,
		},
		{
			"permissions-policy: clipboard-write=(self \"https://pay.example\")",
			"page-clipboard",
			OK,
			"",
		},
		{"permissions-policy: x=\"clipboard-write=()\"", "page-clipboard", OK, ""},

		{
			"integrity-policy: blocked-destinations=(script), endpoints=(x)",
			"page-integrity",
			Warn,
			pinned,
		},
		{"integrity-policy: blocked-destinations=(style)", "page-integrity", OK, ""},
		{"cross-origin-embedder-policy: require-corp", "page-isolation", OK, ""},

		{"HTTP/1.1 301 Moved\nLocation: /x", "page-headers", Warn, ""},
		{
			"HTTP/1.1 301 Moved\nLocation: /x\n\nHTTP/1.1 200 OK\ncontent-type: text/html",
			"page-headers",
			OK,
			"",
		},
		{"HTTP/2 405\ncontent-type: text/html", "page-headers", Warn, ""},
		{"content-type: application/json", "page-headers", Warn, ""},
		{"hello", "page-headers", Fail, ""},
	} {
		got := result(t, newEmbedding(c.headers).Findings(), c.check)
		if add := strings.Join(got.Add, "|"); got.Status != c.want || add != c.add {
			t.Errorf("%s of %q = %s, add %q; want %s, %q", c.check, c.headers, got.Status, add,
				c.want, c.add)
		}
	}
}

// One page may allow everything of another one's without knowing: what is the
// checkout's own is allowed by 'self'.
func TestHostPageOfTheSameOrigin(t *testing.T) {
	e := newEmbedding("content-security-policy: default-src 'self'",
		"permissions-policy: clipboard-write=(self)")
	e.Origin = e.URL
	for _, c := range e.Findings() {
		if c.By == Page && c.Status != OK {
			t.Errorf("%s = %s: %s", c.ID, c.Status, c.Text)
		}
	}
}

func TestParsePasted(t *testing.T) {
	for name, text := range map[string]string{
		"curl -sI":      "HTTP/2 200 \r\nContent-Security-Policy: frame-src 'self'\r\nX: y\r\n\r\n",
		"curl -v":       "* Connected\n> GET / HTTP/2\n> content-security-policy: none\n>\n< HTTP/2 200\n< content-security-policy: frame-src 'self'\n< \n* done\n",
		"after another": "HTTP/1.1 302 Found\ncontent-security-policy: frame-src *\n\nHTTP/1.1 200 OK\ncontent-security-policy: frame-src 'self'\n\n<html>\ncontent-security-policy: img-src *\n",
		"pseudo":        ":status: 200\ncontent-security-policy: frame-src 'self'",
		"on two lines":  "x:\ny\ncontent-security-policy:\nframe-src 'self'\nz:\nw",
		"folded":        "content-security-policy: frame-src\n 'self'",
		"blank between": "x: y\n\ncontent-security-policy: frame-src 'self'",
		"in the page":   "HTTP/2 200\ncontent-type: text/html\n\n<meta charset=x><META content=\"frame-src &#39;self&#39;; sandbox; report-uri /x\" HTTP-EQUIV='Content-Security-Policy'>",
	} {
		r := parsePasted(text)
		got := append(r.headers["content-security-policy"], r.meta...)
		if len(got) != 1 || got[0] != "frame-src 'self'" {
			t.Errorf("%s: policies %q; want frame-src 'self'", name, got)
		}
	}
}

// What is shown again judges the same, and holds nothing that is not judged.
func TestKept(t *testing.T) {
	text := "HTTP/2 200\nset-cookie: secret\nx-powered-by: secret\ncontent-type: text/html\ncontent-security-policy: script-src 'self'\n\n<meta http-equiv=content-security-policy content=\"frame-src 'none'\">secret"
	kept := Kept(text)
	fortest.Lacks(t, "Kept holds what is not judged", kept, "secret")
	if kept != Kept(kept) {
		t.Errorf("Kept(%q) = %q", kept, Kept(kept))
	}
	for _, id := range []string{"page-script", "page-frame"} {
		fortest.Equal(t, result(t, newEmbedding(kept).Findings(), id).Status, Fail,
			"%s of %q", id, kept)
	}
}

// What anybody may post does not keep the server busy: a post has 64 KiB.
func TestHostilePastesAreFast(t *testing.T) {
	fill := func(start, part string) string {
		return start + strings.Repeat(part, (64<<10-len(start))/len(part))
	}
	var names strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&names, "%x;", i)
	}
	for name, text := range map[string]string{
		"directives": "content-security-policy: " + names.String(),
		"policies":   fill("content-security-policy: ", "frame-src a,"),
		"sources":    fill("content-security-policy: script-src ", "a "),
		"folds":      fill("content-security-policy:\n", " x\n"),
		"metas":      fill("", "<meta http-equiv=content-security-policy "),
		"answers":    fill("", "HTTP/1.1 200\n"),
		"paths":      fill("content-security-policy: script-src https://pay.example", "/"),
		"members":    fill("permissions-policy: ", "clipboard-write=(,"),
	} {
		began := time.Now()
		newEmbedding(text).Findings()
		took := time.Since(began)
		t.Logf("%s: %s", name, took)
		if took > 2*time.Second {
			t.Errorf("%s: judged in %s", name, took)
		}
	}
}
