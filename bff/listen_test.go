package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"coinslot/bff/demo"
	"coinslot/bff/fortest"
	"coinslot/bff/sandbox"
	"coinslot/bff/server"
	"coinslot/bff/server/servertest"
	"coinslot/client"
)

// remote is a sandbox checkout that can be away, with the environment of its commands.
type remote struct {
	*servertest.Rig
	url  string
	away atomic.Bool
	env  []string
}

func newRemote(t *testing.T, sandboxed bool) *remote {
	t.Helper()
	gateway, c := servertest.NewGateway(t)
	var o server.Options
	if sandboxed {
		o = server.Options{
			Kinds: demo.Kinds(),
			Simulate: func(_ context.Context, code, kind string) error {
				return gateway.Pay(code, sandbox.Kind(kind))
			}}
	}
	r := &remote{}
	r.Rig, _ = servertest.Start(t, gateway, c, o)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if r.away.Load() {
			http.Error(w, "deploying", http.StatusBadGateway)
			return
		}
		r.Handler.ServeHTTP(w, req)
	}))
	t.Cleanup(s.Close)
	r.url = s.URL
	r.env = []string{"COINSLOT_URL=" + s.URL, "COINSLOT_SECRET_KEY=" + servertest.SecretKey}
	return r
}

// trigger runs coinslot trigger and returns the session.
func (r *remote) trigger(t *testing.T, args ...string) string {
	t.Helper()
	code, out, errs := invoke(r.env, append([]string{"trigger"}, args...)...)
	if code != 0 {
		t.Fatalf("trigger %v: exit %d\n%s%s", args, code, out, errs)
	}
	return regexp.MustCompile(`cs_[a-z2-7]{26}`).FindString(out)
}

// webhooks is the server of a developer: it verifies what it receives, and answers with a status.
type webhooks struct {
	*httptest.Server
	secret   atomic.Value
	status   atomic.Int32
	received chan client.Event
	bodies   chan string
}

func newWebhooks(t *testing.T, l net.Listener) *webhooks {
	w := &webhooks{received: make(chan client.Event, 100), bodies: make(chan string, 100)}
	w.secret.Store("")
	w.status.Store(http.StatusNoContent)
	w.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(rw http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		e, err := client.VerifyWebhook(w.secret.Load().(string), req.Header, body)
		if err != nil {
			http.Error(rw, err.Error(), http.StatusUnauthorized)
			return
		}
		rw.WriteHeader(int(w.status.Load()))
		io.WriteString(rw, "TypeError: x is undefined")
		w.received <- e
		w.bodies <- string(body)
	}))
	if l != nil {
		w.Server.Listener = l
	}
	w.Start()
	t.Cleanup(w.Close)
	return w
}

// listen runs coinslot listen until it waits for events; stop is Ctrl-C.
func (r *remote) listen(
	t *testing.T, args ...string,
) (out *fortest.Log, secret string, stop func()) {
	t.Helper()
	out = &fortest.Log{}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- runListen(ctx, args, streams{r.env, out, out, ""}) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("listen ended with %v", err)
		}
		if strings.Contains(out.String(), servertest.SecretKey) {
			t.Error("listen printed the key")
		}
	})
	t.Cleanup(stop)
	fortest.Until(t, "listen waits for events",
		func() bool { return strings.Contains(out.String(), "Waiting for new events") })
	return out, regexp.MustCompile(`whsec_\S+`).FindString(out.String()), stop
}

// receive returns the next event that has arrived.
func (w *webhooks) receive(t *testing.T) (e client.Event) {
	t.Helper()
	select {
	case e = <-w.received:
	case <-time.After(30 * time.Second):
		t.Fatal("gave up waiting for a webhook")
	}
	return e
}

// next checks the next event that the developer's server has received.
func (w *webhooks) next(t *testing.T, want, session string) {
	t.Helper()
	e := w.receive(t)
	if s := fortest.Must(e.Session())(t); e.Type != want || s.ID != session {
		t.Fatalf("received %s of %s; want %s of %s", e.Type, s.ID, want, session)
	}
}

