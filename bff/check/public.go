package check

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"coinslot/bff/config"
	"coinslot/bff/internal/background"
	"coinslot/bff/receipt"

	"github.com/gorilla/websocket"
)

// public reaches this server as browsers do: by the public URL, through DNS and the proxy.
func (ch *checker) public(ctx context.Context) (list findings) {
	if !ch.valid("COINSLOT_PUBLIC_URL", "COINSLOT_LISTEN") {
		return nil
	}

	origin := ch.Settings.PublicURL
	u, err := url.Parse(origin)
	if err != nil {
		return nil // the part settings reports it
	}
	if config.IsLocalOrigin(origin) {
		list = warn("public", origin+" is for trying out: only this machine can open it",
			"COINSLOT_PUBLIC_URL=https://pay.shop.example")
		for _, f := range ch.publicServer(ctx, u) {
			if f.Status == Fail { // no shopper is affected
				f.Status = Warn
			}
			list = append(list, f)
		}
		return list
	}
	if u.Scheme != "https" {
		list = fail("public", origin+" has no https: https shops cannot embed it, and attackers "+
			"on the network can replace addresses",
			"put a proxy with a certificate in front of it (docs/deploy.md)")
	}
	if _, err := ch.Resolve(ctx, u.Hostname()); err != nil {
		return append(list, unreachable("public", origin, u.Hostname(), err)...)
	}

	return append(list, ch.publicServer(ctx, u)...)
}

// publicServer checks that the public URL leads to this server, and what its proxy changes.
func (ch *checker) publicServer(ctx context.Context, u *url.URL) findings {
	accept := http.Header{"Accept": {"application/json"}}
	keys, err := ch.get(ctx, u, "/.well-known/jwks.json", accept)
	for range 10 { // a server that has just started orders its certificate
		if !ch.Settings.TLS.Auto || !isAlert(err) || !background.Sleep(ctx, time.Second) {
			break
		}
		keys, err = ch.get(ctx, u, "/.well-known/jwks.json", accept)
	}
	_, untrusted := errors.AsType[*tls.CertificateVerificationError](err)
	switch {
	case untrusted: // whether the server runs or not
		return unreachable("public", u.String(), u.Hostname(), err)
	case (err != nil || keys.StatusCode >= http.StatusBadGateway) && !ch.isRunning(ctx):
		return warn("public", "the server is not running yet, so the path to it was not checked",
			"start it and check again")
	case err != nil && ch.Settings.TLS.Auto && isAlert(err):
		return fail("public", u.String()+": the server runs, but has no certificate yet",
			"read its log, which has the answer of the ACME server, and check again")
	case err != nil:
		return unreachable("public", u.String()+", though the server runs", u.Hostname(), err)
	case keys.StatusCode != http.StatusOK:
		return fail("public",
			fmt.Sprintf("%s answers with status %d: that is not this server", u, keys.StatusCode),
			"let the proxy forward every path to "+ch.Settings.Listen)
	}

	own, err := receipt.New(ch.Settings.PublicURL, config.Reveal(ch.Settings.SecretKeys))
	leads := ok("public", u.String()+" leads to this server")
	switch {
	case err != nil || len(ch.Settings.SecretKeys) == 0 || !ch.valid("COINSLOT_SECRET_KEY"):
		leads = unknown("public", u.String()+" answers; whether it is this server was not tried")
		leads[0].Fix = "set COINSLOT_SECRET_KEY, by which this server is recognized"
	case !bytes.Equal(own.KeySet(), keys.body):
		return fail("public",
			u.String()+" is another server, or one with another COINSLOT_SECRET_KEY",
			"point DNS and proxy to this server, and restart it after changing settings")
	}

	return slices.Concat(leads,
		ch.certificate("public", u.Hostname(), keys.TLS), ch.framing(ctx, u), ch.socket(ctx, u),
		ch.console(ctx, u))
}

// isAlert reports whether a server ended the TLS handshake by an alert.
func isAlert(err error) bool {
	_, is := errors.AsType[tls.AlertError](err)
	failed, isNetwork := errors.AsType[*net.OpError](err)
	return is || isNetwork && failed.Op == "remote error"
}

// console sends the header that only the proxy may set, with a name of its own. If a page
// shows that name, anyone can sign in.
func (ch *checker) console(ctx context.Context, u *url.URL) findings {
	header := ch.Settings.AdminProxyHeader
	if header == "" || !ch.valid("COINSLOT_ADMIN_PROXY_HEADER") {
		return nil
	}

	name := "check-" + rand.Text()
	sent := http.Header{"Accept": {"text/html"}}
	sent.Set(header, name)
	page, err := ch.get(ctx, u, "/admin/audit", sent)
	switch {
	case err != nil:
		return unreachable("console", u.String(), u.Hostname(), err)
	case bytes.Contains(page.body, []byte(name)):
		return fail("console", "anyone who sends "+header+" is signed in to /admin: the proxy "+
			"passes the header on", "let the proxy set or remove "+header+" on every request "+
			"(docs/console.md), and restart it")
	}

	return ok("console", "the proxy does not pass on a client's "+header)
}

