package web

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"sync"

	"coinslot/bff/reference"
)

// manual is what is served of the documentation: the API's description, as JSON
// and as a page, and the page of errors. It is made when somebody asks first,
// because a process that only takes payments never needs it.
type manual struct {
	made func() (*chapters, error)
}

// chapters are its answers.
type chapters struct{ document, api, errors *asset }

func newManual(s *server) *manual {
	return &manual{made: sync.OnceValues(func() (*chapters, error) {
		d, err := reference.Load(s.PublicURL, problems())
		if err != nil {
			return nil, fmt.Errorf("describing the API: %w", err)
		}
		style := s.assets.URL("docs.css")
		api, err := d.Page(style)
		if err != nil {
			return nil, fmt.Errorf("writing the page of the API: %w", err)
		}
		codes, err := reference.Errors(style)
		if err != nil {
			return nil, fmt.Errorf("writing the page of errors: %w", err)
		}
		return &chapters{
			document: packed("openapi.json", "application/json", d.JSON()),
			api:      packed("api.html", "text/html; charset=utf-8", api),
			errors:   packed("errors.html", "text/html; charset=utf-8", codes),
		}, nil
	})}
}

// problems is the table of errors as it is documented.
func problems() map[string]reference.Problem {
	list := map[string]reference.Problem{}
	for code, a := range answers {
		list[string(code)] = reference.Problem{
			Status: a.status, Title: http.StatusText(a.status), Detail: a.detail,
		}
	}
	return list
}

// packed is content in all its forms.
func packed(name, mime string, content []byte) *asset {
	sum := sha256.Sum256(content)
	return &asset{name: hex.EncodeToString(sum[:6]) + "." + name, mime: mime,
		forms: map[string][]byte{
			identity: content, "br": squeezed("br", content), "gzip": squeezed("gzip", content),
		}}
}

func (m *manual) routes(mux *http.ServeMux, s *server) {
	mux.Handle(
		"GET /openapi.json",
		s.api(m.serve(s, kindPublished, func(p *chapters) *asset { return p.document })),
	)
	mux.Handle(
		"GET /docs/api", s.api(m.serve(s, kindManual, func(p *chapters) *asset { return p.api })),
	)
	mux.Handle(
		"GET /docs/errors",
		s.api(m.serve(s, kindManual, func(p *chapters) *asset { return p.errors })),
	)
}

// serve answers with one of the pages.
func (m *manual) serve(s *server, k kind, which func(*chapters) *asset) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		made, err := m.made()
		if err != nil {
			return err
		}
		s.assets.serve(w, r, which(made), k)
		return nil
	}
}
