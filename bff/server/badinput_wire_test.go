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

// badLines: heads and bodies that parsers read differently, through the command's listener. What
// net/http refuses by itself is tried once for each way to hide a request in another.
func badLines(t *testing.T, b *inputRig) {
	addr := listen(t, b.Handler)
	id := b.Open(`{"amount_usd":"25.00"}`)
	before := b.hash(t)
	const end = "Connection: close\r\n\r\n"
	page := "GET /checkout/" + id
	head := page + " HTTP/1.1\r\nHost: a\r\n"
	hidden := "POST /checkout/" + id + "/cancel HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n"
	post := "POST /checkout/" + id + "/attempts HTTP/1.1\r\nHost: localhost:8080\r\n" +
		"Content-Type: application/json\r\n"
	merchant := "POST /v1/sessions HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
	chunked := fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(hidden), hidden)
	const coded = "Transfer-Encoding: chunked\r\n"
	for name, c := range map[string]struct {
		text string
		want int
	}{
		"length and chunks": {post + "Content-Length: 0\r\n" + coded + end + "zz\r\n", 400},
		"two lengths": {
			post + "Content-Length: 0\r\nContent-Length: 5\r\n\r\n" + hidden,
			400,
		},
		"list of lengths":        {post + "Content-Length: 0, 5\r\n\r\n" + hidden, 400},
		"length of minus one":    {post + "Content-Length: -1\r\n\r\n" + hidden, 400},
		"vertical tab":           {post + "Transfer-Encoding:\x0bchunked\r\n\r\n" + chunked, 400},
		"space before the colon": {post + "Transfer-Encoding : chunked\r\n\r\n" + chunked, 400},
		"other coding":           {post + "Transfer-Encoding: xchunked\r\n\r\n" + chunked, 501},
		"two codings": {
			post + coded + "Transfer-Encoding: identity\r\n\r\n" + chunked,
			501,
		},
		"bad chunk size":    {post + coded + end + "g\r\n", 400},
		"chunk without end": {post + coded + end + "2\r\n{}xx0\r\n\r\n", 400},
		"chunk extension":   {post + coded + end + "2;x=y\r\n{}\r\n0\r\n\r\n", 422},
		"untyped chunks": {
			strings.Replace(post, "Content-Type", "X", 1) + coded + end + "0\r\n\r\n", 415,
		},
		"key in a trailer": {
			merchant + "Trailer: Authorization\r\n" + coded + end + "2\r\n{}\r\n0\r\n" + bearer +
				"\r\n\r\n",
			401,
		},
		"folded": {
			post + "X-A: b\r\n Content-Length: 9\r\nContent-Length: 2\r\n" + end + "{}",
			422,
		},
		"two hosts":                   {head + "Host: b\r\n\r\n", 400},
		"no host":                     {page + " HTTP/1.1\r\n\r\n", 400},
		"host with a dot":             {page + " HTTP/1.1\r\nHost: localhost.:8080\r\n" + end, 200},
		"carriage return in a header": {head + "X-A: a\rb\r\n\r\n", 400},
		"name with a space":           {head + "X A: b\r\n\r\n", 400},
		"bad escape in the path":      {page + "%zz HTTP/1.1\r\nHost: a\r\n" + end, 400},
		"absolute form": {
			strings.Replace(head, "/", "http://evil.example/", 1) + end, 200,
		},
		"authority": {
			"CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n" + end,
			404,
		},
		"asterisk":        {"OPTIONS * HTTP/1.1\r\nHost: a\r\n" + end, 200},
		"HTTP/2":          {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400},
		"body of a GET":   {head + "Content-Length: 2\r\n" + end + "{}", 200},
		"expects another": {post + "Expect: 200-ok\r\nContent-Length: 2\r\n" + end + "{}", 417},
		"64 KiB header":   {head + "X-A: " + strings.Repeat("a", 64<<10) + "\r\n" + end, 431},
		"64 KiB path": {
			"GET /" + strings.Repeat("a", 64<<10) + " HTTP/1.1\r\nHost: a\r\n" + end,
			431,
		},
		"5,000 headers": {head + strings.Repeat("A: b\r\n", 5000) + end, 431},
		"500 headers":   {head + strings.Repeat("A: b\r\n", 500) + end, 200},
		"2 MiB": {
			merchant + bearer + "\r\nContent-Length: 2097152\r\n\r\n" + strings.Repeat(" ", 2<<20),
			413,
		},
		"endless chunks": {
			merchant + bearer + "\r\n" + coded + "\r\n" +
				strings.Repeat("1000\r\n"+strings.Repeat(" ", 4096)+"\r\n", 100),
			413,
		},
	} {
		b.wire(t, addr, "line/"+name, c.text, c.want)
	}
	if b.hash(t) != before {
		b.bad++
		t.Error("the database has changed: a hidden request was obeyed")
	}
}