// AbsentSession is the id of no session. Its page is a checkout without an order, with the headers
// of every session's.
const AbsentSession = "cs_aaaaaaaaaaaaaaaaaaaaaaaaaa"

// framing checks that the proxy keeps the headers by which shops may embed the checkout.
func (ch *checker) framing(ctx context.Context, u *url.URL) findings {
	page, err := ch.get(ctx, u, "/checkout/"+AbsentSession, http.Header{"Accept": {"text/html"}})
	if err != nil {
		return unreachable("headers", u.String(), u.Hostname(), err)
	}

	policies := page.Header.Values("Content-Security-Policy")
	ancestors := strings.Join(append([]string{"frame-ancestors 'self'"}, ch.Settings.Origins...),
		" ")
	switch {
	case page.Header.Get("X-Frame-Options") != "":
		return fail("headers", "a proxy adds X-Frame-Options: no shop can embed the checkout",
			"remove that header from the proxy's settings for this host")
	case len(policies) != 1:
		return fail("headers", fmt.Sprintf("a page comes with %d headers Content-Security-Policy: "+
			"a proxy adds or removes one", len(policies)), "let it pass this server's unchanged")
	case ch.valid("COINSLOT_ORIGINS") && len(ch.Settings.Origins) > 0 &&
		!strings.Contains(policies[0]+";", ancestors+";"):
		return fail("headers", "pages lack "+ancestors+": a proxy has changed the policy, or the "+
			"server runs with other settings",
			"restart the server; let the proxy pass the header unchanged")
	}

	return ok("headers", "the proxy passes them unchanged")
}

// socket opens a websocket to the doctor and expects its message back.
func (ch *checker) socket(ctx context.Context, u *url.URL) findings {
	const fix = "let the proxy pass on Upgrade and Connection with HTTP/1.1 (docs/deploy.md has " +
		"nginx and Caddy); without it pages poll every few seconds"
	dialer := websocket.Dialer{
		NetDialContext:   ch.dial,
		TLSClientConfig:  ch.tls(u.Hostname()),
		HandshakeTimeout: 5 * time.Second,
	}
	at := "ws" + strings.TrimPrefix(u.String(), "http") + "/checkout/doctor/live"
	origin := http.Header{"Origin": {u.String()}}
	//nolint:bodyclose // the dialer closes it
	conn, resp, err := dialer.DialContext(ctx, at, origin)
	switch {
	case errors.Is(err, websocket.ErrBadHandshake) && resp != nil:
		return fail("websocket", fmt.Sprintf("it does not open (status %d)", resp.StatusCode), fix)
	case err != nil:
		return fail("websocket", "it does not open: "+oneLine(err), fix)
	}

	defer conn.Close()
	until := time.Now().Add(5 * time.Second)
	const word = "check"
	err = errors.Join(conn.SetReadDeadline(until), conn.SetWriteDeadline(until),
		conn.WriteMessage(websocket.TextMessage, []byte(word)))
	if err == nil {
		var echo []byte
		_, echo, err = conn.ReadMessage()
		if err == nil && string(echo) != word {
			err = errors.New("the echo differs")
		}
	}
	if err != nil {
		return fail("websocket", "it opens, but no message comes through: "+oneLine(err), fix)
	}

	return ok("websocket", "opens and echoes")
}

// response is an HTTP response whose body was read and closed.
type response struct {
	*http.Response
	body []byte
}

// get requests a path of u and reads at most 256 KiB of the answer.
func (ch *checker) get(
	ctx context.Context, u *url.URL, path string, header http.Header,
) (response, error) {
	at := u.ResolveReference(&url.URL{Path: path})
	req := &http.Request{Method: http.MethodGet, URL: at, Header: header}
	resp, err := ch.client().Do(req.WithContext(ctx))
	if err != nil {
		return response{}, err
	}
	defer resp.Body.Close()

	body, err := io.ReadAll(io.LimitReader(resp.Body, 256<<10))
	return response{resp, body}, err
}

// isRunning reports whether something listens on the server's address.
func (ch *checker) isRunning(ctx context.Context) bool {
	host, port, err := net.SplitHostPort(ch.Settings.Listen)
	if err != nil {
		return false
	}
	if host == "" || net.ParseIP(host).IsUnspecified() {
		host = "127.0.0.1"
	}
	conn, err := ch.Dial(ctx, "tcp", net.JoinHostPort(host, port))
	return err == nil && conn.Close() == nil
}
