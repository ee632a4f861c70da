package shop

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"coinslot/bff/check"
	"coinslot/bff/fortest"
	"coinslot/bff/web"

	"github.com/gorilla/websocket"
)

// doctorSite is a server of which only the doctor is asked.
func doctorSite(t *testing.T, publicURL string) http.Handler {
	t.Helper()
	_, h := open(t,
		web.Config{
			PublicURL: publicURL,
			Origins:   []string{"https://shop.example", "https://hidden.example"},
		},
		Config{
			API:       true,
			OrderKey:  "ok-secret-secret-secret-secret-secret",
			HookToken: "ht-secret",
		})
	return h
}

// askDoctor asks the doctor; headers are "Name: value".
func askDoctor(
	t *testing.T, method, query, body string, headers ...string,
) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(method, "https://pay.example/checkout/doctor?"+query,
		strings.NewReader(body))
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	doctorSite(t, "https://pay.example").ServeHTTP(w, r)
	return w
}

// The answer has the accepted form, and only what was requested.
func TestDoctorForms(t *testing.T) {
	const pasted = "headers=HTTP/2+200%0Aset-cookie:+c%3Dpasted-secret%0Acontent-security-policy:+frame-src+'self'"
	const isForm = "Content-Type: application/x-www-form-urlencoded"
	for _, c := range []struct {
		name, method, query, body string
		headers                   []string
		kind, want                string
	}{
		{
			"curl",
			"GET",
			"origin=https://shop.example",
			"",
			[]string{"Accept: */*"},
			"text/plain",
			"listed, it may",
		},
		{
			"curl of a stranger", "GET", "origin=https://other.example", "", nil, "text/plain",
			"COINSLOT_ORIGINS=…,https://other.example",
		},
		{
			"a program",
			"GET",
			"origin=https://other.example",
			"",
			[]string{"Accept: application/json"},
			"application/json",
			`"add":["COINSLOT_ORIGINS=…,https://other.example"]`,
		},
		{
			"a browser",
			"GET",
			"origin=https://other.example",
			"",
			[]string{"Accept: text/html,*/*"},
			"text/html",
			`data-part="doctor-check-origin" data-status="fail"`,
		},
		{
			"a wish",
			"GET",
			"format=json",
			"",
			[]string{"Accept: text/html"},
			"application/json",
			`"listed":false`,
		},
		{
			"a wish for nothing known",
			"GET",
			"format=xml",
			"",
			[]string{"Accept: text/html"},
			"text/html",
			`<!doctype html>`,
		},
		{
			"rubbish",
			"GET",
			"origin=%3Cscript%3Ealert(1)",
			"",
			[]string{"Accept: text/html"},
			"text/html",
			"not an origin",
		},
		{
			"a code",
			"GET",
			"origin=https://shop.example&code=csp_frame_src",
			"",
			[]string{"Accept: text/html"},
			"text/html",
			`data-code="csp_frame_src"`,
		},
		{
			"no code",
			"GET",
			"code=%22%3E%3Cscript%3Ex",
			"",
			[]string{"Accept: text/html"},
			"text/html",
			`<!doctype html>`,
		},
		{
			"headers by curl",
			"POST",
			"origin=https://shop.example",
			pasted,
			[]string{isForm},
			"text/plain",
			"frame-src 'self' https://pay.example",
		},
		{
			"headers by form",
			"POST",
			"",
			pasted + "&origin=https://shop.example&format=html",
			[]string{isForm, "Accept: text/html", "Sec-Fetch-Site: same-origin"},
			"text/html",
			"frame-src &#39;self&#39; https://pay.example",
		},
	} {
		w := askDoctor(t, c.method, c.query, c.body, c.headers...)
		got := w.Body.String()
		if w.Code != 200 || !strings.HasPrefix(w.Header().Get("Content-Type"), c.kind) ||
			!strings.Contains(got, c.want) {
			t.Errorf("%s = %d, %s; want %s with %q:\n%.600s", c.name, w.Code,
				w.Header().Get("Content-Type"), c.kind, c.want, got)
		}
		fortest.Lacks(t, c.name+": the answer", got, "-secret", "hidden.example", "<script>")
		if w.Header().Get("Cache-Control") != "no-store" ||
			!strings.Contains(w.Header().Get("Content-Security-Policy"), "frame-ancestors 'none'") {
			t.Errorf("%s: headers %v", c.name, w.Header())
		}
	}
}

func TestDoctorRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		headers []string
		body    string
		want    int
	}{
		"another site": {
			[]string{
				"Content-Type: application/x-www-form-urlencoded", "Sec-Fetch-Site: cross-site",
				"Origin: https://evil.example",
			},
			"headers=x",
			403,
		},
		"JSON": {[]string{"Content-Type: application/json"}, `{"headers":"x"}`, 415},
		"too much": {
			[]string{"Content-Type: application/x-www-form-urlencoded"},
			"headers=" + strings.Repeat("x", 64<<10),
			413,
		},
	} {
		fortest.Equal(t, askDoctor(t, "POST", "", c.body, c.headers...).Code, c.want, "%s", name)
	}
}

// The JSON is a report as docs/doctor.md has it.
func TestDoctorJSON(t *testing.T) {
	var got DoctorReport
	fortest.OK(
		t,
		json.Unmarshal(
			askDoctor(t, "GET", "origin=HTTPS://Shop.Example/&format=json", "").Body.Bytes(),
			&got,
		),
	)
	if got.Server != "https://pay.example" || got.Origin != "https://shop.example" || !got.Listed ||
		len(got.Checks) < 15 || len(got.Add[check.Settings]) != 0 {
		t.Errorf("report = %+v", got)
	}
}

// The socket is for the checkout's own pages, echoes one message of a few bytes, and closes.
func TestDoctorEcho(t *testing.T) {
	server := httptest.NewUnstartedServer(nil)
	own := "http://" + server.Listener.Addr().String()
	server.Config.Handler = doctorSite(t, own)
	server.Start()
	t.Cleanup(server.Close)
	dial := func(origin string) (*websocket.Conn, *http.Response, error) {
		u, err := url.Parse(own)
		fortest.OK(t, err)
		return websocket.DefaultDialer.Dial("ws://"+u.Host+"/checkout/doctor/live",
			http.Header{"Origin": {origin}})
	}
	if _, resp, err := dial("https://shop.example"); err == nil || resp.StatusCode != 403 {
		t.Errorf("a page of another origin: %v, %v; want 403", resp, err)
	}
	for message, want := range map[string]string{
		"hello":                          "hello",
		strings.Repeat("x", echoBytes+1): "",
	} {
		c, _, err := dial(own)
		fortest.OK(t, err)
		fortest.OK(t, c.WriteMessage(websocket.TextMessage, []byte(message)))
		fortest.OK(t, c.SetReadDeadline(time.Now().Add(2*echoTimeout)))
		_, got, err := c.ReadMessage()
		if string(got) != want || want != "" && err != nil {
			t.Errorf("%.10q comes back as %q, %v; want %q", message, got, err, want)
		}
		if _, _, err := c.ReadMessage(); err == nil {
			t.Errorf("after %.10q the socket stays open", message)
		}
		c.Close()
	}
}
