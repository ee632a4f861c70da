package shop

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"coinslot/app/widget"
	"coinslot/bff/config"
	"coinslot/bff/order"
	"coinslot/bff/web"
)

// embedOptions is how and where a page is shown. Every link and form carries it, but for the last
// three; see docs/frame-protocol.md.
type embedOptions struct {
	embed     string // "", "inline", "modal"
	origin    string // of the host page, if it is listed
	requested string // of the host page, as requested
	theme     string // "", "auto", "light", "dark"
	lang      string // BCP 47 or ""
	accept    string // the request's Accept-Language
	phone     bool   // the request's browser is that of a phone or tablet
	languages bool   // show all in the menu
}

// hosts are the pages that may frame the checkout.
type hosts struct {
	publicURL string // pages of the server itself
	origins   []string
}

// read is parse with the request's headers. The address of a frame that is in a host page's
// HTML may lack the origin: the browser names the page as the frame's referrer.
func (h hosts) read(r *http.Request, values url.Values) embedOptions {
	f := h.parse(values)
	f.accept = r.Header.Get("Accept-Language")
	f.phone = isPhone(r)
	if f.embed == "" || f.requested != "" {
		return f
	}

	referrer, err := url.Parse(r.Referer())
	if err != nil {
		return f
	}
	host := referrer.Scheme + "://" + referrer.Host
	if slices.Contains(h.origins, host) { // not our own page, whose links lead here
		f.origin = host
		f.requested = host
	}
	return f
}

// isPhone reports whether a request is of a phone's or tablet's browser. One that pretends to be on a
// desktop is found in the browser: see browser.IsPhone.
//
// Source: https://developer.mozilla.org/docs/Web/HTTP/Guides/Browser_detection_using_the_user_agent
func isPhone(r *http.Request) bool {
	if r.Header.Get("Sec-CH-UA-Mobile") == "?1" {
		return true
	}
	agent := r.UserAgent()
	return slices.ContainsFunc([]string{"Mobi", "Android", "iPhone", "iPad"}, func(s string) bool {
		return strings.Contains(agent, s)
	})
}

// parse reads values and drops invalid ones.
func (h hosts) parse(values url.Values) embedOptions {
	f := embedOptions{
		embed:     web.OneOf(values.Get("embed"), "inline", "modal"),
		theme:     web.OneOf(values.Get("theme"), "auto", "light", "dark"),
		lang:      order.Language(values.Get("lang")),
		languages: values.Has("languages"),
	}
	origin, listed := h.hostOrigin(values.Get("origin"))
	f.requested = origin
	if listed {
		f.origin = origin
	}

	return f
}

// hostOrigin returns the origin of a host page as browsers write it, and whether that page may
// frame the checkout. It is empty if given is no origin.
func (h hosts) hostOrigin(given string) (origin string, listed bool) {
	origin, err := config.Origin(given)
	if err != nil {
		return "", false
	}
	return origin, slices.Contains(h.origins, origin) || origin == h.publicURL
}

// returnTo is where a page without return URLs leads back to: the host page, or the only configured
// origin.
func (h hosts) returnTo(f embedOptions) string {
	if f.origin == "" && len(h.origins) == 1 {
		return h.origins[0]
	}
	return f.origin
}

// refused reports whether an unlisted host frames the page.
func (o embedOptions) refused() bool { return o.embed != "" && o.requested != "" && o.origin == "" }

func (o embedOptions) fields() []widget.Field {
	var list []widget.Field
	for _, field := range []widget.Field{
		{Name: "embed", Value: o.embed},
		{Name: "origin", Value: o.origin},
		{Name: "theme", Value: o.theme},
		{Name: "lang", Value: o.lang},
	} {
		if field.Value != "" {
			list = append(list, field)
		}
	}

	return list
}

// query is f as a query with "?", or "".
func (o embedOptions) query() string {
	values := url.Values{}
	for _, field := range o.fields() {
		values.Set(field.Name, field.Value)
	}
	if len(values) == 0 {
		return ""
	}
	return "?" + values.Encode()
}
