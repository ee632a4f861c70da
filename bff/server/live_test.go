package server_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"coinslot/bff/server"
	"coinslot/bff/server/servertest"

	"github.com/gorilla/websocket"
	"github.com/shopspring/decimal"
)

const ownOrigin = "http://localhost:8080"

// tight is a listener whose connections have small buffers, so that a client
// that does not read is noticed soon.
type tight struct{ net.Listener }

func (l tight) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if tcp, ok := c.(*net.TCPConn); ok {
		err = errors.Join(err, tcp.SetWriteBuffer(4<<10))
	}
	return c, err
}

// listen serves h on the loopback interface as the command does and returns
// the address.
func listen(t *testing.T, h http.Handler) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	web := server.HTTP(h)
	ended := make(chan error, 1)
	go func() { ended <- web.Serve(tight{l}) }()
	t.Cleanup(func() {
		if err := web.Close(); err != nil {
			t.Error(err)
		}
		if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
			t.Errorf("serving: %v", err)
		}
	})
	return l.Addr().String()
}

// dial opens the socket of a session; headers are "Name: value".
func dial(addr, id string, headers ...string) (*websocket.Conn, *http.Response, error) {
	h := http.Header{"Origin": {ownOrigin}}
	for _, text := range headers {
		name, value, _ := strings.Cut(text, ": ")
		h.Del(name)
		if value != "" {
			h.Set(name, value)
		}
	}
	d := websocket.Dialer{HandshakeTimeout: 10 * time.Second, EnableCompression: true}
	return d.Dial("ws://"+addr+"/checkout/"+id+"/live", h)
}

