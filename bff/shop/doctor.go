package shop

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/config"
	"coinslot/bff/diagnose"
	"coinslot/bff/web"
)

// doctor is GET and POST /checkout/doctor?origin=…: what is in the way between
// a host page of that origin and the checkout, for people, terminals and
// programs. A POST brings the host page's headers, which are kept nowhere; they
// do not belong into an address, because cookies are among them. checkout.js
// names this page in the console when something fails.
func (s *server) doctor(w http.ResponseWriter, r *http.Request) error {
	if r.Method == http.MethodPost &&
		web.MediaType(r.Header.Get("Content-Type")) == "application/json" {
		return web.Refuse(wire.CodeMediaType, "Content-Type")
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

// reportFormat is "html", "json" or "text": what is wished for, else what is accepted.
func reportFormat(r *http.Request, wish string) string {
	if wish = web.OneOf(wish, "html", "json", "text"); wish != "" {
		return wish
	}
	switch {
	case web.WantsJSON(r):
		return "json"
	case strings.Contains(r.Header.Get("Accept"), "text/html"):
		return "html"
	}
	return "text"
}

// question is what is asked, with what the server knows of itself. Other
// origins, keys and paths stay out of it.
func (s *server) question(values url.Values) diagnose.Question {
	q := diagnose.Question{
		URL: s.PublicURL, Version: s.Assets.Version(), Integrity: s.Assets.Integrity("checkout.js"),
		Now: s.Now(),
		API: s.API, Orders: s.OrderKey != "", Items: !s.Catalog.Empty(),
		Given: values.Get("origin"), Pasted: values.Get("headers"), Code: values.Get("code"),
	}
	if origin, err := config.Origin(q.Given); err == nil {
		q.Origin = origin
		q.Listed = slices.Contains(s.Origins, origin) || origin == s.PublicURL
	}
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

// absentSession is a session that does not exist: its page is a checkout's page with
// nothing to pay.
const absentSession = "cs_aaaaaaaaaaaaaaaaaaaaaaaaaa"

// doctorPage writes the report for people. Its script finds out the rest.
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

// frameHeaders is what pages in frames leave the server with, for the browser to
// compare. Whom they may be framed by is not told.
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

// How long a socket may be open that is only tried, and what it may carry.
const (
	echoTimeout = 10 * time.Second
	echoBytes   = 64
)

// echo is GET /checkout/doctor/live: a websocket that says back what it hears
// first, and closes.
func (s *server) echo(w http.ResponseWriter, r *http.Request) error {
	if err := s.checkUpgrade(r); err != nil {
		return err
	}
	conn, err := s.openSocket(w, r)
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
