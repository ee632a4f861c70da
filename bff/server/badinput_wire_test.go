package server_test

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/e2e/need"
	"coinslot/static"
)

// wire sends bytes over a new connection and compares the statuses of all answers.
func (b *inputRig) wire(t *testing.T, addr, id, text string, want ...int) {
	t.Helper()
	b.sent++
	began := time.Now()
	got := raw(t, addr, text)
	b.slowest = max(b.slowest, time.Since(began))
	if fmt.Sprint(got) != fmt.Sprint(want) {
		b.report(t, id, []string{fmt.Sprintf("answers %v; want %v", got, want)})
		return
	}
	b.report(t, id, nil)
}

// badLines: B15, B40 to B43, heads and bodies that parsers read differently, through the command's
// listener.
func badLines(t *testing.T, b *inputRig) {
	addr := listen(t, b.Handler)
	id := b.Open(`{"amount_usd":"25.00"}`)
	page := "/checkout/" + id
	before := b.hash(t)
	hidden := "POST " + page + "/cancel HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n"
	post := "POST " + page + "/attempts HTTP/1.1\r\nHost: localhost:8080\r\nContent-Type: application/json\r\n"
	end := "Connection: close\r\n\r\n"
	chunked := fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(hidden), hidden)
	for name, text := range map[string]string{
		"length and chunks, cut": post + "Content-Length: 0\r\nTransfer-Encoding: chunked\r\n" + end + "zz\r\n", "two lengths": post + "Content-Length: 0\r\nContent-Length: 5\r\n\r\n" + hidden, "list of lengths": post + "Content-Length: 0, 5\r\n\r\n" + hidden, "plus": post + "Content-Length: +2\r\n\r\n{}", "minus": post + "Content-Length: -1\r\n\r\n" + hidden,
		"hexadecimal": post + "Content-Length: 0x2\r\n\r\n{}", "words": post + "Content-Length: two\r\n\r\n{}", "fraction": post + "Content-Length: 2.0\r\n\r\n{}", "overflow": post + "Content-Length: 18446744073709551618\r\n\r\n{}", "vertical tab": post + "Transfer-Encoding:\x0bchunked\r\n\r\n" + chunked, "space before the colon": post + "Transfer-Encoding : chunked\r\n\r\n" + chunked,
		"bad chunk size": post + "Transfer-Encoding: chunked\r\n" + end + "g\r\n", "chunk of minus one": post + "Transfer-Encoding: chunked\r\n" + end + "-1\r\n{}\r\n0\r\n\r\n", "chunk size overflow": post + "Transfer-Encoding: chunked\r\n" + end + "10000000000000002\r\n{}\r\n0\r\n\r\n", "chunk without end": post + "Transfer-Encoding: chunked\r\n" + end + "2\r\n{}xx0\r\n\r\n",
		"no host": "GET " + page + " HTTP/1.1\r\n\r\n", "two hosts": "GET " + page + " HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "host with a slash": "GET " + page + " HTTP/1.1\r\nHost: a/b\r\n\r\n", "host with a space": "GET " + page + " HTTP/1.1\r\nHost: a b\r\n\r\n", "NUL in a header": "GET " + page + " HTTP/1.1\r\nHost: a\r\nX-A: \x00\r\n\r\n", "carriage return in a header": "GET " + page + " HTTP/1.1\r\nHost: a\r\nX-A: a\rb\r\n\r\n",
		"header without a name": "GET " + page + " HTTP/1.1\r\nHost: a\r\n: x\r\n\r\n", "header without a colon": "GET " + page + " HTTP/1.1\r\nHost: a\r\nX\r\n\r\n", "name with a space": "GET " + page + " HTTP/1.1\r\nHost: a\r\nX A: b\r\n\r\n", "name with NUL": "GET " + page + " HTTP/1.1\r\nHost: a\r\nX\x00: b\r\n\r\n", "line break in the path": "GET " + page + "\nX HTTP/1.1\r\nHost: a\r\n\r\n", "space in the path": "GET " + page + " x HTTP/1.1\r\nHost: a\r\n\r\n",
		"bad escape in the path": "GET " + page + "%zz HTTP/1.1\r\nHost: a\r\n" + end, "no version": "GET " + page + "\r\n\r\n", "bad version": "GET " + page + " HTTP/1.x\r\nHost: a\r\n\r\n", "method with a space": "GE T " + page + " HTTP/1.1\r\nHost: a\r\n\r\n", "no method": " " + page + " HTTP/1.1\r\nHost: a\r\n\r\n", "TLS": "\x16\x03\x01\x00\xa5\x01\x00\r\n\r\n", "NULs": "\x00\x00\x00\x00\r\n\r\n", "path without a slash": "GET checkout HTTP/1.1\r\nHost: a\r\n\r\n",
	} {
		b.wire(t, addr, "B41/"+name, text, 400)
	}
	b.wire(t, addr, "B41/version 3", "GET "+page+" HTTP/3.0\r\nHost: a\r\n\r\n", 505)
	b.wire(t, addr, "B41/HTTP/2 without asking", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400)
	for name, coding := range map[string]string{"other coding": "xchunked", "two codings": "chunked\r\nTransfer-Encoding: identity", "list": "gzip, chunked", "chunked twice": "chunked, chunked", "quoted": `"chunked"`, "parameter": "chunked;x=y"} {
		b.wire(t, addr, "B41/"+name, post+"Transfer-Encoding: "+coding+"\r\n\r\n"+chunked, 501)
	}
	for name, c := range map[string]struct {
		text string
		want int
	}{
		"B43/64 KiB header": {"GET " + page + " HTTP/1.1\r\nHost: a\r\nX-A: " + strings.Repeat("a", 64<<10) + "\r\n" + end, 431}, "B43/64 KiB name": {"GET " + page + " HTTP/1.1\r\nHost: a\r\n" + strings.Repeat("a", 64<<10) + ": b\r\n" + end, 431}, "B43/5,000 headers": {"GET " + page + " HTTP/1.1\r\nHost: a\r\n" + strings.Repeat("A: b\r\n", 5000) + end, 431},
		"B43/64 KiB path": {"GET /" + strings.Repeat("a", 64<<10) + " HTTP/1.1\r\nHost: a\r\n" + end, 431}, "B43/64 KiB method": {strings.Repeat("A", 64<<10) + " / HTTP/1.1\r\nHost: a\r\n" + end, 431}, "B44/100 KiB of languages": {"GET " + page + " HTTP/1.1\r\nHost: a\r\nAccept-Language: " + strings.Repeat("de;q=0.1,", 11_000) + "\r\n" + end, 431},
		"B40/absolute form": {"GET http://evil.example" + page + " HTTP/1.1\r\nHost: a\r\n" + end, 200}, "B40/authority": {"CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n" + end, 404}, "B40/asterisk": {"OPTIONS * HTTP/1.1\r\nHost: a\r\n" + end, 200}, "B40/empty host": {"GET " + page + " HTTP/1.1\r\nHost:\r\n" + end, 200}, "B42/host with a dot": {"GET " + page + " HTTP/1.1\r\nHost: localhost.:8080\r\n" + end, 200},
		"B41/bare line feeds": {"GET " + page + " HTTP/1.1\nHost: a\nConnection: close\n\n", 200}, "B41/folded": {post + "X-A: b\r\n Content-Length: 9\r\nContent-Length: 2\r\n" + end + "{}", 422}, "B43/500 headers": {"GET " + page + " HTTP/1.1\r\nHost: a\r\n" + strings.Repeat("A: b\r\n", 500) + end, 200}, "B41/chunk extension": {post + "Transfer-Encoding: chunked\r\n" + end + "2;x=y\r\n{}\r\n0\r\n\r\n", 422}, "B41/trailer": {post + "Trailer: Authorization\r\nTransfer-Encoding: chunked\r\n" + end + "2\r\n{}\r\n0\r\nAuthorization: " + bearer + "\r\n\r\n", 422},
		"B40/absolute form of another scheme": {"GET gopher://evil.example" + page + " HTTP/1.1\r\nHost: a\r\n" + end, 200}, "B42/host with a dot behind": {"GET " + page + " HTTP/1.1\r\nHost: localhost.:8080\r\n" + end, 200}, "B42/host in capitals": {"GET " + page + " HTTP/1.1\r\nHost: LOCALHOST:8080\r\n" + end, 200},
		"B41/body of a GET": {"GET " + page + " HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n" + end + "{}", 200}, "B41/key in a trailer": {"POST /v1/sessions HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTrailer: Authorization\r\nTransfer-Encoding: chunked\r\n" + end + "2\r\n{}\r\n0\r\n" + bearer + "\r\n\r\n", 401}, "B15/expects something else": {post + "Expect: 200-ok\r\nContent-Length: 2\r\n" + end + "{}", 417},
		"B15/2 MiB on the wire": {"POST /v1/sessions HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n" + bearer + "\r\nContent-Length: 2097152\r\n\r\n" + strings.Repeat(" ", 2<<20), 413}, "B15/endless chunks": {"POST /v1/sessions HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n" + bearer + "\r\nTransfer-Encoding: chunked\r\n\r\n" + strings.Repeat("1000\r\n"+strings.Repeat(" ", 4096)+"\r\n", 100), 413},
		"B15/chunked choice": {post + "Transfer-Encoding: chunked\r\n" + end + "11\r\n{\"amount_usd\":\"1\"\r\n1\r\n}\r\n0\r\n\r\n", 422}, "B15/untyped chunks": {"POST " + page + "/attempts HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n" + end + "0\r\n\r\n", 415},
	} {
		b.wire(t, addr, name, c.text, c.want)
	}
	if b.hash(t) != before {
		b.bad++
		t.Error("the database has changed: a hidden request was obeyed")
	}
}