// connect is dial for those who must succeed.
func connect(t *testing.T, addr, id string) *websocket.Conn {
	t.Helper()
	conn, response, err := dial(addr, id)
	if err != nil {
		t.Fatalf("dialling: %v %v", err, response)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// viewSummary is what these tests look at in a view.
type viewSummary struct {
	Version int
	Session string
	Status  string
	Attempt *struct{ Address string }
}

// next reads one view.
func next(t *testing.T, conn *websocket.Conn) viewSummary {
	t.Helper()
	if err := conn.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	kind, message, err := conn.ReadMessage()
	if err != nil {
		t.Fatalf("reading a view: %v", err)
	}
	var v viewSummary
	if err := json.Unmarshal(message, &v); err != nil || kind != websocket.TextMessage {
		t.Fatalf("message of kind %d is no view: %v: %.200s", kind, err, message)
	}
	return v
}

// closed reads until the socket ends and returns the close code: -1 if it ended
// without one, 0 if it did not end.
func closed(t *testing.T, conn *websocket.Conn) int {
	t.Helper()
	if err := conn.SetReadDeadline(time.Now().Add(8 * time.Second)); err != nil {
		t.Fatal(err)
	}
	for {
		_, _, err := conn.ReadMessage()
		var end *websocket.CloseError
		switch {
		case err == nil:
		case errors.As(err, &end):
			return end.Code
		case isTimeout(err):
			return 0
		default:
			return -1
		}
	}
}

func isTimeout(err error) bool {
	var e net.Error
	return errors.As(err, &e) && e.Timeout()
}

func TestLiveSendsThePayment(t *testing.T) {
	r := newRig(t)
	addr := listen(t, r.Handler)
	id := r.Open(`{"amount_usd":"25.00"}`)
	conn := connect(t, addr, id)
	last := next(t, conn)
	if last.Session != id || last.Status != "open" || last.Version == 0 {
		t.Fatalf("first message = %+v; want a snapshot of the open session", last)
	}
	seen := map[string]bool{}
	follow := func(want string) {
		for last.Status != want {
			v := next(t, conn)
			if v.Version < last.Version || v.Session != id {
				t.Fatalf("view %+v after %+v; want versions that only grow", v, last)
			}
			last, seen[v.Status] = v, true
		}
	}
	r.Choose(id)
	follow("pending")
	if tx := r.Gateway.Transactions()[0]; last.Attempt == nil || last.Attempt.Address != tx.WalletAddress {
		t.Errorf("attempt = %+v; want the address", last.Attempt)
	}
	if err := r.Gateway.Pay(r.Gateway.Transactions()[0].TrackingCode, "pay"); err != nil {
		t.Fatal(err)
	}
	follow("confirmed")
	if seen["expired"] || seen["cancelled"] || seen["review"] {
		t.Errorf("statuses on the way = %v", seen)
	}
	late := connect(t, addr, id)
	if v := next(t, late); v != last && v.Version < last.Version {
		t.Errorf("a second socket starts at %+v; want at least version %d", v, last.Version)
	}
}

func TestLiveHandshake(t *testing.T) {
	r := newRig(t)
	addr := listen(t, r.Handler)
	id := r.Open(`{"amount_usd":"25.00"}`)
	for _, c := range []struct {
		name, id string
		header   string
		status   int
	}{
		{"own origin", id, "", 101},
		{"upper case", id, "Origin: HTTP://LOCALHOST:8080", 101},
		{"another page", id, "Origin: https://evil.example", 403},
		{"the framing shop", id, "Origin: " + shop, 403},
		{"null", id, "Origin: null", 403},
		{"none", id, "Origin: ", 403},
		{"prefix", id, "Origin: http://localhost:8080.evil.example", 403},
		{"longer port", id, "Origin: http://localhost:80800", 403},
		{"other port", id, "Origin: http://localhost:8081", 403},
		{"no port", id, "Origin: http://localhost", 403},
		{"other scheme", id, "Origin: https://localhost:8080", 403},
		{"slash", id, "Origin: http://localhost:8080/", 403},
		{"user", id, "Origin: http://a@localhost:8080", 403},
		{"two origins", id, "Origin: http://localhost:8080 https://evil.example", 403},
		{"look-alike letter", id, "Origin: http://\u217cocalhost:8080", 403},
		{"unknown session", "cs_none", "", 404},
		{"odd session", "%00", "", 404},
		{"unknown session from elsewhere", "cs_none", "Origin: https://evil.example", 403},
	} {
		t.Run(c.name, func(t *testing.T) {
			conn, response, err := dial(addr, c.id, headers(c.header)...)
			if conn != nil {
				defer conn.Close()
			}
			if response == nil || response.StatusCode != c.status {
				t.Fatalf("dial = %v, %v; want %d", response, err, c.status)
			}
			if got := response.Header.Get("Sec-Websocket-Extensions"); got != "" {
				t.Errorf("extensions = %q; want none, though compression was offered", got)
			}
			if kind := response.Header.Get("Content-Type"); c.status != 101 && kind != "application/problem+json" {
				t.Errorf("content type of the refusal = %q", kind)
			}
		})
	}
}

// headers is a list of at most one.
func headers(one string) []string {
	if one == "" {
		return nil
	}
	return []string{one}
}

// A handshake that is none, over a bare connection.
func TestLiveRefusesBrokenHandshakes(t *testing.T) {
	r := newRig(t)
	addr := listen(t, r.Handler)
	id := r.Open(`{"amount_usd":"25.00"}`)
	const good = "Origin: " + ownOrigin + "\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n"
	for name, c := range map[string]struct {
		method, proto, headers string
		status                 int
	}{
		"version 8":  {"GET", "1.1", strings.Replace(good, "13", "8", 1), 426},
		"no version": {"GET", "1.1", strings.Replace(good, "Sec-WebSocket-Version: 13\r\n", "", 1), 426},
		"no key":     {"GET", "1.1", strings.Replace(good, "Key", "Kex", 1), 426},
		"bad key":    {"GET", "1.1", strings.Replace(good, "MDEy", "????", 1), 426},
		"no upgrade": {"GET", "1.1", strings.Replace(good, "Upgrade: websocket", "Upgrade: h2c", 1), 426},
		"plain":      {"GET", "1.1", "Origin: " + ownOrigin + "\r\n", 426},
		"post":       {"POST", "1.1", good + "Content-Length: 0\r\n", 405},
		"head":       {"HEAD", "1.1", good, 426},
	} {
		t.Run(name, func(t *testing.T) {
			answers := raw(t, addr, fmt.Sprintf("%s /checkout/%s/live HTTP/%s\r\nHost: localhost:8080\r\n%sConnection: close\r\n\r\n", c.method, id, c.proto, c.headers))
			if len(answers) != 1 || answers[0] != c.status {
				t.Errorf("answers = %v; want %d", answers, c.status)
			}
		})
	}
	w := r.Do("GET", "/checkout/"+id+"/live", "", "Origin: "+ownOrigin)
	for name, want := range map[string]string{
		"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
	} {
		if got := w.Header().Get(name); got != want {
			t.Errorf("%s of a refused handshake = %q; want %q", name, got, want)
		}
	}
	if !strings.Contains(w.Body.String(), `"code":"upgrade_required"`) {
		t.Errorf("refused handshake = %s; want upgrade_required", w.Body)
	}
	servertest.Until(t, "refused handshakes leave no subscriber", func() bool {
		var all []*websocket.Conn
		for range 20 {
			conn, _, err := dial(addr, id)
			if err == nil {
				all = append(all, conn)
			}
		}
		for _, conn := range all {
			conn.Close()
		}
		return len(all) == 20
	})
}

// What a client says is dropped; too much of it ends the socket, of whatever
// kind the frames are.
func TestLiveClosesTalkativeSockets(t *testing.T) {
	r := newRig(t)
	addr := listen(t, r.Handler)
	id := r.Open(`{"amount_usd":"25.00"}`)
	flood := func(conn *websocket.Conn, kind int, text string) {
		for range 5000 {
			if conn.WriteMessage(kind, []byte(text)) != nil {
				return
			}
		}
	}
	for name, c := range map[string]struct {
		talk  func(conn *websocket.Conn)
		codes []int
	}{
		"one message too long": {func(c *websocket.Conn) { c.WriteMessage(websocket.TextMessage, make([]byte, 2<<10)) }, []int{1009}},
		"a megabyte":           {func(c *websocket.Conn) { c.WriteMessage(websocket.BinaryMessage, make([]byte, 1<<20)) }, []int{1009, -1}},
		"many messages":        {func(c *websocket.Conn) { flood(c, websocket.TextMessage, "{}") }, []int{1008, -1}},
		"many empty ones":      {func(c *websocket.Conn) { flood(c, websocket.BinaryMessage, "") }, []int{1008, -1}},
		"many pings":           {func(c *websocket.Conn) { flood(c, websocket.PingMessage, "x") }, []int{1008, -1}},
		"many pongs":           {func(c *websocket.Conn) { flood(c, websocket.PongMessage, "x") }, []int{1008, -1}},
		"goodbye": {func(c *websocket.Conn) {
			c.WriteMessage(websocket.CloseMessage, websocket.FormatCloseMessage(1000, ""))
		}, []int{1000, 1008}},
	} {
		t.Run(name, func(t *testing.T) {
			conn := connect(t, addr, id)
			next(t, conn)
			go c.talk(conn)
			if got := closed(t, conn); !among(got, c.codes) {
				t.Errorf("close code = %d; want one of %v (-1 = cut)", got, c.codes)
			}
		})
	}
}

func among(code int, list []int) bool {
	for _, c := range list {
		if c == code {
			return true
		}
	}
	return false
}

// Ordinary talk is no reason to end: a few messages and pings.
func TestLiveToleratesAFewMessages(t *testing.T) {
	r := newRig(t)
	addr := listen(t, r.Handler)
	id := r.Open(`{"amount_usd":"25.00"}`)
	conn := connect(t, addr, id)
	next(t, conn)
	for range 5 {
		for _, kind := range []int{websocket.TextMessage, websocket.PingMessage, websocket.PongMessage} {
			if err := conn.WriteMessage(kind, []byte(`{"status":"confirmed","version":9000}`)); err != nil {
				t.Fatal(err)
			}
		}
	}
	r.Choose(id)
	for v := next(t, conn); v.Status != "pending"; v = next(t, conn) {
	}
}

func TestLiveAllowsTwentySockets(t *testing.T) {
	r := newRig(t)
	addr := listen(t, r.Handler)
	id, other := r.Open(`{"amount_usd":"25.00"}`), r.Open(`{"amount_usd":"26.00"}`)
	var all []*websocket.Conn
	for range 20 {
		conn := connect(t, addr, id)
		next(t, conn)
		all = append(all, conn)
	}
	_, response, err := dial(addr, id)
	if err == nil || response.StatusCode != http.StatusTooManyRequests || response.Header.Get("Retry-After") == "" {
		t.Fatalf("the 21st = %v, %v; want 429 with Retry-After", response, err)
	}
	next(t, connect(t, addr, other)) // another session has its own twenty
	all[0].Close()
	servertest.Until(t, "the place of one who left is free", func() bool {
		conn, _, err := dial(addr, id)
		if err == nil {
			conn.Close()
		}
		return err == nil
	})
}

// silent opens the socket of a session and never reads from it.
func silent(t *testing.T, addr, id string) {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if err := conn.(*net.TCPConn).SetReadBuffer(4 << 10); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(conn, "GET /checkout/%s/live HTTP/1.1\r\nHost: x\r\nOrigin: %s\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n\r\n", id, ownOrigin)
}

// drip has a payment grow, little by little, until the test ends: news for its
// sockets without end.
func (r *rig) drip(code string) {
	ended, stop := make(chan struct{}), make(chan struct{})
	r.T.Cleanup(func() { close(stop); <-ended })
	go func() {
		defer close(ended)
		for {
			select {
			case <-stop:
				return
			case <-time.After(20 * time.Millisecond):
			}
			if err := r.Gateway.PayAmount(code, decimal.New(1, -4)); err != nil {
				r.T.Error(err)
				return
			}
		}
	}()
}

// Those who do not read hold up nobody, are cut after a while, and their place
// is free again.
func TestLiveSlowReaders(t *testing.T) {
	r := newRig(t)
	addr := listen(t, r.Handler)
	id := r.Open(`{"amount_usd":"25.00"}`)
	for range 19 {
		silent(t, addr, id)
	}
	quick := connect(t, addr, id)
	r.Choose(id)
	r.drip(r.Gateway.Transactions()[0].TrackingCode)
	servertest.Until(t, "the session is full", func() bool {
		conn, _, err := dial(addr, id)
		if err == nil {
			conn.Close()
		}
		return err != nil
	})
	for last := time.Now(); ; last = time.Now() {
		next(t, quick)
		if wait := time.Since(last); wait > 3*time.Second {
			t.Fatalf("a view came after %v: somebody was waited for", wait)
		}
		if conn, _, err := dial(addr, id); err == nil {
			conn.Close()
			return
		}
	}
}

func TestLiveLeavesNothingBehind(t *testing.T) {
	r := newRig(t)
	addr := listen(t, r.Handler)
	id := r.Open(`{"amount_usd":"25.00"}`)
	r.Choose(id)
	warm := connect(t, addr, id)
	next(t, warm)
	warm.Close()
	before := runtime.NumGoroutine()
	for range 5 {
		for i := range 20 {
			var conn *websocket.Conn
			servertest.Until(t, "a place", func() (ok bool) {
				var err error
				conn, _, err = dial(addr, id)
				return err == nil
			})
			if i%2 == 0 {
				next(t, conn)
			}
			conn.Close()
		}
	}
	servertest.Until(t, "goroutines are back where they were", func() bool { return runtime.NumGoroutine() <= before+2 })
}
