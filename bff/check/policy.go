package check

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// policy is one Content-Security-Policy. A page may have several; all apply.
type policy []directive

// directive is a lower-case name with its values.
type directive struct {
	name   string
	values []string
}

// parsePolicies reads the values of Content-Security-Policy headers; each may hold several
// policies. Empty ones are left out. Source: CSP3, 2.2.1 and 2.2.2.
func parsePolicies(headers []string) []policy {
	var list []policy
	for _, header := range headers {
		for text := range strings.SplitSeq(header, ",") {
			if p := parsePolicy(text); len(p) > 0 {
				list = append(list, p)
			}
		}
	}
	return list
}

// parsePolicy reads one policy. Of duplicate directives the first counts.
func parsePolicy(text string) policy {
	var p policy
	space := func(r rune) bool { return strings.ContainsRune(" \t\r\n\f", r) }
	for part := range strings.SplitSeq(text, ";") {
		if words := strings.FieldsFunc(part, space); len(words) > 0 {
			p = append(p, directive{strings.ToLower(words[0]), words[1:]})
		}
	}
	return p
}

// first returns the first of names that the policy has.
func (p policy) first(names ...string) (directive, bool) {
	for _, name := range names {
		i := slices.IndexFunc(p, func(d directive) bool { return d.name == name })
		if i >= 0 {
			return p[i], true
		}
	}
	return directive{}, false
}

// has reports whether a keyword like 'strict-dynamic' is among the values.
func (d directive) has(keyword string) bool {
	return slices.ContainsFunc(d.values,
		func(v string) bool { return strings.EqualFold(v, keyword) })
}

func (d directive) hasNonce() bool {
	return slices.ContainsFunc(d.values,
		func(v string) bool { return strings.HasPrefix(strings.ToLower(v), "'nonce-") })
}

// with returns the directive with source added. One inherited from default-src is renamed to
// name, so that nothing else is allowed.
func (d directive) with(name, source string) string {
	if d.name != "default-src" {
		name = d.name
	}
	words := []string{name}
	for _, v := range d.values {
		if !strings.EqualFold(v, "'none'") {
			words = append(words, v)
		}
	}
	return strings.Join(append(words, source), " ")
}

// allows reports whether a source matches target, for a page at page. It ignores nonces, hashes and
// 'strict-dynamic'. Source: CSP3, 6.7.2.7.
func (d directive) allows(target, page *url.URL) bool {
	return slices.ContainsFunc(d.values,
		func(v string) bool { return sourceMatches(v, target, page) })
}

// sourceMatches is CSP3, 6.7.2.8, without redirects.
func sourceMatches(source string, target, page *url.URL) bool {
	switch strings.ToLower(source) {
	case "*":
		return target.Scheme == "http" || target.Scheme == "https" ||
			schemeMatches(page.Scheme, target.Scheme)
	case "'self'":
		return selfMatches(target, page)
	}
	if strings.HasPrefix(source, "'") {
		return false
	}

	scheme, rest, isHost := cutScheme(source)
	if !schemeMatches(cmp.Or(scheme, page.Scheme), target.Scheme) {
		return false
	}
	if !isHost {
		return true
	}

	authority := cutBefore(rest, "/")
	path := rest[len(authority):]
	host, port := cutPort(authority)
	return hostMatches(host, target.Hostname()) && portMatches(port, target) &&
		pathMatches(path, target.EscapedPath())
}

// cutScheme splits a source; isHost is false for a scheme alone, "https:".
func cutScheme(source string) (scheme, rest string, isHost bool) {
	if scheme, rest, found := strings.Cut(source, "://"); found {
		return strings.ToLower(scheme), rest, true
	}
	scheme, found := strings.CutSuffix(source, ":")
	if found && scheme != "" &&
		!strings.ContainsAny(scheme, ":/.") {
		return strings.ToLower(scheme), "", false
	}
	return "", source, true
}

func cutPort(authority string) (host, port string) {
	i := strings.LastIndexByte(authority, ':')
	if i < 0 || strings.HasSuffix(authority, "]") {
		return authority, ""
	}
	return authority[:i], authority[i+1:]
}

// schemeMatches: an insecure scheme matches its secure form too.
func schemeMatches(allowed, scheme string) bool {
	also := map[string][]string{"http": {"https"}, "ws": {"wss", "http", "https"}, "wss": {"https"}}
	return scheme == allowed || slices.Contains(also[allowed], scheme)
}

// selfMatches: the same origin, or the same host with https on the usual ports.
func selfMatches(target, page *url.URL) bool {
	if page.Host == "" || target.Hostname() != page.Hostname() {
		return false
	}
	if portOf(target) == portOf(page) {
		return target.Scheme == page.Scheme || target.Scheme == "https"
	}
	return target.Scheme == "https" && usualPort(target) && usualPort(page)
}

// hostMatches compares IP addresses as text, as browsers do.
func hostMatches(pattern, host string) bool {
	pattern = strings.ToLower(pattern)
	host = strings.Trim(host, "[]")
	if pattern == "*" {
		return true
	}
	if rest, wild := strings.CutPrefix(pattern, "*"); wild {
		return strings.HasPrefix(rest, ".") && strings.HasSuffix(host, rest) && !isIP(host)
	}
	return strings.Trim(pattern, "[]") == host
}

// portMatches: no port means the scheme's default; 80 matches 443 too.
func portMatches(port string, target *url.URL) bool {
	switch {
	case port == "*":
		return true
	case port == "":
		return usualPort(target)
	}

	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return false
	}

	port = strconv.FormatUint(n, 10)
	return port == portOf(target) ||
		port == "80" && target.Scheme == "https" && portOf(target) == "443"
}

func portOf(u *url.URL) string {
	implied := map[string]string{"http": "80", "ws": "80", "https": "443", "wss": "443"}
	return cmp.Or(u.Port(), implied[u.Scheme])
}

func usualPort(u *url.URL) bool {
	return portOf(u) == portOf(&url.URL{Scheme: u.Scheme})
}

// pathMatches: a path that ends in a slash matches everything below it. Source: CSP3, 6.7.2.12.
func pathMatches(pattern, path string) bool {
	if pattern == "" || pattern == "/" {
		return true
	}

	want := strings.Split(pattern, "/")
	have := strings.Split(path, "/")
	if below := strings.HasSuffix(pattern, "/"); below {
		want = want[:len(want)-1]
		if len(have) <= len(want) {
			return false
		}
		have = have[:len(want)]
	}

	return slices.EqualFunc(want, have, func(a, b string) bool {
		a, errA := url.PathUnescape(a)
		b, errB := url.PathUnescape(b)
		return errA == nil && errB == nil && a == b
	})
}