// badPaths: B40, B42 and B98, unusual paths, and those of operators.
func badPaths(t *testing.T, b *inputRig) {
	need.Assets(t, static.Files) // checkout.js is one of them
	id := b.Open(`{"amount_usd":"25.00"}`)
	var list []input
	for path, code := range map[string]string{
		"/checkout/%2e%2e/v1/sessions": "not_found", "/checkout/" + id + "/%2e%2e/" + id: "not_found", "/checkout/" + id + "/": "not_found", "/checkout/": "not_found", "/Checkout/" + id: "not_found", "/CHECKOUT": "not_found", "/checkout/..%2f..%2fv1%2fsessions": "session_unknown", "/checkout/" + id + "/view/": "not_found", "/checkout/" + id + "/VIEW": "not_found", "/checkout/" + id + "/view%20": "not_found", "/checkout/" + id + "/view%00": "not_found", "/checkout/" + id + "%2fview": "session_unknown",
		"/assets/..%2f..%2fmanifest.json": "not_found", "/assets/%2e%2e%2fmanifest.json": "not_found", "/assets/..%5c..%5cx": "not_found", "/assets/": "not_found", "/assets/none.js": "not_found", "/checkout/1.2.3/checkout.js": "not_found", "/checkout/..%2f/checkout.js": "not_found", "/favicon.ico": "not_found", "/robots.txt": "not_found", "/.env": "not_found", "/.git/config": "not_found", "/coinslot.db": "not_found", "/catalog.yaml": "not_found", "/wp-login.php": "not_found",
		"/metrics": "not_found", "/healthz": "not_found", "/readyz": "not_found", "/debug/pprof/": "not_found", "/debug/pprof/heap": "not_found", "/debug/vars": "not_found", "/metrics/": "not_found", "/%6detrics": "not_found", "/server-status": "not_found", "/actuator/env": "not_found", "/.well-known/security.txt": "not_found", "/csp-report": "not_found", "/v2/sessions": "not_found", "/v1sessions": "not_found", "/": "not_found",
	} {
		list = append(list, input{id: "B42/" + strings.ReplaceAll(path, id, "…"), method: "GET", path: path, code: code})
	}
	for _, path := range []string{"/v1/%2e%2e/metrics", "/v1/", "/v1/sessions/" + id + "/", "/v1/sessions/%2e%2e%2fcurrencies/x", "/v1/none"} {
		list = append(list, input{id: "B42/" + strings.ReplaceAll(path, id, "…"), method: "GET", path: path, code: "unauthorized"})
	}
	for _, path := range []string{"//checkout//" + id, "/checkout/./" + id, "/x/../checkout/" + id, "//evil.example/checkout/" + id, "//evil.example/%2e%2e", "/checkout//" + id, "/../../etc/passwd", "///evil.example/..", "/checkout/x/../../v1/sessions"} {
		list = append(list, input{id: "B42/" + strings.ReplaceAll(path, id, "…"), method: "GET", path: path, status: 307, hasNot: "[//"})
	}
	for _, header := range []string{"X-Forwarded-Host: evil.example", "X-Forwarded-Proto: evil", "X-Forwarded-For: evil.example, 127.0.0.1", "X-Forwarded-For: <script>evil</script>", "Forwarded: host=evil.example;proto=https", "X-Host: evil.example", "X-Original-URL: /v1/sessions/evil", "X-Rewrite-URL: /evil", "X-Forwarded-Prefix: /evil", "X-Real-IP: evil", "True-Client-IP: evil", "Via: evil", "Referer: https://evil.example", "Origin: https://evil.example", "Cookie: session=evil", "X-Request-Id: evil", "Traceparent: evil"} {
		list = append(list, input{id: "B40/" + header, method: "GET", path: "/checkout/" + id, headers: []string{header, "Accept: text/html"}, status: 200, has: "25.00", hasNot: "evil"})
	}
	for _, header := range []string{"Range: bytes=0-0", "Range: bytes=-1", "Range: bytes=9-1", "Range: x", "If-Range: x", "If-Match: x", "If-Unmodified-Since: x", "If-Modified-Since: x", "If-None-Match: x", "Accept-Encoding: *;q=0, identity;q=0", "Accept-Encoding: br;q=x", "Accept: x/y", "Accept: ;;;", "Connection: x", "Upgrade: h2c", "Max-Forwards: 0", "Cache-Control: only-if-cached"} {
		list = append(list, input{id: "B43/script with " + header, method: "GET", path: "/checkout.js", headers: []string{header}, status: 200})
	}
	b.refuse(t, list)
}

