package alert

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"coinslot/bff/fortest"
)

// Targets are read in all their forms, and print without what may be secret in them.
func TestParseTargets(t *testing.T) {
	list := fortest.Must(ParseTargets("owner@shop.example, mailto:o.b+c@shop.example," +
		"https://ntfy.sh/s3cr3t,slack+https://hooks.slack.com/services/s3cr3t"))(t)
	fortest.Lacks(t, "how they print", fmt.Sprintf("%#v", list), "s3cr3t")
	printed := "[owner@shop.example o.b+c@shop.example ntfy.sh hooks.slack.com]"
	for _, format := range []string{"%v", "%+v"} {
		fortest.Equal(t, fmt.Sprintf(format, list), printed, "how they print")
	}
	fortest.Equal(t, list[1].IsMail(), true, "mailto: gets mail")
	fortest.Equal(t, list[2].IsMail(), false, "a URL gets mail")

	for _, bad := range []string{
		"", ",", "owner", "owner@shop.example,", "Owner <owner@shop.example>", "mailto:",
		"a@b.example\r\nBcc: c@d.example", "ftp://s3cr3t.example/", "https://user:s3cr3t@ntfy.sh/x",
		"https://", "slack+hooks.slack.com/s3cr3t", "a@b.example,a@b.example",
		"mailto:a@b.example,a@b.example",
		"ö@shop.example", strings.Repeat("a@b.example,", 11) + "x",
	} {
		_, err := ParseTargets(bad)
		if err == nil || strings.Contains(err.Error(), "s3cr3t") {
			t.Errorf("ParseTargets(%q) = %v; want an error without the value", bad, err)
		}
	}
}

// URLs must be public, unless private ones are allowed.
func TestCheckTargets(t *testing.T) {
	for url, private := range map[string]bool{
		"https://ntfy.sh/x": false, "owner@shop.example": false,
		"http://127.0.0.1:8090/x": true, "https://10.0.0.5/x": true, "http://ntfy.sh/x": true,
		"slack+http://localhost/x": true,
	} {
		list := fortest.Must(ParseTargets(url))(t)
		fortest.Equal(t, CheckTargets(list, false) != nil, private, "%s is refused", url)
		fortest.OK(t, CheckTargets(list, true))
	}
}

// A name that leads to a private address is refused at the moment of connecting.
func TestPrivateTargetIsRefused(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	s := New(Config{Targets: fortest.Must(ParseTargets(server.URL))(t)})
	fortest.Has(t, "the error", s.Test(t.Context())[0].Error, "address is not public")
}

// posted is what a target has received.
type posted struct {
	header http.Header
	body   string
}

// receiver answers with a status, and returns what it received.
func receiver(t *testing.T, status int) (url string, received chan posted) {
	received = make(chan posted, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := fortest.Must(io.ReadAll(r.Body))(t)
		received <- posted{r.Header, string(body)}
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(status)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/topic?auth=s3cr3t", received
}

func posting(t *testing.T, target string) *Service {
	return New(Config{
		Targets:      fortest.Must(ParseTargets(target))(t),
		AllowPrivate: true,
		Origin:       "https://pay.shop.example",
	})
}

// ntfy gets the text as the body, and the rest as headers.
func TestPlainPost(t *testing.T) {
	url, received := receiver(t, http.StatusOK)
	s := posting(t, url)
	m := Message{
		Title:  "Bücher: a payment",
		Text:   "two\nlines, ä",
		Link:   "https://pay.shop.example/admin",
		Urgent: true,
	}
	fortest.OK(t, s.send(t.Context(), s.Targets[0], m))
	got := <-received
	fortest.Equal(t, got.body, m.Text, "the body")
	for name, want := range map[string]string{
		"Title":        "=?utf-8?q?B=C3=BCcher:_a_payment?=",
		"Click":        "https://pay.shop.example/admin",
		"Priority":     "high",
		"Tags":         "warning",
		"Content-Type": "text/plain; charset=utf-8",
	} {
		fortest.Equal(t, got.header.Get(name), want, "the header %s", name)
	}
}

// Slack gets JSON, in which text is no markup.
func TestSlackPost(t *testing.T) {
	url, received := receiver(t, http.StatusOK)
	s := posting(t, "slack+"+url)
	m := Message{Title: "1 payment", Text: "order <!channel> & \"2\""}
	fortest.OK(t, s.send(t.Context(), s.Targets[0], m))
	got := <-received
	fortest.Equal(t, got.header.Get("Content-Type"), "application/json", "the type")
	fortest.Equal(t, got.body,
		`{"text":"*1 payment*\norder \u0026lt;!channel\u0026gt; \u0026amp; \"2\""}`, "the body")
}

// What is not accepted is an error, which does not hold the URL: its path and query are secret.
func TestPostFails(t *testing.T) {
	for _, status := range []int{302, 401, 404, 413, 429, 500} {
		url, _ := receiver(t, status)
		err := posting(t, url).Test(t.Context())[0].Error
		fortest.Has(t, "the error", err, fmt.Sprint(status))
		fortest.Lacks(t, "the error", err, "s3cr3t", "topic")
	}
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	err := posting(t, closed.URL+"/s3cr3t").Test(t.Context())[0].Error
	fortest.Has(t, "the error", err, "refused")
	fortest.Lacks(t, "the error", err, "s3cr3t")
}
