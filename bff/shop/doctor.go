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
	"coinslot/bff/check"
	"coinslot/bff/web"
)

// doctor explains why a host page cannot show the checkout.
type doctor struct {
	*web.Server
	Config
	hosts
}

// show is GET and POST /checkout/doctor?origin=…: problems between a host page of that origin
// and the checkout, as HTML, text or JSON. A POST has the host page's headers, which may include
// cookies, so they are not in the URL and are not stored. checkout.js links to this page in the
// browser's console when something fails.
func (d *doctor) show(w http.ResponseWriter, r *http.Request) error {
	if r.Method == http.MethodPost {
		if err := checkPost(d.Server, r); err != nil {
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

	e := d.hostPage(values)
	now := d.Now()
	report := newReport(e, now)
	h := w.Header()
	switch reportFormat(r, values.Get("format")) {
	case "html":
		return d.doctorPage(w, e, report, now)
	case "json":
		h.Set("Content-Type", "application/json")
		return json.NewEncoder(w).Encode(report)
	}

	h.Set("Content-Type", "text/plain; charset=utf-8")
	report.print(w)
	return nil
}

// reportFormat is "html", "json" or "text": the requested one, else what the client accepts.
func reportFormat(r *http.Request, requested string) string {
	format := web.OneOf(requested, "html", "json", "text")
	if format != "" {
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

// hostPage is the host page of a request, with what the server knows about itself but other
// origins, keys and paths.
func (d *doctor) hostPage(values url.Values) check.Embedding {
	e := check.Embedding{
		URL:       d.PublicURL,
		Version:   d.Assets.Version(),
		Integrity: d.Assets.Integrity("checkout.js"),
		AddOrigin: d.AddOrigin,
		API:       d.API,
		Orders:    d.OrderKey != "",
		Items:     !d.Catalog.Empty(),
		Given:     values.Get("origin"),
		Pasted:    values.Get("headers"),
		Code:      values.Get("code"),
	}
	e.Origin, e.Listed = d.hostOrigin(e.Given)
	return e
}

//go:embed doctor.html
var doctorHTML string

var doctorTemplate = template.Must(template.New("doctor").Funcs(template.FuncMap{
	"by": func(report DoctorReport, source check.Source) (list []check.Finding) {
		for _, f := range report.Checks {
			if f.By == source {
				list = append(list, f)
			}
		}
		return list
	},
}).Parse(doctorHTML))

// doctorPage writes the report as HTML. Its script makes the browser's checks.
func (d *doctor) doctorPage(
	w http.ResponseWriter, e check.Embedding, report DoctorReport, now time.Time,
) error {
	data, err := json.Marshal(map[string]any{ // escapes <, > and &, so that no text ends the block
		"report":    report,
		"session":   check.AbsentSession,
		"integrity": e.Integrity,
		"pinned":    "/checkout/" + e.Version + "/checkout.js",
		"wasm":      d.Assets.URL("app.wasm"),
		"sent":      d.frameHeaders(),
		"places":    placeTitles(),
	})
	if err != nil {
		return fmt.Errorf("encoding a report: %w", err)
	}

	var page bytes.Buffer
	if err := doctorTemplate.Execute(&page, map[string]any{
		"Report": report,
		"Data":   template.JS(data),
		"Given":  e.Given,
		"Code":   e.Code,
		"Codes":  check.Codes(d.AddOrigin),
		"Places": check.Places(),
		"Kept":   check.Kept(e.Pasted),
		"CSS":    d.Assets.URL("doctor.css"),
		"JS":     d.Assets.URL("doctor.js"),
		"Clock":  now.UTC().Format(time.DateTime),
	}); err != nil {
		return fmt.Errorf("rendering a report: %w", err)
	}

	d.SetKind(w, web.KindDoctor)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Write(page.Bytes()) // a client that has gone is not our error
	return nil
}

// frameHeaders are those of framed pages, for the browser to compare; the allowed origins are
// left out.
func (d *doctor) frameHeaders() map[string]string {
	h := d.PublicHeaders(web.KindFramed)
	all := map[string]string{}
	for _, name := range []string{
		"Content-Security-Policy", "Cross-Origin-Embedder-Policy", "Cross-Origin-Resource-Policy",
		"Cache-Control",
	} {
		all[name] = h.Get(name)
	}
	return all
}

func placeTitles() map[check.Place]string {
	titles := map[check.Place]string{}
	for _, p := range check.Places() {
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
func (d *doctor) echo(w http.ResponseWriter, r *http.Request) error {
	if err := checkUpgrade(d.Server, r); err != nil {
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
