package webhook

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strings"

	"coinslot/bff/payment"
)

// maxEndpointBytes bounds the length of an endpoint's URL.
const maxEndpointBytes = 2000

// CheckEndpoint reports what is wrong with the URL of an endpoint. It has to be an absolute https
// URL in plain ASCII, of at most 2000 bytes, without user name, password and fragment, on port 443
// or 8443, with a host that is a full DNS name or a public IP address in its usual spelling.
//
// allowPrivate also admits http, every port, and local names and addresses.
//
// This is a check of spelling; where a name leads is checked each time the sender connects. The
// error's text never holds the value, so that it can be printed.
func CheckEndpoint(raw string, allowPrivate bool) error {
	if err := checkText(raw); err != nil {
		return err
	}
	u, err := url.Parse(raw)
	if err != nil { // which quotes the value
		return errors.New("it is not a URL such as https://shop.example/hooks/coinslot: " +
			"percent-encode special characters of a key in it " +
			"(% as %25, # as %23, / as %2F, ? as %3F, @ as %40)")
	}
	switch {
	case u.Scheme != "https" && u.Scheme != "http":
		return errors.New("its scheme is not https")
	case u.Scheme == "http" && !allowPrivate:
		return errors.New("its scheme is http; https is required")
	case u.Opaque != "" || u.Host == "":
		return errors.New("it has no host")
	case u.User != nil:
		return errors.New("it contains a user name or password, or an @ in front of the host: " +
			"put a key into the path or query, percent-encoded (@ as %40)")
	case strings.ContainsFunc(u.Host, notPlain): // it was percent-encoded
		return errors.New("its host contains a non-ASCII letter (use punycode)")
	}
	if err := payment.CheckHost(u); err != nil || allowPrivate {
		return err
	}
	// Only ports of HTTPS are open by default, so that no setting makes the
	// sender knock at a mail or database server.
	if p := u.Port(); p != "" && p != "443" && p != "8443" {
		return errors.New("its port is neither 443 nor 8443")
	}
	return checkPublicHost(u)
}

// HostOf returns the host of an endpoint with its port, for display: path and query may contain a
// key.
func HostOf(endpoint string) string {
	u, err := url.Parse(endpoint)
	if err != nil || u.Host == "" {
		return "unknown"
	}
	return u.Host
}

// checkText refuses what parsers of URLs are known to disagree on.
func checkText(raw string) error {
	switch {
	case raw == "":
		return errors.New("it is empty")
	case len(raw) > maxEndpointBytes:
		return fmt.Errorf("it is longer than %d bytes", maxEndpointBytes)
	case strings.ContainsFunc(raw, notPlain):
		return errors.New("it contains a space, a control character or a non-ASCII letter: " +
			"percent-encode it")
	case strings.Contains(raw, `\`):
		return errors.New("it contains a backslash: percent-encode it as %5C")
	case strings.Contains(raw, "#"):
		return errors.New("it contains #, which begins a fragment: percent-encode it as %23 " +
			"if it belongs to a key")
	}
	return nil
}

func notPlain(r rune) bool { return r <= ' ' || r > '~' }

// checkPublicHost refuses hosts that are not on the public internet.
func checkPublicHost(u *url.URL) error {
	host := strings.ToLower(u.Hostname())
	a, err := netip.ParseAddr(host)
	switch {
	case err == nil && !Public(a):
		return errors.New("its host is not a public address")
	case err != nil && isLocal(strings.Split(host, ".")):
		return errors.New("its host is a local name")
	}
	return nil
}

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

// port returns the port of a checked URL.
func port(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "http":
		return "80"
	}
	return "443"
}
