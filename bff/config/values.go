package config

import (
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // containers have none
	"unicode"
	"unicode/utf8"

	"coinslot/bff/webhook"
)

// Origin parses scheme://host[:port] and returns it as browsers serialize it: in lower case,
// without a final slash or default port. Host names must be ASCII. Errors say what an origin must
// be.
func Origin(v string) (string, error) {
	u, err := parseURL(strings.ToLower(strings.TrimSuffix(v, "/")))
	if err != nil || *u != (url.URL{Scheme: u.Scheme, Host: u.Host}) {
		return "", errors.New("must be an origin like https://shop.example, without a path")
	}
	implied := map[string]string{"https": ":443", "http": ":80"}[u.Scheme]
	return u.Scheme + "://" + strings.TrimSuffix(u.Host, implied), nil
}

// parseURL reads an absolute http(s) URL that all parsers read alike, by the rules for webhooks.
func parseURL(v string) (*url.URL, error) {
	if err := webhook.CheckEndpoint(v, true); err != nil {
		return nil, err
	}
	return url.Parse(v)
}

// Origins parses a comma-separated list of origins; see [Origin].
func Origins(v string) ([]string, error) {
	var list []string
	for _, part := range splitList(v) {
		o, err := Origin(part)
		if err != nil {
			return nil, errors.New("must be origins like https://shop.example, comma " +
				"separated; * is not accepted")
		}
		list = append(list, o)
	}
	return list, nil
}

// parseGatewayURL accepts https, and http on this machine: requests contain the key. It returns
// the URL without a slash at the end.
func parseGatewayURL(v string) (string, error) {
	base := strings.TrimRight(v, "/")
	u, err := parseURL(v)
	switch {
	case err != nil || strings.Contains(v, "?"):
		return base, errors.New("must be a URL like https://gateway.example, without user, " +
			"query or fragment; percent-encode special characters of a path (# as %23, ? as %3F)")
	case u.Scheme == "https" || u.Scheme == "http" && isLoopback(u.Hostname()):
		return base, nil
	}
	return base, errors.New("must be https (http only for localhost): the API key travels with " +
		"each request")
}

// maxShopName is that of a session, bff/payment.
const maxShopName = 80

// parseShopName returns one line of text without the spaces around it.
func parseShopName(v string) (string, error) {
	const reorder = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069" // other text
	name := strings.TrimSpace(v)
	switch {
	case !utf8.ValidString(name), strings.ContainsFunc(name, unicode.IsControl),
		strings.ContainsAny(name, reorder):
		return "", errors.New("must be one line of UTF-8 text without control characters")
	case utf8.RuneCountInString(name) > maxShopName:
		return "", fmt.Errorf("must have at most %d characters", maxShopName)
	}
	return name, nil
}

// parseTimezone reads a name of the IANA Time Zone Database, of which the program has a copy.
func parseTimezone(v string) (*time.Location, error) {
	zone, err := time.LoadLocation(v)
	if err != nil || v == "Local" {
		return nil, errors.New("must be a time zone like Europe/Berlin, by its name in the IANA " +
			"Time Zone Database")
	}
	return zone, nil
}

// parseSupport returns the link for an https URL or an e-mail address.
func parseSupport(v string) (string, error) {
	if mailbox.MatchString(v) && len(v) <= 254 {
		return "mailto:" + v, nil
	}
	u, err := parseURL(v)
	if err != nil || u.Scheme != "https" {
		return "", errors.New("must be an https URL like https://shop.example/help, or an " +
			"e-mail address like help@shop.example")
	}
	return u.String(), nil
}

// mailbox matches addresses without quoting.
var mailbox = regexp.MustCompile(
	`^[A-Za-z0-9]+([._+-][A-Za-z0-9]+)*@([A-Za-z0-9]+(-+[A-Za-z0-9]+)*\.)+[A-Za-z]{2,63}$`,
)

// isLocalURL reports whether a valid URL leads to this machine.
func isLocalURL(v string) bool {
	u, err := url.Parse(v)
	return err == nil && isLoopback(u.Hostname())
}

// IsLocalOrigin reports whether browsers resolve an origin to their own machine, like all names
// below localhost, and so trust it without https. Sources: RFC 6761, 6.3; W3C Secure Contexts, 3.1.
func IsLocalOrigin(origin string) bool {
	u, err := url.Parse(origin)
	return err == nil && (isLoopback(u.Hostname()) || strings.HasSuffix(u.Hostname(), ".localhost"))
}

func isLoopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.IsLoopback()
}

// parseTLS accepts auto, or a certificate and its key, which it reads.
func parseTLS(v string) (TLS, error) {
	if v == "auto" {
		return TLS{Auto: true}, nil
	}

	paths := splitList(v)
	if len(paths) != 2 || slices.Contains(paths, "") {
		return TLS{}, errors.New("must be auto, or the paths of a certificate and its key, " +
			"like /etc/coinslot/certificate.pem,/etc/coinslot/key.pem")
	}
	t := TLS{Certificate: paths[0], Key: paths[1]}
	if err := checkClosed(t.Key); err != nil {
		return t, fmt.Errorf("the key: %w", err)
	}
	if _, err := tls.LoadX509KeyPair(t.Certificate, t.Key); err != nil {
		return t, errors.New("the files cannot be used: they must be a chain of certificates in " +
			"PEM, the server's first, and its private key")
	}
	return t, nil
}

// parseACME accepts https.
func parseACME(v string) (string, error) {
	u, err := parseURL(v)
	if err != nil || u.Scheme != "https" {
		return "", errors.New("must be an https URL like " +
			"https://acme-v02.api.letsencrypt.org/directory")
	}
	return u.String(), nil
}

// hasPublicName reports whether the host of an origin is a name that the public DNS may have.
func hasPublicName(origin string) bool {
	u, err := url.Parse(origin)
	if err != nil {
		return false
	}
	_, notIP := netip.ParseAddr(u.Hostname())
	return notIP != nil && strings.Contains(u.Hostname(), ".") && !IsLocalOrigin(origin)
}

func parseWebhookSecrets(v string) ([]Secret, error) {
	var list []Secret
	for _, part := range splitList(v) {
		if err := webhook.CheckSecret(part); err != nil {
			return nil, fmt.Errorf("%w; make one with: echo whsec_$(openssl rand -base64 32)", err)
		}
		list = append(list, Secret{part})
	}
	return list, nil
}

// parseSecretKeys does not trim keys: a space is an invalid character of a key.
func parseSecretKeys(v string) ([]Secret, error) {
	var list []Secret
	for part := range strings.SplitSeq(v, ",") {
		if err := checkKey(part); err != nil {
			return nil, err
		}
		if slices.Contains(list, Secret{part}) {
			return nil, errors.New("contains a key twice")
		}
		list = append(list, Secret{part})
	}
	return list, nil
}

func checkAddress(v string) error {
	_, port, err := net.SplitHostPort(v)
	_, bad := strconv.ParseUint(port, 10, 16)
	if err != nil || bad != nil {
		return errors.New("must be host:port, like 127.0.0.1:8080")
	}
	return nil
}

func checkHeaderValue(v string) error {
	if strings.ContainsFunc(v, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return errors.New("must be printable ASCII without spaces")
	}
	return nil
}

// checkAPIKey also forbids characters that are escaped in quoted text, where the key has to be
// found and redacted.
func checkAPIKey(v string) error {
	if len(v) > 512 || strings.ContainsAny(v, "\"'`\\") {
		return errors.New("must be at most 512 characters, without quotation marks and backslashes")
	}
	return checkHeaderValue(v)
}

func checkKey(v string) error {
	if len(v) < 32 {
		return errors.New("is too short: at least 32 characters, like openssl rand -hex 32 prints")
	}
	return checkHeaderValue(v)
}

var tokenPattern = regexp.MustCompile(`^[A-Za-z0-9_-]*$`)

func checkToken(v string) error {
	if !tokenPattern.MatchString(v) {
		return errors.New("must be letters, digits, - and _ only")
	}
	if len(v) < 16 {
		return errors.New("is too short: at least 16 characters")
	}
	return nil
}

// checkHeaderName accepts names of headers that browsers and proxies do not use otherwise.
func checkHeaderName(v string) error {
	switch strings.ToLower(v) {
	case "host", "cookie", "authorization", "origin", "referer", "user-agent", "accept",
		"content-type", "forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto",
		"x-real-ip":
		return errors.New("must be a header of its own, like X-Forwarded-User")
	}
	if !fieldName.MatchString(v) {
		return errors.New("must be the name of a header, like X-Forwarded-User")
	}
	return nil
}

