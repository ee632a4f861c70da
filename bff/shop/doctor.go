package shop

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"strings"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/diagnose"
	"coinslot/bff/web"
)

// server answers with what it knows about its own setup.
type server struct {
	*web.Server
	Config
	hosts
}

// doctor is GET and POST /checkout/doctor?origin=…: problems between a host page of that origin
// and the checkout, as HTML, text or JSON. A POST has the host page's headers, which may include
// cookies, so they are not in the URL and are not stored. checkout.js links to this page in the
// browser's console when something fails.
func (s *server) doctor(w http.ResponseWriter, r *http.Request) error {
	if r.Method == http.MethodPost {
		if err := checkPost(s.Server, r); err != nil {
			return err
		}
		if web.MediaType(r.Header.Get("Content-Type")) == "application/json" {
			return web.Refuse(wire.CodeMediaType, "Content-Type")
		}
	}
	values := r.URL.Query()
	for name, value := range r.PostForm {
		values[name] = value
	}
	q := s.question(values)
	report := diagnose.Examine(q)
	h := w.Header()
	switch reportFormat(r, values.Get("format")) {
	case "html":
		return s.doctorPage(w, q, report)
	case "json":
		h.Set("Content-Type", "application/json")
		return json.NewEncoder(w).Encode(report)
	}
	h.Set("Content-Type", "text/plain; charset=utf-8")
	report.Text(w)
	return nil
}

// reportFormat is "html", "json" or "text": the requested one, else what the client accepts.
func reportFormat(r *http.Request, requested string) string {
	if format := web.OneOf(requested, "html", "json", "text"); format != "" {
		return format
	}
	switch {
	case web.WantsJSON(r):
		return "json"
	case strings.Contains(r.Header.Get("Accept"), "text/html"):
		return "html"
	}
	return "text"
}

// question is the request, with what the server knows about itself but other origins, keys and
// paths.
func (s *server) question(values url.Values) diagnose.Question {
	q := diagnose.Question{
		URL: s.PublicURL, Version: s.Assets.Version(), Integrity: s.Assets.Integrity("checkout.js"),
		Now: s.Now(), AddOrigin: s.AddOrigin,
		API: s.API, Orders: s.OrderKey != "", Items: !s.Catalog.Empty(),
		Given: values.Get("origin"), Pasted: values.Get("headers"), Code: values.Get("code"),
	}
	q.Origin, q.Listed = s.hostOrigin(q.Given)
	return q
}

//go:embed doctor.html
var doctorHTML string

var doctorTemplate = template.Must(template.New("doctor").Funcs(template.FuncMap{
	"by": func(report diagnose.Report, source diagnose.Source) (list []diagnose.Finding) {
		for _, c := range report.Checks {
			if c.By == source {
				list = append(list, c)
			}
		}
		return list
	},
}).Parse(doctorHTML))

// absentSession does not exist: its page is a checkout without an order.
const absentSession = "cs_aaaaaaaaaaaaaaaaaaaaaaaaaa"

// doctorPage writes the report as HTML. Its script makes the browser's checks.
func (s *server) doctorPage(
	w http.ResponseWriter, q diagnose.Question, report diagnose.Report,
) error {
	data, err := json.Marshal(map[string]any{ // escapes <, > and &, so that no text ends the block
		"report": report, "session": absentSession, "integrity": q.Integrity,
		"pinned": "/checkout/" + q.Version + "/checkout.js",
		"wasm":   s.Assets.URL("app.wasm"), "sent": s.frameHeaders(), "places": placeTitles(),
	})
	if err != nil {
		return fmt.Errorf("encoding a report: %w", err)
	}
	var page bytes.Buffer
	if err := doctorTemplate.Execute(&page, map[string]any{
		"Report": report, "Data": template.JS(data), "Given": q.Given, "Code": q.Code,
		"Codes": diagnose.Codes(), "Places": diagnose.Places(),
		"Kept": diagnose.Kept(q.Pasted), "CSS": s.Assets.URL("doctor.css"),
		"JS": s.Assets.URL("doctor.js"), "Clock": q.Now.UTC().Format(time.DateTime),
	}); err != nil {
		return fmt.Errorf("rendering a report: %w", err)
	}
	s.SetKind(w, web.KindDoctor)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Write(page.Bytes()) // a client that has gone is not our error
	return nil
}

// frameHeaders are those of framed pages, for the browser to compare; the allowed origins are
// left out.
func (s *server) frameHeaders() map[string]string {
	h := s.PublicHeaders(web.KindFramed)
	all := map[string]string{}
	for _, name := range []string{
		"Content-Security-Policy", "Cross-Origin-Embedder-Policy", "Cross-Origin-Resource-Policy",
		"Cache-Control",
	} {
		all[name] = h.Get(name)
	}
	return all
}

func placeTitles() map[diagnose.Place]string {
	titles := map[diagnose.Place]string{}
	for _, p := range diagnose.Places() {
		titles[p] = p.Title()
	}
	return titles
}

// Limits of the test socket.
const (
	echoTimeout = 10 * time.Second
	echoBytes   = 64
)

// echo is GET /checkout/doctor/live: a websocket that echoes one message and closes.
func (s *server) echo(w http.ResponseWriter, r *http.Request) error {
	if err := checkUpgrade(s.Server, r); err != nil {
		return err
	}
	conn, err := upgrade(w, r)
	if err != nil {
		return err
	}
	defer conn.Close()
	conn.SetReadLimit(echoBytes)
	until := time.Now().Add(echoTimeout)
	if conn.SetReadDeadline(until) != nil || conn.SetWriteDeadline(until) != nil {
		return nil
	}
	if kind, message, err := conn.ReadMessage(); err == nil {
		_ = conn.WriteMessage(kind, message) // a client that has gone is not our error
	}
	return nil
}
