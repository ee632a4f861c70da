package wallet

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// template is a link with placeholders, like https://wallet.example/send/{address}.
type template string

// Placeholders of templates, by what they say of.
var (
	ofPayment = []string{"address", "amount", "units", "contract"}
	ofPage    = []string{"url", "url_twice", "page", "origin"}
	ofNetwork = []string{"network", "chain_id"}
)

var (
	placeholder = regexp.MustCompile(`\{([^{}]*)\}`)

	// linkText is what links may hold besides placeholders: printable ASCII that means nothing to HTML.
	linkText = regexp.MustCompile(`^[A-Za-z0-9:/?#@!$&()*+,;=%._~-]+$`)

	// httpsLink and appLink begin with a whole host, which no placeholder can extend.
	httpsLink = regexp.MustCompile(`^https://[a-z0-9-]+(\.[a-z0-9-]+)+[/?]`)
	appLink   = regexp.MustCompile(`^[a-z][a-z0-9.+-]*://[A-Za-z0-9.-]+[/?]`)
)

// notApps are schemes of links that open no app, and of some that run as scripts.
var notApps = []string{
	"about", "blob", "content", "data", "file", "filesystem", "ftp", "http", "intent", "javascript",
	"vbscript", "view-source", "ws", "wss",
}

// check returns what is wrong with a template whose placeholders may be only those allowed.
func (t template) check(allowed ...[]string) error {
	for _, found := range placeholder.FindAllStringSubmatch(string(t), -1) {
		if !slices.Contains(slices.Concat(allowed...), found[1]) {
			return fmt.Errorf("unknown placeholder {%s}", short(text(found[1])))
		}
	}
	if !linkText.MatchString(placeholder.ReplaceAllString(string(t), "x")) {
		return errors.New("must be a link without spaces, quotes and single braces")
	}
	return nil
}

// checkForm checks a template of sends: https only, because the browsers of other apps refuse
// links of other schemes.
func (t template) checkForm() error {
	if err := t.check(ofPayment, ofNetwork); err != nil {
		return err
	}
	switch {
	case !httpsLink.MatchString(string(t)):
		return errors.New("must be an https link with a host of its own")
	case !t.has("address"):
		return errors.New("must have {address}")
	case t.has("amount") == t.has("units"):
		return errors.New("must have either {amount} or {units}")
	}
	return nil
}

// checkPage checks the template of opens: https, or the wallet's own scheme.
func (t template) checkPage() error {
	if err := t.check(ofPage, ofNetwork); err != nil {
		return err
	}
	scheme, _, _ := strings.Cut(string(t), ":")
	isApp := appLink.MatchString(string(t)) && scheme != "https" &&
		!slices.Contains(notApps, scheme)
	switch {
	case !httpsLink.MatchString(string(t)) && !isApp:
		return errors.New("must be an https link with a host of its own, or one of the wallet's scheme")
	case !t.has("url") && !t.has("url_twice") && !t.has("page"):
		return errors.New("must have {url}, {url_twice} or {page}")
	}
	return nil
}

// has reports whether the template has the placeholder.
func (t template) has(name string) bool { return strings.Contains(string(t), "{"+name+"}") }

// fill returns the link with the values of placeholders, which are not escaped.
func (t template) fill(values map[string]string) string {
	return placeholder.ReplaceAllStringFunc(string(t), func(found string) string {
		return values[strings.Trim(found, "{}")]
	})
}

// pageValues are the placeholders of a page's absolute URL.
func pageValues(page string) map[string]string {
	scheme, rest, _ := strings.Cut(page, "://")
	host, _, _ := strings.Cut(rest, "/")
	return map[string]string{
		"url":       url.QueryEscape(page),
		"url_twice": url.QueryEscape(url.QueryEscape(page)),
		"page":      rest,
		"origin":    url.QueryEscape(scheme + "://" + host),
	}
}
