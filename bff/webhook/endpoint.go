package webhook

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// maxEndpointBytes bounds the length of an endpoint's URL.
const maxEndpointBytes = 2000

// CheckEndpoint reports what is wrong with the URL of an endpoint. It has to
// be an absolute https URL in plain ASCII, of at most 2000 bytes, without user
// name, password and fragment, on port 443 or 8443, with a host that is a full
// DNS name or a public IP address in its usual spelling.
//
// allowPrivate also admits http, every port, and local names and addresses.
//
// This is a check of spelling; where a name leads is checked each time the
// sender connects. The error's text never holds the value, so that it can be
// printed.
func CheckEndpoint(raw string, allowPrivate bool) error {
	if err := checkText(raw); err != nil {
		return err
	}
	u, err := url.Parse(raw)
	if err != nil {
		return errors.New("it is not a URL") // url.Parse quotes the value
	}
	switch {
	case u.Scheme != "https" && u.Scheme != "http":
		return errors.New("its scheme is not https")
	case u.Scheme == "http" && !allowPrivate:
		return errors.New("its scheme is http; https is required")
	case u.Opaque != "" || u.Host == "":
		return errors.New("it has no host")
	case u.User != nil:
		return errors.New("it holds a user name or password")
	}
	if err := checkHost(u, allowPrivate); err != nil {
		return err
	}
	return checkPort(u, allowPrivate)
}

// checkText refuses what parsers of URLs are known to disagree on.
func checkText(raw string) error {
	switch {
	case raw == "":
		return errors.New("it is empty")
	case len(raw) > maxEndpointBytes:
		return fmt.Errorf("it is longer than %d bytes", maxEndpointBytes)
	case strings.ContainsFunc(raw, func(r rune) bool { return r <= ' ' || r > '~' }):
		return errors.New("it holds a space, a control character or a letter beyond ASCII")
	case strings.Contains(raw, `\`):
		return errors.New("it holds a backslash")
	case strings.Contains(raw, "#"):
		return errors.New("it holds a fragment")
	}
	return nil
}

// checkHost judges the host as it is written.
func checkHost(u *url.URL, allowPrivate bool) error {
	host := strings.ToLower(u.Hostname())
	if strings.HasPrefix(u.Host, "[") || looksNumeric(host) {
		return checkAddress(host, allowPrivate)
	}
	if len(host) > 253 {
		return errors.New("its host is too long")
	}
	labels := strings.Split(host, ".")
	for _, label := range labels {
		if !isLabel(label) {
			return errors.New("its host is not a DNS name (punycode for other scripts, no dot at the end)")
		}
	}
	if !allowPrivate && isLocal(labels) {
		return errors.New("its host is a local name")
	}
	return nil
}

// looksNumeric reports whether resolvers may read host as an IPv4 address in
// some spelling: its last label is a decimal or hexadecimal number. Source: WHATWG URL,
// "ends in a number".
func looksNumeric(host string) bool {
	last := host[strings.LastIndexByte(host, '.')+1:]
	if last == "" {
		return false
	}
	if hex, ok := strings.CutPrefix(last, "0x"); ok {
		return only(hex, "0123456789abcdef")
	}
	return only(last, "0123456789")
}

// checkAddress judges a host that is an address. 127.1, 0x7f.1, 0177.0.0.1 and
// the like are refused even where private addresses are allowed, since they
// mean different things to different resolvers.
func checkAddress(host string, allowPrivate bool) error {
	a, err := netip.ParseAddr(host)
	if err != nil || a.Zone() != "" {
		return errors.New("its host is an address in an unusual spelling")
	}
	if !allowPrivate && !newGuard().public(a) {
		return errors.New("its host is not a public address")
	}
	return nil
}

// isLabel reports whether s is one part of a lower-case DNS name. Underscores
// exist in practice.
func isLabel(s string) bool {
	return s != "" && len(s) <= 63 && s[0] != '-' && s[len(s)-1] != '-' &&
		only(s, "abcdefghijklmnopqrstuvwxyz0123456789-_")
}

// only reports whether s holds nothing but characters of set.
func only(s, set string) bool { return strings.Trim(s, set) == "" }

// isLocal reports whether a name means something inside of a network only.
// Sources: RFC 6761, RFC 6762, RFC 8375, ICANN's reservation of .internal.
func isLocal(labels []string) bool {
	if len(labels) == 1 {
		return true
	}
	switch labels[len(labels)-1] {
	case "localhost", "local", "localdomain", "internal", "intranet", "lan", "home", "corp":
		return true
	}
	return strings.HasSuffix(strings.Join(labels, "."), ".home.arpa")
}

// checkPort judges the port as it is written. Only ports of HTTPS are open by
// default, so that no setting makes the sender knock at a mail or database
// server.
func checkPort(u *url.URL, allowPrivate bool) error {
	text := u.Port()
	if text == "" {
		if strings.HasSuffix(u.Host, ":") {
			return errors.New("its port is empty")
		}
		return nil
	}
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil || port == 0 || text[0] == '0' {
		return errors.New("its port is not a number from 1 to 65535")
	}
	if !allowPrivate && port != 443 && port != 8443 {
		return errors.New("its port is neither 443 nor 8443")
	}
	return nil
}

// sameOrigin reports whether two checked URLs lead to the same host and port,
// whatever the scheme.
func sameOrigin(a, b *url.URL) bool {
	return strings.EqualFold(a.Hostname(), b.Hostname()) && port(a) == port(b)
}

func port(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "http":
		return "80"
	}
	return "443"
}
