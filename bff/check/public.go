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
	"coinslot/bff/diagnose"
	"coinslot/bff/receipt"

	"github.com/gorilla/websocket"
)

// public goes the way that browsers go: by the public URL, through the name
// service and the proxy, to this very server, and opens a websocket.
func (x *checker) public(ctx context.Context) findings {
	if !x.understood("COINSLOT_PUBLIC_URL", "COINSLOT_LISTEN") {
		return nil
	}
	origin := x.Settings.PublicURL
	u, err := url.Parse(origin)
	if err != nil {
		return nil // the settings say it
	}
	if isLocal(origin) {
		return asWarnings(origin, x.publicServer(ctx, u))
	}
	var list findings
	if u.Scheme != "https" {
		list = append(list, fail("public",
			origin+
				" has no https: browsers of shops with https refuse it, and addresses can be "+
				"exchanged on the way",
			"put a proxy with a certificate before it (docs/deploy.md)"))
	}
	if _, err := x.Resolve(ctx, u.Hostname()); err != nil {
		return append(list, unreachable("public", origin, u.Hostname(), err))
	}
	return append(list, x.publicServer(ctx, u)...)
}

// asWarnings is what was found about a checkout that is for this machine only:
// nothing of it keeps a shopper from paying.
func asWarnings(origin string, found findings) findings {
	list := findings{warn("public", origin+" is for trying out: nobody else can open it",
		"COINSLOT_PUBLIC_URL=https://pay.shop.example")}
	for _, f := range found {
		if f.Severity == diagnose.Fail {
			f.Severity = diagnose.Warn
		}
		list = append(list, f)
	}
	return list
}

// publicServer asks the server by its public address.
func (x *checker) publicServer(ctx context.Context, u *url.URL) findings {
	keys, err := x.get(ctx, u, "/.well-known/jwks.json", "application/json")
	_, untrusted := errors.AsType[*tls.CertificateVerificationError](err)
	switch {
	case untrusted: // whether the server runs or not
		return findings{unreachable("public", u.String(), u.Hostname(), err)}
	case (err != nil || keys.status >= http.StatusBadGateway) && !x.isRunning(ctx):
		return findings{warn(
			"public", "the server does not run yet, so the way to it was not tried",
			"start it and check again",
		)}
	case err != nil:
		return findings{
			unreachable("public", u.String()+", though the server runs", u.Hostname(), err),
		}
	case keys.status != http.StatusOK:
		other := fmt.Sprintf("%s answers with status %d: that is not this server", u, keys.status)
		return findings{fail("public", other,
			"let the proxy forward every path to "+x.Settings.Listen)}
	}
	own, err := receipt.New(x.Settings.PublicURL, config.Reveal(x.Settings.SecretKeys))
	if err == nil && x.understood("COINSLOT_SECRET_KEY") && !bytes.Equal(own.KeySet(), keys.body) {
		return findings{fail("public",
			u.String()+" is answered by another server, or by one with another COINSLOT_SECRET_KEY",
			"let the name and the proxy lead to this server, and restart it after changes of "+
				"settings")}
	}
	list := findings{ok("public", u.String()+" leads to this server")}
	if f := x.certificate("public", u.Hostname(), keys.tls); f != nil {
		list = append(list, *f)
	}
	list = append(list, append(x.framing(ctx, u), x.socket(ctx, u))...)
	return append(list, x.console(ctx, u)...)
}

// console is whether a stranger who says who they are is believed: they send the
// header in which only the proxy should. A page that shows the name is the console's.
func (x *checker) console(ctx context.Context, u *url.URL) findings {
	header := x.Settings.AdminProxyHeader
	if header == "" || !x.understood("COINSLOT_ADMIN_PROXY_HEADER") {
		return nil
	}
	name := "check-" + rand.Text()
	page, err := x.get(ctx, u, "/admin/audit", "text/html", header, name)
	switch {
	case err != nil:
		return findings{unreachable("console", u.String(), u.Hostname(), err)}
	case bytes.Contains(page.body, []byte(name)):
		return findings{fail("console",
			"whoever sends "+header+
				" is signed in to /admin: the proxy passes on what strangers say of themselves",
			"let the proxy set or remove "+header+
				" on every request (docs/console.md), and restart it")}
	}
	return findings{ok("console", "the proxy passes no "+header+" of strangers on")}
}

// absentSession is a session that there is not: its page has the headers of all.
const absentSession = "/checkout/cs_aaaaaaaaaaaaaaaaaaaaaaaaaa"