// badPaths: unusual paths, and those of operators.
func badPaths(t *testing.T, b *inputRig) {
	need.Assets(t, static.Files) // checkout.js is one of them
	id := b.Open(`{"amount_usd":"25.00"}`)
	page := "/checkout/" + id
	var list []input
	for code, paths := range map[string][]string{
		"not_found": {
			"/", "/checkout/%2e%2e/v1/sessions", page + "/", "/CHECKOUT", page + "/view/",
			page + "/VIEW", page + "/view%00", "/assets/..%2f..%2fmanifest.json",
			"/assets/..%5c..%5cx", "/assets/", "/checkout/1.2.3/checkout.js",
			"/checkout/..%2f/checkout.js", "/.env", "/coinslot.db", "/catalog.yaml", "/metrics",
			"/%6detrics", "/healthz", "/debug/pprof/heap", "/v1sessions",
		},
		"session_unknown": {"/checkout/..%2f..%2fv1%2fsessions", page + "%2fview"},
		"unauthorized":    {"/v1/%2e%2e/metrics", "/v1/", "/v1/sessions/%2e%2e%2fcurrencies/x"},
	} {
		for _, path := range paths {
			list = append(list, get("path/"+strings.ReplaceAll(path, id, "…"), path, code))
		}
	}
	for _, path := range []string{
		"//checkout//" + id, "/checkout/./" + id, "//evil.example" + page, "///evil.example/..",
		"/checkout/x/../../v1/sessions",
	} {
		in := get("path/"+strings.ReplaceAll(path, id, "…"), path, "")
		in.status = 307
		in.hasNot = "[//"
		list = append(list, in)
	}
	for _, header := range []string{
		"Range: bytes=9-1", "If-Match: x", "If-Modified-Since: x",
		"Accept-Encoding: *;q=0, identity;q=0", "Accept-Encoding: br;q=x", "Accept: x/y",
		"Upgrade: h2c", "Cache-Control: only-if-cached",
	} {
		in := get("path/script with "+header, "/checkout.js", "")
		in.headers = []string{header}
		in.status = 200
		list = append(list, in)
	}
	b.refuse(t, list)
}

// upgrade is the head of a good handshake, and what stands in its lines.
const upgrade = "GET /checkout/%s/live HTTP/1.1\r\nHost: localhost:8080\r\nOrigin: " + ownOrigin +
	"\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" +
	"Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n\r\n"

