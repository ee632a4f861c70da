package live

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/gorilla/websocket"
)

// told is what a hearer was told of, in order.
type told []string

func (l *told) pinged(text []byte) error { *l = append(*l, "ping "+string(text)); return nil }
func (l *told) ponged() error            { *l = append(*l, "pong"); return nil }
func (l *told) spoken() error            { *l = append(*l, "message"); return nil }

// masked is a client's frame; head is its first byte.
func masked(head byte, payload string) string {
	f := framed(0, []byte(payload))
	wide := len(f) - len(payload)
	f[0], f[1] = head, f[1]|0x80
	mask := []byte{1, 2, 3, 4}
	return string(f[:wide]) + string(mask) + string(unmasked(mask, []byte(payload)))
}

// seeds are talks of clients, good and bad.
var seeds = []string{
	"", "\x81", masked(0x81, ""), masked(0x81, "hello"), masked(0x82, strings.Repeat("x", 1024)), masked(0x82, strings.Repeat("x", 1025)),
	masked(0x01, "a") + masked(0x89, "p") + masked(0x00, "b") + masked(0x80, "c") + masked(0x8a, ""), masked(0x02, strings.Repeat("x", 800)) + masked(0x80, strings.Repeat("x", 800)),
	masked(0x80, "a"), masked(0x01, "a") + masked(0x81, "b"), masked(0x89, strings.Repeat("p", 125)), masked(0x89, strings.Repeat("p", 126)), masked(0x09, "p"),
	masked(0xc1, "a"), masked(0x83, "a"), masked(0x8b, "a"), "\x81\x01a", masked(0x88, ""), masked(0x88, "\x03"), masked(0x88, "\x03\xe8bye"), masked(0x88, "\x03\xe8\xff"),
	masked(0x88, "\x03\xe7"), masked(0x88, "\x03\xed"), masked(0x88, "\x03\xf6"), masked(0x88, "\x0b\xb8"), masked(0x88, "\x13\x88"),
	"\x82\xff\x40\x00\x00\x00\x00\x00\x00\x00\x01\x02\x03\x04", "\x82\xff\xff\xff\xff\xff\xff\xff\xff\xff", "\x82\xff\x00\x00\x00\x00\x00\x00\x00\x02\x01\x02\x03\x04ab", "GET / HTTP/1.1\r\n\r\n",
	masked(0x88, "\x03\xe8") + masked(0x89, "after the end"),
}

// FuzzEar: a socket hears and ends as the library's would, however the bytes
// come in.
func FuzzEar(f *testing.F) {
	for _, seed := range seeds {
		f.Add([]byte(seed), 1)
		f.Add([]byte(seed), 7)
	}
	f.Fuzz(func(t *testing.T, talk []byte, step int) {
		step = max(step, 1)
		var got told
		code := 0
		e := &ear{}
		for p := range chunks(talk, step) {
			if err := e.hear(p, &got); err != nil {
				end, _ := errors.AsType[*End](err)
				code = end.Code
				break
			}
			if len(e.rest) > 14+125 {
				t.Fatalf("%d bytes are kept", len(e.rest))
			}
		}
		want, wantCode := library(t, talk)
		if diff := cmp.Diff(want, got); diff != "" || code != wantCode {
			t.Errorf("%q ends with %d; want %d; -want +got:\n%s", talk, code, wantCode, diff)
		}
	})
}

func chunks(p []byte, n int) func(yield func([]byte) bool) {
	return func(yield func([]byte) bool) {
		for len(p) > 0 {
			k := min(n, len(p))
			if !yield(bytes.Clone(p[:k])) {
				return
			}
			p = p[k:]
		}
	}
}

// recorded is a connection that has heard a talk, and keeps what is said.
type recorded struct {
	net.Conn
	in   io.Reader
	said bytes.Buffer
}

func (r *recorded) Read(p []byte) (int, error)       { return r.in.Read(p) }
func (r *recorded) Write(p []byte) (int, error)      { return r.said.Write(p) }
func (r *recorded) Close() error                     { return nil }
func (r *recorded) SetDeadline(time.Time) error      { return nil }
func (r *recorded) SetWriteDeadline(time.Time) error { return nil }

// library is what gorilla/websocket hears of a talk, and the code of its close
// frame: 0 if the talk has no end, 1008 if it ends without a close frame.
func library(t *testing.T, talk []byte) (heard told, code int) {
	t.Helper()
	conn := upgraded(t, &recorded{in: bytes.NewReader(talk)})
	conn.SetReadLimit(maxMessage)
	conn.SetPingHandler(func(text string) error { return heard.pinged([]byte(text)) })
	conn.SetPongHandler(func(string) error { return heard.ponged() })
	for {
		_, message, err := conn.NextReader()
		if err == nil {
			heard.spoken()
			_, err = io.Copy(io.Discard, message)
		}
		if err != nil {
			return heard, ended(conn.NetConn().(*recorded).said.Bytes(), err)
		}
	}
}

// ended is the code of the close frame in said, after the answer to the handshake.
func ended(said []byte, err error) int {
	_, said, _ = bytes.Cut(said, []byte("\r\n\r\n"))
	switch {
	case len(said) >= 4:
		return int(said[2])<<8 | int(said[3])
	case len(said) == 2:
		return websocket.CloseNoStatusReceived
	case errors.Is(err, websocket.ErrReadLimit):
		return websocket.ClosePolicyViolation
	}
	return 0 // it has not ended, or in the middle
}

// upgraded is a connection of the library.
func upgraded(t *testing.T, conn net.Conn) *websocket.Conn {
	t.Helper()
	r := httptest.NewRequest("GET", "/", nil)
	for name, value := range map[string]string{"Connection": "Upgrade", "Upgrade": "websocket", "Sec-Websocket-Version": "13", "Sec-Websocket-Key": "MDEyMzQ1Njc4OWFiY2RlZg=="} {
		r.Header.Set(name, value)
	}
	c, err := (&websocket.Upgrader{}).Upgrade(hijacked{httptest.NewRecorder(), conn}, r, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// hijacked is a ResponseWriter that hands over conn.
type hijacked struct {
	http.ResponseWriter
	conn net.Conn
}

// Hijack implements http.Hijacker.
func (h hijacked) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	return h.conn, bufio.NewReadWriter(bufio.NewReader(strings.NewReader("")), bufio.NewWriter(h.conn)), nil
}
