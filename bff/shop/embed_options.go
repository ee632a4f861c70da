package shop

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"

	"coinslot/app/widget"
	"coinslot/bff/config"
	"coinslot/bff/web"
)

// embedOptions is how and where a page is shown; it travels in the query of every
// link and the hidden fields of every form. See docs/frame-protocol.md.
type embedOptions struct {
	embed     string // "", "inline", "modal"
	origin    string // of the host page, only if it is listed
	requested string // of the host page, as the request says
	theme     string // "", "auto", "light", "dark"
	lang      string // BCP 47 or ""
	from      string // "exchange" if the shopper pays from an account there, else ""
	accept    string // the request's Accept-Language; the only one that does not travel
}

var langTag = regexp.MustCompile(`^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$`)

// readEmbed reads values of a request, dropping whatever is not of the protocol.
func (s *server) readEmbed(r *http.Request, values url.Values) embedOptions {
	f := s.parseEmbed(values)
	f.accept = r.Header.Get("Accept-Language")
	return f
}

// parseEmbed reads values, dropping whatever is not of the protocol.
func (s *server) parseEmbed(values url.Values) embedOptions {
	f := embedOptions{
		embed: web.OneOf(values.Get("embed"), "inline", "modal"),
		theme: web.OneOf(values.Get("theme"), "auto", "light", "dark"),
		from:  web.OneOf(values.Get("from"), "exchange"),
	}
	if lang := values.Get("lang"); len(lang) <= 35 && langTag.MatchString(lang) {
		f.lang = lang
	}
	if origin, err := config.Origin(values.Get("origin")); err == nil {
		f.requested = origin
		if slices.Contains(s.Origins, origin) || origin == s.PublicURL {
			f.origin = origin
		}
	}
	return f
}

// refused reports whether the page is framed by a host that is not listed.
func (f embedOptions) refused() bool { return f.embed != "" && f.requested != "" && f.origin == "" }

// fields is f as fields for forms and links.
func (f embedOptions) fields() []widget.Field {
	var list []widget.Field
	for _, field := range []widget.Field{
		{Name: "embed", Value: f.embed}, {Name: "origin", Value: f.origin},
		{Name: "theme", Value: f.theme}, {Name: "lang", Value: f.lang},
		{Name: "from", Value: f.from},
	} {
		if field.Value != "" {
			list = append(list, field)
		}
	}
	return list
}

// query is f as the query of a redirect, with "?" if there is any.
func (f embedOptions) query() string {
	values := url.Values{}
	for _, field := range f.fields() {
		values.Set(field.Name, field.Value)
	}
	if len(values) == 0 {
		return ""
	}
	return "?" + values.Encode()
}