// badHandshakes: handshakes of other origins, versions and sessions. TestSameOrigin of package web
// has more origins.
func badHandshakes(t *testing.T, b *inputRig) {
	addr := listen(t, b.Handler)
	id := b.Open(`{"amount_usd":"25.00"}`)
	before := b.hash(t)
	good := fmt.Sprintf(upgrade, id)
	change := func(old, new string) string {
		text := strings.Replace(good, old, new, 1)
		return strings.Replace(text, "\r\n\r\n", "\r\nConnection: close\r\n\r\n", 1)
	}
	for _, origin := range []string{
		"https://evil.example", shop, "null", "", "http://localhost:8080.evil.example",
		"http://localhost:80800", "https://localhost:8080", "http://a@localhost:8080",
		"http://localhost:8080, https://evil.example", "http://127.0.0.1:8080",
		"http://localho\u017ft:8080", "*",
	} {
		b.handshake(t, addr, fmt.Sprintf("handshake/from %q", origin), change(ownOrigin, origin),
			403)
	}
	const evil = "Origin: https://evil.example\r\n"
	otherOrigin := strings.Replace(change(ownOrigin, "http://evil.example"), "Host: localhost:8080",
		"Host: evil.example", 1)
	for name, c := range map[string]struct {
		text string
		want int
	}{
		"no origin":             {change("Origin: "+ownOrigin+"\r\n", ""), 403},
		"two origins":           {change("Connection", evil+"Connection"), 403},
		"two origins, own last": {change("Origin", evil+"Origin"), 403},
		"origin of Host":        {otherOrigin, 403},
		"version 12":            {change("Version: 13", "Version: 12"), 426},
		"no version":            {change("Sec-WebSocket-Version: 13\r\n", ""), 426},
		"no key":                {change("Sec-WebSocket-Key", "X"), 426},
		"bad key":               {change("MDEy", "????"), 426},
		"short key":             {change("MDEyMzQ1Njc4OWFiY2RlZg==", "MDEy"), 426},
		"no upgrade":            {change("Upgrade: websocket\r\n", ""), 426},
		"kept alive":            {change("Connection: Upgrade", "Connection: keep-alive"), 426},
		"HTTP/1.0":              {change("HTTP/1.1", "HTTP/1.0"), 426},
		"HEAD":                  {change("GET", "HEAD"), 426},
		"POST":                  {change("GET", "POST"), 405},
		"unknown session":       {change(id, "cs_aaaaaaaaaaaaaaaaaaaaaaaaaa"), 404},
		"NUL as session":        {change(id, "%00"), 404},
		"10 KiB as session":     {change(id, strings.Repeat("a", 10<<10)), 404},
	} {
		b.handshake(t, addr, "handshake/"+name, c.text, c.want)
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

// badSockets: messages on an open socket: each is dropped, or closes the socket, and changes
// nothing. TestBadInput and FuzzInput of package realtime have every other frame.
func badSockets(t *testing.T, b *inputRig) {
	addr := listen(t, b.Handler)
	id := b.Open(`{"amount_usd":"25.00"}`)
	before := b.hash(t)
	const stays = 0
	for name, c := range map[string]struct {
		text string
		want int // close code; stays = the socket lives on
	}{
		"not JSON":        {frame(0x81, "hello"), stays},
		"status":          {frame(0x81, `{"status":"confirmed","version":9000}`), stays},
		"binary":          {frame(0x82, "\x00\xff"), stays},
		"parts, pinged":   {frame(0x01, "a") + frame(0x89, "") + frame(0x80, "b"), stays},
		"70 KiB":          {frame(0x82, strings.Repeat("x", 70<<10)), 1009},
		"length of 2^62":  {"\x82\xff\x40\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00", 1009},
		"40 messages":     {strings.Repeat(frame(0x81, "{}"), 40), 1008},
		"40 pings":        {strings.Repeat(frame(0x89, ""), 40), 1008},
		"40 pongs":        {strings.Repeat(frame(0x8a, ""), 40), 1008},
		"unmasked":        {"\x81\x01a", 1002},
		"unknown opcode":  {frame(0x83, "a"), 1002},
		"HTTP":            {"GET / HTTP/1.1\r\n\r\n", 1002},
		"close":           {frame(0x88, "\x03\xe8"), 1000},
		"close, no code":  {frame(0x88, ""), 1005},
		"close, code 999": {frame(0x88, "\x03\xe7"), 1002},
	} {
		b.sent++
		if got := b.talk(t, addr, id, c.text); got != c.want {
			wrong := fmt.Sprintf("the socket ended with %d; want %d (0 = lives on)", got, c.want)
			b.report(t, "socket/"+name, []string{wrong})
			continue
		}
		b.report(t, "socket/"+name, nil)
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
		case errors.Is(err,
			io.EOF), errors.Is(err, io.ErrUnexpectedEOF), err != nil && len(list) > 0:
			return list
		case err != nil:
			return append(list, 0)
		}
		_, err = io.Copy(io.Discard, response.Body)
		if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
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
	got := raw(t, addr, "GET /checkout HTTP/1.1\r\nHost: x\r\nX-A: ")
	if len(got) > 1 || len(got) == 1 && got[0] != http.StatusRequestTimeout {
		t.Errorf("answers = %v; want none or 408", got)
	}
}
