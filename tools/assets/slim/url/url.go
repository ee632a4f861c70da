// Package url is what go-app needs of net/url: the address of the page, taken
// apart and put together again. Nothing is decoded.
package url

import "strings"

// URL is an address in its parts.
type URL struct{ Scheme, Host, Path, RawQuery, Fragment string }

// Parse takes an address apart, "https://shop.example/a?b#c". It never fails.
func Parse(address string) (*URL, error) {
	u := &URL{}
	address, u.Fragment, _ = strings.Cut(address, "#")
	address, u.RawQuery, _ = strings.Cut(address, "?")
	if end := strings.IndexAny(address, ":/"); end > 0 && address[end] == ':' {
		u.Scheme, address = address[:end], address[end+1:]
	}
	if rest, ok := strings.CutPrefix(address, "//"); ok {
		end := strings.IndexByte(rest+"/", '/')
		u.Host, address = rest[:end], rest[end:]
	}
	u.Path = address
	return u, nil
}

// Hostname returns the host without its port and its brackets.
func (u *URL) Hostname() string {
	host := u.Host
	if end := strings.LastIndexByte(host, ':'); end > strings.LastIndexByte(host, ']') {
		host = host[:end]
	}
	return strings.Trim(host, "[]")
}

// String puts the address together.
func (u *URL) String() string {
	var s string
	if u.Scheme != "" {
		s = u.Scheme + ":"
	}
	if u.Host != "" {
		s += "//" + u.Host
	}
	s += u.Path
	if u.RawQuery != "" {
		s += "?" + u.RawQuery
	}
	if u.Fragment != "" {
		s += "#" + u.Fragment
	}
	return s
}
