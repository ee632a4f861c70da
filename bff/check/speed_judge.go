package check

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// speedRules are what the requests are judged by, and the text if none is at fault.
var speedRules = [...]struct{ id, good, fix string }{
	{"redirects", "none", "use the last address in links and tags"},
	{"tls", "TLS 1.3", "turn on TLS 1.3 (nginx: ssl_protocols TLSv1.2 TLSv1.3)"},
	{"protocol", "HTTP/2", "turn on HTTP/2 (nginx: http2 on)"},
	{"reuse", "connections stay open", "let the proxy keep them (nginx: keepalive_timeout 65s)"},
	{"compression", "all that is large is compressed",
		"compress it, or let the proxy pass on Accept-Encoding and Content-Encoding"},
	{"cache", "browsers may store files", "let the proxy pass on the checkout's Cache-Control"},
	{"distance", "round trips take at most 200 ms",
		"serve it nearer to your shoppers, and measure from where they are"},
}

// judge finds what slows the requests down.
func judge(all []Request) (list findings) {
	if len(all) == 0 {
		return nil
	}
	tried, faults := map[string]bool{}, map[string][]string{}
	try := func(rule string, isFault bool, format string, args ...any) {
		tried[rule] = true
		text := fmt.Sprintf(format, args...)
		if isFault && !slices.Contains(faults[rule], text) {
			faults[rule] = append(faults[rule], text)
		}
	}
	for _, r := range all {
		try("redirects", r.Status/100 == 3, "%s leads elsewhere after %d ms", r.URL, r.Whole)
		if r.Secure != "" {
			try("protocol", r.Protocol != "HTTP/2.0", "%s answers by %s", r.host, r.Protocol)
		}
		if r.Secure != "" || !isLocal("http://"+r.host) {
			try("tls", r.Secure != "TLS 1.3", "%s uses %s", r.host, cmp.Or(r.Secure, "no TLS"))
		}
		if r.Bytes > 1400 || r.Coding != "" { // more than a packet
			try("compression", r.Coding == "", "%s has %d bytes, uncompressed", r.Name, r.Bytes)
		}
		isHashed := r.Method == http.MethodHead
		if isHashed || strings.HasSuffix(r.Name, ".js") {
			age, least := 0, map[bool]int{true: 30 * 24 * 3600, false: 60}[isHashed] // in seconds
			_, value, _ := strings.Cut(r.Cache, "max-age=")
			_, _ = fmt.Sscanf(value, "%d", &age)
			isShort := age < least || strings.Contains(r.Cache, "no-")
			try("cache", isShort, "%s has %s", r.Name, cmp.Or(r.Cache, "no Cache-Control"))
		}
		isLater, isReused, trip := false, false, 0
		for _, o := range all {
			isLater = isLater || o.pool == r.pool && o.ended < r.began
			isReused = isReused || o.pool == r.pool && o.Reused
			if o.host == r.host && o.TCP > 0 && (trip == 0 || o.TCP < trip) {
				trip = o.TCP
			}
		}
		if isLater {
			try("reuse", !isReused, "%s closes its connections after an answer", r.host)
		}
		if trip > 0 {
			try("distance", trip > 200, "%s: %d ms for a round trip", r.host, trip)
		}
	}
	for _, rule := range speedRules {
		switch found := faults[rule.id]; {
		case found != nil:
			list = append(list, warn(rule.id, strings.Join(found, "; "), rule.fix)...)
		case tried[rule.id]:
			list = append(list, ok(rule.id, rule.good)...)
		default:
			list = append(list, unknown(rule.id, "not tried")...)
		}
	}
	return list
}
