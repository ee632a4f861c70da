package console

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

// endpointHost is the part of an endpoint that may be shown, and a mark by which two of a
// host are distinguished: its path and its query may hold a key.
func endpointHost(endpoint string) string {
	u, err := url.Parse(endpoint)
	switch {
	case err != nil:
		return "an endpoint"
	case u.RequestURI() == "/":
		return u.Host
	}
	return u.Host + "/… " + endpointID(endpoint)[:6]
}

// endpointID is what forms name an endpoint by: its address may hold a key.
func endpointID(endpoint string) string {
	sum := sha256.Sum256([]byte(endpoint))
	return hex.EncodeToString(sum[:8])
}

// markup is what the page of an error has around its words.
var markup = regexp.MustCompile(`(?is)<style.*?(</style>|$)|<[^>]*(>|$)`)

// withoutMarkup is an endpoint's answer without markup: of a page's beginning, which is
// all that is kept, the words are what helps. An answer without words is left as it is.
func withoutMarkup(answer string) string {
	if !strings.HasPrefix(answer, "<") {
		return answer
	}
	words := strings.Join(
		strings.Fields(html.UnescapeString(markup.ReplaceAllString(answer, " "))), " ",
	)
	return cmp.Or(words, answer)
}

// formatStatus is an HTTP status in words: "404 Not Found".
func formatStatus(status int) string {
	return strings.TrimSpace(strconv.Itoa(status) + " " + http.StatusText(status))
}

// coinSymbol is the symbol of a currency code, "USDT" of "usdt_trc20".
func coinSymbol(code string) string {
	symbol, _, _ := strings.Cut(strings.ToUpper(code), "_")
	return symbol
}
