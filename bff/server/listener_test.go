package server_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
)

// raw sends text over a new connection and returns the statuses of all answers
// until the server closes it; 0 stands for one that is not HTTP.
func raw(t *testing.T, addr, text string) []int {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
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

// Shapes that two HTTP parsers might read differently: one answer at most, and
// what was hidden in them never becomes a request.
func TestSmuggling(t *testing.T) {
	r := newRig(t)
	addr := listen(t, r.Handler)
	id := r.Open(`{"amount_usd":"25.00"}`)
	hidden := "POST /checkout/" + id + "/cancel HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n"
	chunked := fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(hidden), hidden)
	post := "POST /checkout/" + id + "/attempts HTTP/1.1\r\nHost: localhost:8080\r\nContent-Type: application/json\r\n"
	for name, c := range map[string]struct {
		text string
		want int
	}{
		"length and chunks":      {post + "Content-Length: 4\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n" + chunked, 400},
		"two lengths":            {post + "Content-Length: 0\r\nContent-Length: 99\r\n\r\n" + hidden, 400},
		"a list of lengths":      {post + "Content-Length: 0, 99\r\n\r\n" + hidden, 400},
		"signed length":          {post + "Content-Length: +0\r\n\r\n" + hidden, 400},
		"negative length":        {post + "Content-Length: -1\r\n\r\n" + hidden, 400},
		"other coding":           {post + "Transfer-Encoding: xchunked\r\n\r\n" + hidden, 501},
		"two codings":            {post + "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n" + chunked, 501},
		"list of codings":        {post + "Transfer-Encoding: gzip, chunked\r\n\r\n" + chunked, 501},
		"coding behind a tab":    {post + "Transfer-Encoding:\x0bchunked\r\n\r\n" + chunked, 400},
		"space before the colon": {post + "Content-Length : 0\r\n\r\n" + hidden, 400},
		"folded header":          {post + "X-A: b\r\n Content-Length: 9\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}", 422},
		"bad chunk":              {post + "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\nzz\r\n" + hidden, 400},
		"no host":                {"GET /checkout/" + id + " HTTP/1.1\r\n\r\n", 400},
		"two hosts":              {"GET /checkout/" + id + " HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400},
		"bad host":               {"GET /checkout/" + id + " HTTP/1.1\r\nHost: a/b\r\n\r\n", 400},
		"nul in a header":        {"GET /checkout/" + id + " HTTP/1.1\r\nHost: a\r\nX-A: \x00\r\n\r\n", 400},
		"line break in the path": {"GET /checkout/" + id + "\nX HTTP/1.1\r\nHost: a\r\n\r\n", 400},
		"nothing of HTTP":        {"\x16\x03\x01\x00\xa5\x01\x00\r\n\r\n", 400},
	} {
		t.Run(name, func(t *testing.T) {
			got := raw(t, addr, c.text)
			if len(got) != 1 || got[0] != c.want {
				t.Errorf("answers = %v; want one, %d", got, c.want)
			}
		})
	}
	if got := r.Status(id); got != "open" {
		t.Errorf("status = %q; want open: a hidden request was obeyed", got)
	}
}

// What is too large is cut with a status, at the listener's limits.
func TestLargeHeads(t *testing.T) {
	r := newRig(t)
	addr := listen(t, r.Handler)
	id := r.Open(`{"amount_usd":"25.00"}`)
	get := func(path, headers string) string {
		return "GET " + path + " HTTP/1.1\r\nHost: localhost:8080\r\nConnection: close\r\n" + headers + "\r\n"
	}
	page := "/checkout/" + id
	for name, c := range map[string]struct {
		text string
		want int
	}{
		"as usual":                 {get(page, ""), 200},
		"8 KiB of query":           {get(page+"?x="+strings.Repeat("a", 8<<10), ""), 200},
		"64 KiB of query":          {get(page+"?x="+strings.Repeat("a", 64<<10), ""), 431},
		"8 KiB of Accept-Language": {get(page, "Accept-Language: "+strings.Repeat("de;q=0.1,", 900)+"\r\n"), 200},
		"100 KiB of it":            {get(page, "Accept-Language: "+strings.Repeat("de;q=0.1,", 11_000)+"\r\n"), 431},
		"64 KiB header":            {get(page, "X-A: "+strings.Repeat("a", 64<<10)+"\r\n"), 431},
		"3,000 headers":            {get(page, strings.Repeat("X-A: b\r\n", 3000)), 431},
		"10 KiB id":                {get("/checkout/"+strings.Repeat("a", 10<<10), ""), 404},
		"10 KiB key":               {get("/v1/sessions", "Authorization: Bearer "+strings.Repeat("a", 10<<10)+"\r\n"), 401},
		"8 KiB order":              {get("/checkout?order="+strings.Repeat("a", 8<<10), ""), 422},
		"absolute form":            {get("http://evil.example"+page, ""), 200},
		"options of everything":    {"OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", 200},
		"HTTP/1.0":                 {"GET " + page + " HTTP/1.0\r\n\r\n", 200},
		"connect":                  {"CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\nConnection: close\r\n\r\n", 404},
		"trace":                    {"TRACE " + page + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", 405},
	} {
		t.Run(name, func(t *testing.T) {
			if got := raw(t, addr, c.text); len(got) != 1 || got[0] != c.want {
				t.Errorf("answers = %v; want one, %d", got, c.want)
			}
		})
	}
}

// A body that is too large or never ends is refused without being read whole.
func TestLargeBodies(t *testing.T) {
	r := newRig(t)
	addr := listen(t, r.Handler)
	head := "POST /v1/sessions HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nAuthorization: Bearer " + secretKey + "\r\n"
	chunk := "1000\r\n" + strings.Repeat(" ", 4096) + "\r\n"
	for name, c := range map[string]struct {
		text string
		want int
	}{
		"two megabytes":  {head + "Content-Length: 2097152\r\n\r\n" + strings.Repeat(" ", 2<<20), 413},
		"endless chunks": {head + "Transfer-Encoding: chunked\r\n\r\n" + strings.Repeat(chunk, 200), 413},
		"ends too early": {head + "Content-Length: 10\r\nConnection: close\r\n\r\n{}", 0},
	} {
		t.Run(name, func(t *testing.T) {
			if c.want == 0 {
				endsEarly(t, addr, c.text)
				return
			}
			if got := raw(t, addr, c.text); len(got) != 1 || got[0] != c.want {
				t.Errorf("answers = %v; want one, %d", got, c.want)
			}
		})
	}
}

// endsEarly sends less than was announced and then nothing more.
func endsEarly(t *testing.T, addr, text string) {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	io.WriteString(conn, text)
	if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	conn.SetDeadline(time.Now().Add(10 * time.Second))
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err == nil && response.StatusCode != http.StatusBadRequest {
		t.Errorf("status = %d; want 400 or none", response.StatusCode)
	}
}

// Who sends a request drop by drop is cut off.
func TestStalledHead(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	addr := listen(t, r.Handler)
	if got := raw(t, addr, "GET /checkout HTTP/1.1\r\nHost: x\r\nX-A: "); len(got) > 1 || len(got) == 1 && got[0] != http.StatusRequestTimeout {
		t.Errorf("answers = %v; want none or 408", got)
	}
}