// upgrade is the head of a good handshake, and what stands in its lines.
const upgrade = "GET /checkout/%s/live HTTP/1.1\r\nHost: localhost:8080\r\nOrigin: " + ownOrigin + "\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n\r\n"

// badHandshakes: B59, B60 and B62.
func badHandshakes(t *testing.T, b *inputRig) {
	addr := listen(t, b.Handler)
	id := b.Open(`{"amount_usd":"25.00"}`)
	before := b.hash(t)
	good := fmt.Sprintf(upgrade, id)
	change := func(old, new string) string {
		return strings.Replace(strings.Replace(good, old, new, 1), "\r\n\r\n", "\r\nConnection: close\r\n\r\n", 1)
	}
	for _, origin := range []string{"https://evil.example", shop, "null", "", "http://localhost:8080.evil.example", "http://localhost:80800", "http://localhost:8081", "http://localhost", "https://localhost:8080", "ws://localhost:8080", "http://localhost:8080/", "http://localhost:8080/x", "http://a@localhost:8080", "http://localhost:8080@evil.example", "http://localhost:8080 https://evil.example", "http://localhost:8080, https://evil.example", "http://127.0.0.1:8080", "http://[::1]:8080", "http://\u217cocalhost:8080", "http://localhost.:8080", "http://localho\u017ft:8080", "localhost:8080", "*", "http://LOCALHOST", "http://localhost:08080", "file://", "chrome-extension://x"} {
		b.handshake(t, addr, fmt.Sprintf("B59/%q", origin), change(ownOrigin, origin), 403)
	}
	b.handshake(t, addr, "B59/no origin", change("Origin: "+ownOrigin+"\r\n", ""), 403)
	b.handshake(t, addr, "B59/two origins, own first", change("Connection", "Origin: https://evil.example\r\nConnection"), 403)
	b.handshake(t, addr, "B59/two origins, own last", change("Origin", "Origin: https://evil.example\r\nOrigin"), 403)
	b.handshake(t, addr, "B59/own host named by the request", strings.Replace(change(ownOrigin, "http://evil.example"), "Host: localhost:8080", "Host: evil.example", 1), 403)
	for name, c := range map[string][2]string{
		"version 8": {"13", "8"}, "version 12": {"Version: 13", "Version: 12"}, "version 130": {"13", "130"}, "no version": {"Sec-WebSocket-Version: 13\r\n", ""}, "two versions": {"Version: 13", "Version: 8, 7"}, "no key": {"Sec-WebSocket-Key", "X"}, "bad key": {"MDEy", "????"}, "short key": {"MDEyMzQ1Njc4OWFiY2RlZg==", "MDEy"}, "long key": {"MDEyMzQ1Njc4OWFiY2RlZg==", strings.Repeat("A", 1024)}, "empty key": {"MDEyMzQ1Njc4OWFiY2RlZg==", ""},
		"no upgrade": {"Upgrade: websocket\r\n", ""}, "other upgrade": {"Upgrade: websocket", "Upgrade: h2c"}, "no connection": {"Connection: Upgrade\r\n", ""}, "kept alive": {"Connection: Upgrade", "Connection: keep-alive"}, "HTTP/1.0": {"HTTP/1.1", "HTTP/1.0"}, "HEAD": {"GET", "HEAD"},
	} {
		b.handshake(t, addr, "B60/"+name, change(c[0], c[1]), 426)
	}
	for _, method := range []string{"POST", "PUT", "OPTIONS", "FOO"} {
		b.handshake(t, addr, "B60/"+method, change("GET", method), 405)
	}
	for name, odd := range map[string]string{"unknown": "cs_aaaaaaaaaaaaaaaaaaaaaaaaaa", "none": "cs_none", "NUL": "%00", "upper case": strings.ToUpper(id), "one less": id[:len(id)-1], "10 KiB": strings.Repeat("a", 10<<10), "slash": id + "%2f", "SQL": "%27--"} {
		b.handshake(t, addr, "B62/"+name, change(id, odd), 404)
	}
	if b.hash(t) != before {
		b.bad++
		t.Error("the database has changed")
	}
	fortest.Until(t, "no goroutine of a socket is left", func() bool { return handling() == 0 })
}