// Each event that trigger causes reaches a local server, with the body that the checkout sends.
func TestTriggerAndListen(t *testing.T) {
	t.Parallel()
	r, app := newRemote(t, true), newWebhooks(t, nil)
	r.trigger(t, "checkout.pending") // before the start: it does not count
	out, secret, stop := r.listen(t, "-forward-to", app.URL+"/hook?key="+secretCanary)
	app.secret.Store(secret)
	sent := 0
	for event := range triggers {
		session := r.trigger(t, event, "-server", r.url)
		want := []string{"checkout.pending", event}
		switch event {
		case "checkout.pending":
			want = want[:1]
		case "checkout.refund":
			want = []string{"checkout.pending", "checkout.confirmed", event}
		}
		for _, next := range want {
			app.next(t, next, session)
			sent++
		}
	}
	for len(app.bodies) > 0 {
		body := <-app.bodies
		if !regexp.MustCompile(`^\{"type":"checkout\.\w+","timestamp":"[^"]+Z","data":\{"id":"cs_`).MatchString(body) {
			t.Errorf("not a webhook's body: %.100s", body)
		}
	}
	line := regexp.MustCompile(`(?m)^\d\d:\d\d:\d\d  checkout\.review     evt_\w+  "test-\w+"  204 in \d+ ms$`)
	fortest.Until(t, "a line for each delivery", func() bool {
		return line.MatchString(out.String()) &&
			strings.Count(out.String(), "  204 in ") == sent
	})
	stop()
	fortest.Lacks(t, "the output", out.String(), secretCanary)
	_, again, _ := r.listen(t, "-forward-to", app.URL+"/hook?key="+secretCanary)
	if again != secret {
		t.Errorf("after a restart the secret is %s; want %s", again, secret)
	}
	if _, other, _ := r.listen(t, "-forward-to", app.URL+"/other"); other == secret {
		t.Error("another URL has the same secret")
	}
}

func TestListenFiltersAndReplays(t *testing.T) {
	t.Parallel()
	r, app := newRemote(t, true), newWebhooks(t, nil)
	out, secret, stop := r.listen(t, "-forward-to", app.URL, "-events",
		"checkout.confirmed,checkout.review")
	app.secret.Store(secret)
	app.status.Store(http.StatusInternalServerError)
	session := r.trigger(t, "checkout.confirmed")
	app.next(t, "checkout.confirmed", session)
	fortest.Until(t, "the refusal is explained", func() bool {
		return regexp.MustCompile(`500 in \d+ ms: Your server, or its proxy, failed\. TypeError: x is undefined`).MatchString(out.String())
	})
	stop()
	events := r.Events("?session=" + session).Data
	id := events[len(events)-1].ID
	replay := func(id string) (int, string) {
		code, said, errs := invoke(r.env, "listen", "-forward-to", app.URL, "-replay", id)
		return code, said + errs
	}
	if code, said := replay(id); code != 1 || !strings.Contains(said, "was not accepted") {
		t.Errorf("a replay that fails: exit %d\n%s", code, said)
	}
	app.receive(t)
	app.status.Store(http.StatusOK)
	if code, said := replay(id); code != 0 || !strings.Contains(said, id) ||
		len(app.received) != 1 {
		t.Errorf("a replay: exit %d, %d received\n%s", code, len(app.received), said)
	}
	if code, said := replay("evt_none"); code != 1 ||
		!strings.Contains(said, "not in the event log") {
		t.Errorf("a replay of nothing: exit %d\n%s", code, said)
	}
}

