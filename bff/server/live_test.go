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

	"coinslot/bff/fortest"
	"coinslot/bff/server"
	"coinslot/bff/server/servertest"

	"github.com/gorilla/websocket"
)

const ownOrigin = "http://localhost:8080"

// listen serves h on the loopback interface like the command and returns the address.
func listen(t *testing.T, h http.Handler) string {
	t.Helper()
	l := fortest.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	web := server.HTTP(h)
	ended := make(chan error, 1)
	go func() { ended <- web.Serve(l) }()
	t.Cleanup(func() {
		if err := web.Close(); err != nil {
			t.Error(err)
		}
		fortest.Is(t, <-ended, http.ErrServerClosed, "serving")
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
}

// next reads one view.
func next(t *testing.T, conn *websocket.Conn) viewSummary {
	t.Helper()
	fortest.OK(t, conn.SetReadDeadline(time.Now().Add(20*time.Second)))
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

// closed reads until the socket ends and returns the close code: -1 = none, 0 = it did not end.
func closed(t *testing.T, conn *websocket.Conn) int {
	t.Helper()
	fortest.OK(t, conn.SetReadDeadline(time.Now().Add(8*time.Second)))
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

// Origins are compared without case, compression is rejected, and failed handshakes name the cause
// and leave no subscriber. TestTortureBadInputs has more.
func TestLiveHandshake(t *testing.T) {
	r := newRig(t)
	addr := listen(t, r.Handler)
	id := r.Open(`{"amount_usd":"25.00"}`)
	conn, response, err := dial(addr, id, "Origin: HTTP://LOCALHOST:8080")
	if err != nil || response.Header.Get("Sec-Websocket-Extensions") != "" {
		t.Fatalf("dial = %v, %v; want a socket without extensions", response, err)
	}
	conn.Close()
	w := r.Do("GET", "/checkout/"+id+"/live", "", "Origin: "+ownOrigin)
	problem(t, w, "upgrade_required")
	for name, want := range map[string]string{
		"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
	} {
		fortest.Equal(t, w.Header().Get(name), want, "%s of a refused handshake", name)
	}
	bad := strings.Replace(fmt.Sprintf(upgrade, id), "MDEy", "????", 1)
	for range 25 {
		got := raw(t, addr, strings.Replace(bad, "Host", "Connection: close\r\nHost", 1))
		if len(got) != 1 || got[0] != 426 {
			t.Fatalf("answers to a bad key = %v; want 426", got)
		}
	}
	fortest.Until(t, "refused handshakes leave no subscriber", func() bool {
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

// When Run has returned, every page is notified: the process may end. A session has twenty sockets.
func TestLiveClosesOnRestart(t *testing.T) {
	gateway, c := servertest.NewGateway(t)
	r, stop := start(t, gateway, c)
	addr := listen(t, r.Handler)
	id := r.Open(`{"amount_usd":"25.00"}`)
	var all []*websocket.Conn
	for range 20 {
		conn := connect(t, addr, id)
		next(t, conn)
		all = append(all, conn)
	}
	_, full, err := dial(addr, id)
	if err == nil || full.StatusCode != 429 || full.Header.Get("Retry-After") == "" {
		t.Errorf("the 21st = %v, %v; want 429 with Retry-After", full, err)
	}
	before := runtime.NumGoroutine()
	stop()
	if now := runtime.NumGoroutine(); now > before-20 {
		t.Errorf("%d goroutines after Run, %d before: sockets are still being told", now, before)
	}
	for i, conn := range all {
		fortest.Equal(t, closed(t, conn), websocket.CloseServiceRestart, "socket %d ended with", i)
	}
	_, response, err := dial(addr, id)
	if err == nil || response == nil || response.StatusCode < 400 {
		t.Errorf("a socket after the end = %v, %v; want a refusal", response, err)
	}
}