// handshake is wire for the first answer only: an open socket has no end.
func (b *inputRig) handshake(t *testing.T, addr, id, text string, want int) {
	t.Helper()
	b.sent++
	conn := fortest.Must(net.Dial("tcp", addr))(t)
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(10 * time.Second))
	go io.WriteString(conn, text)
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		b.report(t, id, []string{err.Error()})
		return
	}
	if response.StatusCode != want {
		b.report(t, id, []string{fmt.Sprintf("answer %d; want %d", response.StatusCode, want)})
		return
	}
	b.report(t, id, nil)
}

// frame is one websocket frame of a client; head is its first byte.
func frame(head byte, payload string) string {
	out := []byte{head}
	switch n := len(payload); {
	case n < 126:
		out = append(out, 0x80|byte(n))
	case n < 1<<16:
		out = binary.BigEndian.AppendUint16(append(out, 0x80|126), uint16(n))
	default:
		out = binary.BigEndian.AppendUint64(append(out, 0x80|127), uint64(n))
	}
	return string(out) + "\x00\x00\x00\x00" + payload // a mask of zeros leaves the payload as it is
}

// badSockets: B61 and B63, messages on an open socket: each is dropped, or closes the socket, and
// changes nothing.
func badSockets(t *testing.T, b *inputRig) {
	addr := listen(t, b.Handler)
	id := b.Open(`{"amount_usd":"25.00"}`)
	before := b.hash(t)
	const stays = 0
	for name, c := range map[string]struct {
		text string
		want int // close code; stays = the socket lives on
	}{
		"not JSON": {frame(0x81, "hello"), stays}, "empty": {frame(0x81, ""), stays}, "binary": {frame(0x82, "\x00\xff"), stays}, "status": {frame(0x81, `{"status":"confirmed","version":9000}`), stays}, "version of minus one": {frame(0x81, `{"version":-1}`), stays}, "version beyond": {frame(0x81, `{"version":9223372036854775808}`), stays}, "version a word": {frame(0x81, `{"version":"x"}`), stays}, "prototype": {frame(0x81, `{"__proto__":{}}`), stays}, "a kilobyte": {frame(0x82, strings.Repeat("x", 1024)), stays},
		"in two parts": {frame(0x01, "a") + frame(0x80, "b"), stays}, "ping": {frame(0x89, "x"), stays}, "pong that nobody asked for": {frame(0x8a, "x"), stays}, "ping in the middle": {frame(0x01, "a") + frame(0x89, "") + frame(0x80, "b"), stays},
		"a kilobyte and one": {frame(0x82, strings.Repeat("x", 1025)), 1009}, "70 KiB": {frame(0x82, strings.Repeat("x", 70<<10)), 1009}, "parts above a kilobyte": {frame(0x02, strings.Repeat("x", 800)) + frame(0x80, strings.Repeat("x", 800)), 1009}, "parts above two kilobytes": {frame(0x02, "x") + strings.Repeat(frame(0x00, strings.Repeat("x", 200)), 20), 1009}, "30 messages of a kilobyte": {strings.Repeat(frame(0x82, strings.Repeat("x", 1024)), 30), 1008}, "5,000 empty parts": {frame(0x01, "") + strings.Repeat(frame(0x00, ""), 5000), 1008}, "length of 2^62": {"\x82\xff\x40\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00", 1009}, "length of minus one": {"\x82\xff\xff\xff\xff\xff\xff\xff\xff\xff\x00\x00\x00\x00", 1008},
		"unmasked": {"\x81\x01a", 1002}, "reserved bit 1": {frame(0xc1, "a"), 1002}, "reserved bit 2": {frame(0xa1, "a"), 1002}, "reserved bit 3": {frame(0x91, "a"), 1002}, "opcode 3": {frame(0x83, "a"), 1002}, "opcode 7": {frame(0x87, "a"), 1002}, "opcode 11": {frame(0x8b, "a"), 1002}, "opcode 15": {frame(0x8f, "a"), 1002}, "continuation of nothing": {frame(0x80, "a"), 1002}, "new message in the middle": {frame(0x01, "a") + frame(0x81, "b"), 1002},
		"ping in two parts": {frame(0x09, "a"), 1002}, "ping of 126": {frame(0x89, strings.Repeat("x", 126)), 1002}, "close of one byte": {frame(0x88, "\x03"), 1005}, "close with code 999": {frame(0x88, "\x03\xe7"), 1002}, "close with code 1005": {frame(0x88, "\x03\xed"), 1002}, "close with code 1006": {frame(0x88, "\x03\xee"), 1002}, "close with a reason not UTF-8": {frame(0x88, "\x03\xe8\xff"), 1002},
		"close": {frame(0x88, "\x03\xe8"), 1000}, "close without a code": {frame(0x88, ""), 1005}, "40 messages": {strings.Repeat(frame(0x81, "{}"), 40), 1008}, "40 pings": {strings.Repeat(frame(0x89, ""), 40), 1008}, "40 pongs": {strings.Repeat(frame(0x8a, ""), 40), 1008}, "HTTP": {"GET / HTTP/1.1\r\n\r\n", 1002},
	} {
		b.sent++
		if got := b.talk(t, addr, id, c.text); got != c.want {
			b.report(t, "B61/"+name, []string{fmt.Sprintf("the socket ended with %d; want %d (0 = lives on)", got, c.want)})
			continue
		}
		b.report(t, "B61/"+name, nil)
	}
	if b.hash(t) != before {
		b.bad++
		t.Error("the database has changed")
	}
	fortest.Until(t, "no goroutine of a socket is left", func() bool { return handling() == 0 })
}