// Neither a checkout nor a local server that is away ends it, and no event is lost.
func TestListenSurvives(t *testing.T) {
	t.Parallel()
	r := newRemote(t, true)
	address := "127.0.0.1:" + fortest.FreePort(t)
	out, secret, _ := r.listen(t, "-forward-to", "http://"+address)
	session := r.trigger(t, "checkout.confirmed")
	fortest.Until(t, "listen says that the local server is away", func() bool {
		return strings.Contains(out.String(), "Your server does not answer: ")
	})
	app := newWebhooks(t, fortest.Must(net.Listen("tcp", address))(t))
	app.secret.Store(secret)
	app.next(t, "checkout.pending", session)
	app.next(t, "checkout.confirmed", session)
	r.away.Store(true)
	fortest.Until(t, "listen says that the checkout is away",
		func() bool { return strings.Contains(out.String(), "The checkout does not answer: ") })
	r.away.Store(false)
	app.next(t, "checkout.pending", r.trigger(t, "checkout.pending"))
	fortest.Until(t, "listen says that both are back",
		func() bool { return strings.Count(out.String(), " answers again.") >= 2 })
	if n := strings.Count(out.String(), "Your server does not answer"); n != 1 {
		t.Errorf("an outage is reported %d times; want once:\n%s", n, out)
	}
}

// What cannot work is said in plain words.
func TestListenAndTriggerErrors(t *testing.T) {
	t.Parallel()
	live, dead := newRemote(t, false), "http://127.0.0.1:1"
	wrong := []string{"COINSLOT_URL=" + live.url, "COINSLOT_SECRET_KEY=" + secretCanary}
	for _, tc := range []struct {
		name string
		env  []string
		args string
		has  string
	}{
		{"real money", live.env, "trigger checkout.confirmed", "takes real money"},
		{
			"no such event",
			live.env,
			"trigger checkout.paid",
			`unknown event "checkout.paid": choose one of checkout.cancelled, `,
		},
		{"no event", live.env, "trigger", "choose one of"},
		{
			"nobody",
			live.env,
			"trigger -server " + dead + " checkout.pending",
			"coinslot demo starts one",
		},
		{"no key", nil, "trigger checkout.pending", "is not set: bearer key"},
		{
			"listen with a wrong key",
			wrong,
			"listen -forward-to http://localhost:3000",
			"unauthorized",
		},
		{
			"listen to nowhere",
			live.env,
			"listen",
			"-forward-to: it is empty: set a URL like http://localhost:3000/hooks/coinslot",
		},
		{
			"another host by http",
			live.env,
			"listen -server http://pay.example -forward-to http://localhost:3000",
			"must be https",
		},
		{
			"trigger on another host",
			live.env,
			"trigger -server http://10.0.0.7:8080 checkout.pending",
			"must be https",
		},
		{
			"a password in the URL",
			live.env,
			"trigger -server http://u:" + secretCanary + "@localhost checkout.pending",
			"without user",
		},
		{
			"a password that is no URL",
			live.env,
			"trigger -server http://u:%zz" + secretCanary + "@localhost checkout.pending",
			"is not valid",
		},
		{
			"a key with #",
			live.env,
			"listen -forward-to http://localhost:3000/?key=a#" + secretCanary,
			"percent-encode it as %23",
		},
		{
			"a login to forward to",
			live.env,
			"listen -forward-to http://u:" + secretCanary + "@localhost:3000/",
			"percent-encoded (@ as %40)",
		},
		{
			"a key that is no URL",
			live.env,
			"listen -forward-to http://localhost:3000/%zz" + secretCanary,
			"percent-encode",
		},
		{
			"a webhook of the demo",
			nil,
			"demo -webhook-url https://u:" + secretCanary + "@shop.example/",
			"percent-encoded",
		},
		{
			"listen for nothing",
			live.env,
			"listen -forward-to http://localhost:3000 -events checkout.paid",
			`unknown event "checkout.paid"`,
		},
	} {
		code, out, errs := invoke(tc.env, strings.Fields(tc.args)...)
		if code != 1 || !strings.Contains(errs, tc.has) ||
			strings.Contains(out+errs, secretCanary) ||
			strings.Contains(out+errs, servertest.SecretKey) {
			t.Errorf("%s: exit %d; want 1 and %q in:\n%s%s", tc.name, code, tc.has, out, errs)
		}
	}
	fortest.Lacks(t, "the list of a live server", live.Do("GET", "/v1/sessions", "",
		servertest.Bearer).Body.String(),
		"cs_")
}