var fieldName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9-]{0,63}$`)

func durations(least, most time.Duration) func(v string) (time.Duration, error) {
	return func(v string) (time.Duration, error) {
		d, err := time.ParseDuration(v)
		if err != nil || d < least || d > most {
			return 0, fmt.Errorf("must be a duration from %v to %v, like 3s", least, most)
		}
		return d, nil
	}
}

func numbers(least, most int) func(v string) (int, error) {
	return func(v string) (int, error) {
		n, err := strconv.Atoi(v)
		if err != nil || n < least || n > most || v[0] == '+' {
			return 0, fmt.Errorf("must be a whole number from %d to %d", least, most)
		}
		return n, nil
	}
}

// parseDays reads up to ten years.
func parseDays(v string) (time.Duration, error) {
	n, err := numbers(0, 3650)(v)
	return time.Duration(n) * 24 * time.Hour, err
}

// either reports whether a value is yes.
func either(no, yes string) func(v string) (bool, error) {
	return func(v string) (bool, error) {
		if v != no && v != yes {
			return false, fmt.Errorf("must be %s or %s", no, yes)
		}
		return v == yes, nil
	}
}

func parseLevel(v string) (level slog.Level, err error) {
	switch v {
	case "debug", "info", "warn", "error":
		err = level.UnmarshalText([]byte(v))
		return level, err
	}
	return 0, errors.New("must be debug, info, warn or error")
}

// parseCollector adds the path of OTLP/HTTP to a URL without one.
func parseCollector(v string) (string, error) {
	u, err := parseURL(v)
	if err != nil || strings.Contains(v, "?") {
		return "", errors.New("must be a URL like http://127.0.0.1:4318, without user, query " +
			"or fragment; percent-encode special characters of a path (# as %23, ? as %3F)")
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = "/v1/traces"
	}
	return u.String(), nil
}

func parsePrefixes(v string) ([]netip.Prefix, error) {
	var list []netip.Prefix
	for _, part := range splitList(v) {
		p, err := netip.ParsePrefix(part)
		if err != nil {
			return nil, errors.New("must be CIDRs like 10.0.0.0/8, comma separated")
		}
		list = append(list, p)
	}
	return list, nil
}

// isTooWide reports whether a network is too large for proxies. A private one may be all of
// 10.0.0.0/8 or fc00::/7; the largest public ones are Cloudflare's 104.16.0.0/13 and
// 2a06:98c0::/29.
func isTooWide(p netip.Prefix) bool {
	four := 8
	six := 7
	if webhook.Public(p.Masked().Addr()) || webhook.Public(lastAddress(p)) {
		four = 12
		six = 24
	}
	if p.Addr().Is4() {
		return p.Bits() < four
	}
	return p.Bits() < six
}

func lastAddress(p netip.Prefix) netip.Addr {
	raw := p.Addr().AsSlice()
	for i := p.Bits(); i < 8*len(raw); i++ {
		raw[i/8] |= 0x80 >> (i % 8)
	}
	a, _ := netip.AddrFromSlice(raw) // as long as it was
	return a
}

// splitList returns the trimmed entries; the caller rejects empty ones.
func splitList(v string) []string {
	list := strings.Split(v, ",")
	for i, part := range list {
		list[i] = strings.TrimSpace(part)
	}
	return list
}

// maxLogo is the largest logo, in bytes: shoppers load it with their first page.
const maxLogo = 64 << 10

// ReadLogo returns the content of COINSLOT_LOGO and its extension, ".svg" or ".png"; both empty for
// an empty path.
func ReadLogo(path string) (content []byte, extension string, err error) {
	if path == "" {
		return nil, "", nil
	}

	file, err := os.Open(path)
	if err != nil {
		return nil, "", errors.New("the file cannot be read")
	}

	defer file.Close()
	content, err = io.ReadAll(io.LimitReader(file, maxLogo+1))
	switch {
	case err != nil:
		return nil, "", errors.New("the file cannot be read")
	case len(content) > maxLogo:
		return nil, "", errors.New("the file has more than 64 kB: export a smaller one")
	case http.DetectContentType(content) == "image/png":
		return content, ".png", nil
	case bytes.Contains(content, []byte("<svg")):
		return content, ".svg", nil
	}

	return nil, "", errors.New("the file is neither SVG nor PNG: export it as one of them")
}