// talk opens a socket, sends text and a ping. It returns 0 for a pong, the code of a close frame,
// -1 for an end without one.
func (b *inputRig) talk(t *testing.T, addr, id, text string) int {
	t.Helper()
	conn := fortest.Must(net.Dial("tcp", addr))(t)
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(10 * time.Second))
	fmt.Fprintf(conn, upgrade, id)
	in := bufio.NewReader(conn)
	response, err := http.ReadResponse(in, nil)
	if err != nil || response.StatusCode != http.StatusSwitchingProtocols {
		t.Fatalf("upgrading: %v %v", response, err)
	}
	const probe = "probe of the bench"
	go io.WriteString(conn, text+frame(0x89, probe))
	for {
		opcode, payload, err := readFrame(in)
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
			t.Error("the socket neither answers nor ends")
			return -2
		case err != nil:
			return -1
		case opcode == 0xa && payload == probe:
			return 0
		case opcode == 8 && len(payload) >= 2:
			return int(binary.BigEndian.Uint16([]byte(payload)))
		case opcode == 8:
			return 1005
		}
	}
}

// readFrame reads one frame of a server, which are neither masked nor in parts.
func readFrame(in *bufio.Reader) (opcode byte, payload string, err error) {
	var head [2]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return 0, "", err
	}
	size := uint64(head[1] & 0x7f)
	if size >= 126 {
		long := make([]byte, map[uint64]int{126: 2, 127: 8}[size])
		if _, err := io.ReadFull(in, long); err != nil {
			return 0, "", err
		}
		size = binary.BigEndian.Uint64(append(make([]byte, 8-len(long)), long...))
	}
	text := make([]byte, size)
	_, err = io.ReadFull(in, text)
	return head[0] & 0xf, string(text), err
}

