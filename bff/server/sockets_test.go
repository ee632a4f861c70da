package server_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"testing"

	"coinslot/bff/server/servertest"

	"github.com/gorilla/websocket"
)

// watcher opens the socket of a session and takes the answer, not the views: it
// costs this process as little as a client can.
func watcher(t *testing.T, addr, id string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	fmt.Fprintf(conn, upgrade, id)
	status := make([]byte, len("HTTP/1.1 101"))
	if _, err := io.ReadFull(conn, status); err != nil || string(status) != "HTTP/1.1 101" {
		t.Fatalf("opening a socket: %q %v", status, err)
	}
	return conn
}

// occupied is what is used of the heap and of stacks, in bytes.
func occupied() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // and what was only put aside by the first
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc + m.StackInuse)
}

// TestIdleSockets: an idle socket is one goroutine, and 7 KiB of heap and stack
// at most (9 KiB with the race detector), the client's connection in this process
// included. It is 4.5 KiB where Go starts goroutines with a stack of 2 KiB, and 6.5
// where it starts them with 4, as it does when the others use more on average.
func TestIdleSockets(t *testing.T) {
	r := newRig(t)
	addr := listen(t, r.Handler)
	var ids []string
	for i := range 21 {
		ids = append(ids, r.Open(fmt.Sprintf(`{"amount_usd":"25.00","order_ref":"idle-%d"}`, i)))
	}
	next(t, connect(t, addr, ids[0]))
	servertest.Until(t, "the first socket is idle", func() bool { return handling() == 1 })
	bytes := occupied()
	const sockets = 400
	for i := range sockets {
		watcher(t, addr, ids[1+i%20])
	}
	servertest.Until(t, "each socket is one goroutine", func() bool { return handling() == 1+sockets })
	each := (occupied() - bytes) / sockets
	t.Logf("%d bytes each", each)
	if each > idleBytes {
		t.Errorf("an idle socket has %d bytes of heap and stack; want %d at most", each, idleBytes)
	}
}

// TestLateSocketIsCurrent: a socket that is opened just after a change shows it, also
// where a view that others were sent before is still at hand.
func TestLateSocketIsCurrent(t *testing.T) {
	r := newRig(t)
	addr := listen(t, r.Handler)
	id := r.Open(`{"amount_usd":"25.00"}`)
	for range 2 {
		next(t, connect(t, addr, id))
	}
	if w := r.Do("POST", "/v1/sessions/"+id+"/cancel", `{}`, isJSON, bearer); w.Code != http.StatusOK {
		t.Fatalf("cancel = %d %s", w.Code, w.Body)
	}
	if v := next(t, connect(t, addr, id)); v.Status != "cancelled" {
		t.Errorf("the first view is %+v; want the cancelled session", v)
	}
}

// TestSocketsInTwoLanguages: what is shared is shared by those of one language.
func TestSocketsInTwoLanguages(t *testing.T) {
	r := newRig(t)
	addr := listen(t, r.Handler)
	id := r.Open(`{"amount_usd":"0.01"}`) // below every minimum: the view says so in words
	said := map[string]string{}
	for _, lang := range []string{"en", "de", "en", "de"} {
		conn, _, err := dial(addr, id, "Accept-Language: "+lang)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		kind, text, err := conn.ReadMessage()
		if err != nil || kind != websocket.TextMessage {
			t.Fatal(kind, err)
		}
		if said[lang] != "" && said[lang] != string(text) {
			t.Errorf("two views in %s differ: %s\n%s", lang, said[lang], text)
		}
		said[lang] = string(text)
	}
	if said["en"] == said["de"] {
		t.Errorf("in both languages the view is %s", said["en"])
	}
}
