package check

import (
	"html"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// pastedResponse has the headers of one response, by lower-case name.
type pastedResponse struct {
	status  int // 0 = no status line was pasted
	headers map[string][]string
	// meta has the policies of <meta http-equiv> elements, if the document was pasted too.
	meta []string
}

var (
	statusLine = regexp.MustCompile(`^HTTP/[0-9.]+ ([0-9]{3})\b`)
	headerLine = regexp.MustCompile(`^([A-Za-z0-9_-]+):(?:[ \t]+(.*))?$`)
	metaTag    = regexp.MustCompile(
		`(?is)<meta\b[^>]*http-equiv\s*=\s*["']?content-security-policy["']?[^>]*>`,
	)
	metaText = regexp.MustCompile(`(?is)\bcontent\s*=\s*(?:"([^"]*)"|'([^']*)')`)
)

// longestHeader is where joining lines stops, in bytes; servers allow less.
const longestHeader = 16 << 10

// parsePasted reads the output of curl with -I, -i or -v, or a header list of a browser's tools,
// where a value may be on the line after its name. After redirects the last response counts.
func parsePasted(text string) pastedResponse {
	r := pastedResponse{headers: map[string][]string{}}
	last := ""    // the header that a line continues
	body := false // whether the headers have ended
	for line := range strings.Lines(printable(text)) {
		line = strings.TrimRight(line, "\r\n")
		// curl -v; sent headers begin with "> "
		line = strings.TrimPrefix(line, "< ")
		found := statusLine.FindStringSubmatch(line)
		switch {
		case found != nil:
			r = pastedResponse{headers: map[string][]string{}}
			r.status, _ = strconv.Atoi(found[1]) // three digits
			last = ""
			body = false
		case body:
		case strings.TrimSpace(line) == "" || line == "<":
			body = len(r.headers) > 0 && r.status > 0
			last = ""
		default:
			last = r.addLine(line, last)
		}
	}

	r.meta = metaPolicies(text)
	return r
}

// addLine adds a line and returns the header that the next may continue.
func (r *pastedResponse) addLine(line, last string) string {
	values := r.headers[last]
	if last != "" &&
		(line[0] == ' ' || line[0] == '\t' ||
			values[len(values)-1] == "" && !headerLine.MatchString(line)) {
		i := len(values) - 1
		if len(values[i]) > longestHeader {
			return last
		}
		values[i] = strings.TrimSpace(values[i] + " " + strings.TrimSpace(line))
		return last
	}

	line, pseudo := strings.CutPrefix(line, ":")
	found := headerLine.FindStringSubmatch(line)
	if found == nil {
		return ""
	}

	name := strings.ToLower(found[1])
	if pseudo {
		n, err := strconv.Atoi(strings.TrimSpace(found[2]))
		if err == nil && name == "status" {
			r.status = n
		}
		return ""
	}

	r.headers[name] = append(r.headers[name], strings.TrimSpace(found[2]))
	return name
}

// metaPolicies finds the policies in <meta> elements, without directives that are ignored
// there. Source: CSP3, 3.3.
func metaPolicies(text string) []string {
	var list []string
	for _, tag := range metaTag.FindAllString(text, -1) {
		found := metaText.FindStringSubmatch(tag)
		if found == nil {
			continue
		}

		var kept []string
		for part := range strings.SplitSeq(html.UnescapeString(found[1]+found[2]), ";") {
			words := strings.Fields(part)
			if len(words) > 0 &&
				!slices.Contains(
					[]string{"sandbox", "frame-ancestors", "report-uri"}, strings.ToLower(words[0]),
				) {
				kept = append(kept, printable(strings.Join(words, " ")))
			}
		}

		list = append(list, strings.Join(kept, "; "))
	}

	return list
}

// printable replaces control characters.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\r' || r == '\t' || unicode.IsPrint(r) {
			return r
		}
		return '\ufffd'
	}, strings.ToValidUTF8(text, "\ufffd"))
}

// lines counts the header lines.
func (r pastedResponse) lines() int {
	n := 0
	for _, values := range r.headers {
		n += len(values)
	}
	return n
}

// Kept returns the pasted headers that checks use, to show them again: no cookies.
func Kept(pasted string) string {
	r := parsePasted(pasted)
	var b strings.Builder
	if r.status > 0 {
		b.WriteString("HTTP/1.1 " + strconv.Itoa(r.status) + "\n")
	}

	for _, name := range []string{"content-type", "content-security-policy", "permissions-policy",
		"cross-origin-embedder-policy", "integrity-policy"} {
		for _, value := range r.headers[name] {
			b.WriteString(name + ": " + value + "\n")
		}
	}

	for _, value := range r.meta {
		b.WriteString("content-security-policy: " + value + "\n")
	}

	return b.String()
}