// raw sends text over a new connection and returns the statuses of all answers; 0 = not HTTP.
func raw(t *testing.T, addr, text string) []int {
	t.Helper()
	conn := fortest.Must(net.Dial("tcp", addr))(t)
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(10 * time.Second))
	go io.WriteString(conn, text)
	var list []int
	for in := bufio.NewReader(conn); ; {
		response, err := http.ReadResponse(in, nil)
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
			t.Error("the connection stays open")
			return list
		case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || err != nil && len(list) > 0:
			return list
		case err != nil:
			return append(list, 0)
		}
		if _, err := io.Copy(io.Discard, response.Body); err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Logf("reading a body: %v", err)
		}
		list = append(list, response.StatusCode)
		if strings.EqualFold(response.Header.Get("Connection"), "close") || response.Close {
			return list
		}
	}
}

// A body that is shorter than announced is refused.
func TestTruncatedBody(t *testing.T) {
	addr := listen(t, newRig(t).Handler)
	conn := fortest.Must(net.Dial("tcp", addr))(t)
	defer conn.Close()
	fmt.Fprintf(conn, "POST /v1/sessions HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"+
		"Authorization: Bearer %s\r\nContent-Length: 10\r\nConnection: close\r\n\r\n{}", secretKey)
	fortest.OK(t, conn.(*net.TCPConn).CloseWrite())
	conn.SetDeadline(time.Now().Add(10 * time.Second))
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err == nil && response.StatusCode != http.StatusBadRequest {
		t.Errorf("status = %d; want 400 or none", response.StatusCode)
	}
}

// A client that sends its request too slowly is disconnected.
func TestStalledHead(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	addr := listen(t, r.Handler)
	if got := raw(t, addr, "GET /checkout HTTP/1.1\r\nHost: x\r\nX-A: "); len(got) > 1 || len(got) == 1 && got[0] != http.StatusRequestTimeout {
		t.Errorf("answers = %v; want none or 408", got)
	}
}
