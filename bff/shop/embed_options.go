package shop

import (
	"net/http"
	"net/url"
	"slices"

	"coinslot/app/widget"
	"coinslot/bff/config"
	"coinslot/bff/order"
	"coinslot/bff/web"
)

// embedOptions is how and where a page is shown. Every link and form carries it, but for the last
// two; see docs/frame-protocol.md.
type embedOptions struct {
	embed     string // "", "inline", "modal"
	origin    string // of the host page, if it is listed
	requested string // of the host page, as requested
	theme     string // "", "auto", "light", "dark"
	lang      string // BCP 47 or ""
	accept    string // the request's Accept-Language
	languages bool   // show all in the menu
}

// readEmbed is parseEmbed with the request's Accept-Language. The address of a frame that is in a
// host page's HTML may lack the origin: the browser names the page as the frame's referrer.
func (s *server) readEmbed(r *http.Request, values url.Values) embedOptions {
	f := s.parseEmbed(values)
	f.accept = r.Header.Get("Accept-Language")
	if f.embed != "" && f.requested == "" {
		host, err := url.Parse(r.Referer())
		if err == nil && slices.Contains(s.Origins, host.Scheme+"://"+host.Host) {
			f.origin = host.Scheme + "://" + host.Host
			f.requested = f.origin
		}
	}
	return f
}

// parseEmbed reads values and drops invalid ones.
func (s *server) parseEmbed(values url.Values) embedOptions {
	f := embedOptions{
		embed:     web.OneOf(values.Get("embed"), "inline", "modal"),
		theme:     web.OneOf(values.Get("theme"), "auto", "light", "dark"),
		languages: values.Has("languages"),
	}
	f.lang = order.Language(values.Get("lang"))
	origin, listed := s.hostOrigin(values.Get("origin"))
	f.requested = origin
	if listed {
		f.origin = origin
	}
	return f
}

// hostOrigin returns the origin of a host page as browsers write it, and whether that page may
// frame the checkout. It is empty if given is no origin.
func (s *server) hostOrigin(given string) (origin string, listed bool) {
	origin, err := config.Origin(given)
	if err != nil {
		return "", false
	}
	return origin, slices.Contains(s.Origins, origin) || origin == s.PublicURL
}

// refused reports whether an unlisted host frames the page.
func (f embedOptions) refused() bool { return f.embed != "" && f.requested != "" && f.origin == "" }

func (f embedOptions) fields() []widget.Field {
	var list []widget.Field
	for _, field := range []widget.Field{
		{Name: "embed", Value: f.embed}, {Name: "origin", Value: f.origin},
		{Name: "theme", Value: f.theme}, {Name: "lang", Value: f.lang},
	} {
		if field.Value != "" {
			list = append(list, field)
		}
	}
	return list
}

// query is f as a query with "?", or "".
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