// framing is whether a proxy has left the headers alone that let shops' pages
// show the checkout.
func (x *checker) framing(ctx context.Context, u *url.URL) findings {
	page, err := x.get(ctx, u, absentSession, "text/html")
	if err != nil {
		return findings{unreachable("headers", u.String(), u.Hostname(), err)}
	}
	if page.header.Get("X-Frame-Options") != "" {
		return findings{fail(
			"headers", "a proxy adds X-Frame-Options: no shop's page can show the checkout",
			"take that header out of the proxy's settings for this host",
		)}
	}
	policies := page.header.Values("Content-Security-Policy")
	ancestors := strings.Join(
		append([]string{"frame-ancestors 'self'"}, x.Settings.Origins...), " ",
	)
	switch {
	case len(policies) != 1:
		return findings{fail("headers",
			fmt.Sprintf("a page comes with %d headers Content-Security-Policy: a proxy adds or "+
				"removes one",
				len(policies)),
			"let it pass the one of this server as it is")}
	case x.understood("COINSLOT_ORIGINS") && len(x.Settings.Origins) > 0 &&
		!slices.Contains(splitPolicy(policies[0]), ancestors):
		return findings{fail("headers",
			"pages do not say "+ancestors+
				": a proxy has changed it, or the server runs with other settings",
			"restart the server; let the proxy pass the header as it is")}
	}
	return findings{ok("headers", "the proxy leaves them as they are")}
}

func splitPolicy(policy string) []string {
	var list []string
	for part := range strings.SplitSeq(policy, ";") {
		list = append(list, strings.TrimSpace(part))
	}
	return list
}

// socket opens one to the doctor, says something and hears it again.
func (x *checker) socket(ctx context.Context, u *url.URL) diagnose.Finding {
	const way = "let the proxy pass Upgrade and Connection on with HTTP/1.1 (docs/deploy.md has " +
		"nginx and Caddy); without it pages ask every few seconds"
	dialer := websocket.Dialer{
		NetDialContext: x.dial, TLSClientConfig: x.tls(u.Hostname()),
		HandshakeTimeout: 5 * time.Second,
	}
	at := "ws" + strings.TrimPrefix(u.String(), "http") + "/checkout/doctor/live"
	origin := http.Header{"Origin": {u.String()}}
	//nolint:bodyclose // the dialer closes it
	conn, resp, err := dialer.DialContext(ctx, at, origin)
	if err != nil {
		if errors.Is(err, websocket.ErrBadHandshake) && resp != nil {
			return fail(
				"websocket", fmt.Sprintf("it does not open (status %d)", resp.StatusCode), way,
			)
		}
		return fail("websocket", "it does not open: "+oneLine(err), way)
	}
	defer conn.Close()
	until := time.Now().Add(5 * time.Second)
	const word = "check"
	err = errors.Join(conn.SetReadDeadline(until), conn.SetWriteDeadline(until),
		conn.WriteMessage(websocket.TextMessage, []byte(word)))
	if err == nil {
		var echo []byte
		if _, echo, err = conn.ReadMessage(); err == nil && string(echo) != word {
			err = errors.New("another word came back")
		}
	}
	if err != nil {
		return fail("websocket", "it opens, and nothing comes through: "+oneLine(err), way)
	}
	return ok("websocket", "passes")
}

// response is an HTTP response whose body was read and closed.
type response struct {
	body   []byte
	status int
	header http.Header
	tls    *tls.ConnectionState // nil = not encrypted
}

// get asks for a path, with more headers, name and value.
func (x *checker) get(
	ctx context.Context, u *url.URL, path, accept string, header ...string,
) (response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String()+path, nil)
	if err != nil {
		return response{}, err
	}
	req.Header.Set("Accept", accept)
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := x.client().Do(req)
	if err != nil {
		return response{}, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 256<<10))
	return response{body, resp.StatusCode, resp.Header, resp.TLS}, err
}

// isRunning reports whether somebody listens where this server will.
func (x *checker) isRunning(ctx context.Context) bool {
	host, port, err := net.SplitHostPort(x.Settings.Listen)
	if err != nil {
		return false
	}
	if host == "" || net.ParseIP(host).IsUnspecified() {
		host = "127.0.0.1"
	}
	conn, err := x.Dial(ctx, "tcp", net.JoinHostPort(host, port))
	if err != nil {
		return false
	}
	return conn.Close() == nil
}
