package check

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"coinslot/bff/diagnose"

	"golang.org/x/net/html"
)

// speedTest loads a page and its checkout as a browser does.
type speedTest struct {
	*checker
	began       time.Time
	page, frame *http.Client // the same if both are of one site: else browsers share no connection
	mu          sync.Mutex
	requests    []Request
	found       findings // what failed, and whether the frame waits
}

// Speed loads a shop's page and what its checkout needs, and finds what makes them slow. It
// blocks for at most 15 seconds, and sends no key and no cookie.
func Speed(ctx context.Context, c Config, address string) Report {
	s := &speedTest{checker: &checker{Config: c.withDefaults()}, began: time.Now()}
	s.page, s.frame = s.client(true), s.client(true)
	defer s.page.CloseIdleConnections()
	defer s.frame.CloseIdleConnections()
	ctx, cancel := context.WithTimeout(ctx, partTimeout)
	defer cancel()
	if at, err := url.Parse(address); err == nil && at.Host != "" && at.User == nil {
		s.loadPage(ctx, at)
	} else {
		s.add(fail("page", "-speed needs an address, without a password",
			"-speed https://shop.example/cart"))
	}
	slices.SortFunc(s.requests, func(a, b Request) int { return cmp.Compare(a.began, b.began) })
	findings := append(s.found, judge(s.requests)...)
	return Report{Version: c.Version, Findings: findings, Requests: s.requests}
}

func (s *speedTest) loadPage(ctx context.Context, at *url.URL) {
	page, isThere := s.fetch(ctx, s.page, "page", at)
	if !isThere {
		return
	}
	e := findEmbed(page.body, page.Request.URL)
	if e.script == nil {
		s.add(fail("page", "no <script> of /checkout.js in its HTML; its Content-Type is "+
			cmp.Or(page.Header.Get("Content-Type"), "missing"),
			"give a page whose HTML embeds a checkout (docs/embed.md)"))
		return
	}
	if diagnose.SharedDomain(page.Request.URL.Hostname(), e.script.Hostname()) != "" {
		s.frame = s.page
	}
	var running sync.WaitGroup
	defer running.Wait()
	if e.inHTML {
		running.Go(func() { s.loadFrame(ctx, e.frame) })
	}
	sent := time.Now()
	if _, isThere = s.fetch(ctx, s.page, "checkout.js", e.script); !isThere {
		return
	}
	s.add(e.judge(time.Since(sent)))
	if e.frame != nil && !e.inHTML {
		running.Go(func() { s.loadFrame(ctx, e.frame) })
	}
	s.fetch(ctx, s.page, "embed.js", e.withQuery(e.script.ResolveReference(embedScript)))
}

// Paths of the server. A file whose name has a hash never changes.
var (
	embedScript = &url.URL{Path: "/checkout/embed.js"}
	scriptPath  = regexp.MustCompile(`^/checkout(/[^/]+/checkout)?\.js$`)
	hashedFile  = regexp.MustCompile(`(/[\w/-]+)\.[0-9a-f]{12}(\.\w+)`)
)

// loadFrame loads the frame, and the headers of files that it loads later, one of each type.
func (s *speedTest) loadFrame(ctx context.Context, at *url.URL) {
	framed, _ := s.fetch(ctx, s.frame, "frame", at)
	tried := map[string]bool{}
	for _, found := range hashedFile.FindAllStringSubmatch(string(framed.body), -1) {
		if kind := found[2]; !tried[kind] && len(tried) < 4 {
			tried[kind] = true
			name := path.Base(found[1]) + kind
			s.fetch(ctx, s.frame, name, at.ResolveReference(&url.URL{Path: found[0]}))
		}
	}
}

func (s *speedTest) add(list findings, requests ...Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.found, s.requests = append(s.found, list...), append(s.requests, requests...)
}

// fetch loads a URL and follows redirects. It reports why that failed.
func (s *speedTest) fetch(
	ctx context.Context, client *http.Client, name string, at *url.URL,
) (answer response, isThere bool) {
	for range 6 {
		var err error
		if answer, err = s.request(ctx, client, name, at); err != nil {
			s.add(unreachable(name, withoutQuery(at), at.Hostname(), err))
			return answer, false
		}
		next, err := at.Parse(answer.Header.Get("Location"))
		if answer.StatusCode/100 != 3 || err != nil {
			break
		}
		at = next
	}
	if answer.StatusCode != http.StatusOK {
		s.add(fail(name, fmt.Sprintf("%s: status %d", withoutQuery(at), answer.StatusCode),
			"open it in a private window: it has to load without signing in"))
	}
	return answer, answer.StatusCode == http.StatusOK
}

// withoutQuery is a URL without what may be an order.
func withoutQuery(u *url.URL) string { return u.Scheme + "://" + u.Host + u.Path }

// embed is how a page embeds the checkout.
type embed struct {
	origin        string
	script, frame *url.URL // nil = not in the HTML
	inHTML        bool     // the frame, and not only the link that leads to the same checkout
	isModal       bool
}

// findEmbed reads a page. A frame counts first, then the link of an inline element.
func findEmbed(page []byte, at *url.URL) embed {
	e := embed{origin: at.Scheme + "://" + at.Host}
	inside, isModal := false, false
	z := html.NewTokenizer(bytes.NewReader(page))
	for kind := z.Next(); kind != html.ErrorToken; kind = z.Next() {
		token, a := z.Token(), map[string]string{}
		for _, attribute := range token.Attr {
			a[attribute.Key] = attribute.Val
		}
		u, err := at.Parse(a["src"] + a["href"]) // an element has one of them
		if token.Data == "coinslot-checkout" {
			inside, isModal = kind == html.StartTagToken, a["mode"] == "modal"
		}
		switch {
		case err != nil || kind != html.StartTagToken:
		case token.Data == "script" && e.script == nil && scriptPath.MatchString(u.Path):
			e.script = u
		case e.inHTML || !inside || !strings.HasPrefix(u.Path, "/checkout"):
		case token.Data == "iframe" && !isModal:
			e.frame, e.inHTML = u, true
		case token.Data == "a" && (e.frame == nil || e.isModal && !isModal):
			e.frame, e.isModal = e.withQuery(u), isModal
		}
	}
	return e
}

// withQuery adds what checkout.js does.
func (e embed) withQuery(u *url.URL) *url.URL {
	query := u.Query()
	query.Set("embed", map[bool]string{true: "modal", false: "inline"}[e.isModal])
	query.Set("origin", e.origin)
	query.Set("lang", "en")
	return u.ResolveReference(&url.URL{RawQuery: query.Encode()})
}

// judge says whether the frame waits for the script, which took that long.
func (e embed) judge(took time.Duration) findings {
	switch {
	case e.frame == nil:
		return unknown("frame", "not tried: the HTML has no <coinslot-checkout> with a link inside")
	case e.inHTML:
		return ok("frame", "it is in the page's HTML and does not wait for checkout.js")
	case e.isModal:
		return ok("frame", "it is a dialog, which loads when the shopper reaches its link")
	}
	return warn("frame", fmt.Sprintf("it waits %d ms for checkout.js", took.Milliseconds()),
		"put the <iframe> into <coinslot-checkout> in your page's HTML (docs/embed.md)")
}
