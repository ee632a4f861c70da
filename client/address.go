package client

import (
	"errors"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// CheckURL reports what is wrong with the URL of a server. It has to be https, because the secret
// key travels with each request; http is accepted for this machine only: localhost and loopback
// addresses. The error does not repeat the URL, which may contain a password.
func CheckURL(raw string) error {
	u, err := url.Parse(raw)
	if err != nil {
		return errors.New("the checkout's URL is not valid: use one like https://pay.shop.example")
	}

	switch {
	case u.User != nil || strings.ContainsAny(raw, "?#\\") || u.Hostname() == "":
		return errors.New("the checkout's URL must be like https://pay.shop.example, without " +
			"user, query and fragment")
	case u.Scheme == "https", u.Scheme == "http" && isLoopback(u.Hostname()):
		return nil
	}

	return errors.New("the checkout's URL must be https (http only for localhost): the secret " +
		"key travels with each request")
}

func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	address, err := netip.ParseAddr(host)
	return err == nil && address.Unmap().IsLoopback()
}

// checkPath refuses what would change the host when it is appended to a URL.
func checkPath(path string) error {
	if !strings.HasPrefix(path, "/") {
		return errors.New("the path of a request must begin with a slash")
	}
	return nil
}

// proxy returns the proxy that the environment names for a request. The error does not repeat its
// URL, which may contain a password; nor may a part of the password pass for the proxy's host.
func proxy(r *http.Request) (*url.URL, error) {
	u, err := http.ProxyFromEnvironment(r)
	if err == nil && u == nil {
		return nil, nil
	}
	if err != nil || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New("the proxy's URL in HTTPS_PROXY or HTTP_PROXY is not valid: use " +
			"http://user:password@host:port, and percent-encode special characters of user and " +
			"password: @ as %40, # as %23, / as %2F and ? as %3F")
	}
	return u, nil
}
