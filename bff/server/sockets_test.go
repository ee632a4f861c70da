package server_test

import (
	"fmt"
	"io"
	"net"
	"runtime"
	"testing"

	"coinslot/bff/fortest"

	"github.com/gorilla/websocket"
)

// watcher opens the socket of a session and reads only the handshake, to use little memory.
func watcher(t *testing.T, addr, id string) net.Conn {
	t.Helper()
	conn := fortest.Must(net.Dial("tcp", addr))(t)
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

// An idle socket is one goroutine and at most 7 KiB of heap and stack (9 KiB with the race
// detector), with the client's connection in this process: 4.5 KiB if Go starts goroutines with 2
// KiB of stack, 6.5 with 4.
func TestIdleSockets(t *testing.T) {
	r := newRig(t)
	addr := listen(t, r.Handler)
	var ids []string
	for i := range 21 {
		ids = append(ids, r.Open(fmt.Sprintf(`{"amount_usd":"25.00","order_ref":"idle-%d"}`, i)))
	}
	next(t, connect(t, addr, ids[0]))
	fortest.Until(t, "the first socket is idle", func() bool { return handling() == 1 })
	bytes := occupied()
	const sockets = 400
	for i := range sockets {
		watcher(t, addr, ids[1+i%20])
	}
	fortest.Until(t, "each socket is one goroutine", func() bool { return handling() == 1+sockets })
	each := (occupied() - bytes) / sockets
	t.Logf("%d bytes each", each)
	if each > idleBytes {
		t.Errorf("an idle socket has %d bytes of heap and stack; want %d at most", each, idleBytes)
	}
}

// Each socket gets its view in its own language.
func TestSocketsInTwoLanguages(t *testing.T) {
	r := newRig(t)
	addr := listen(t, r.Handler)
	id := r.Open(`{"amount_usd":"0.01"}`) // below every minimum: the view says so in words
	said := map[string]string{}
	for _, lang := range []string{"en", "de", "en", "de"} {
		conn, _, err := dial(addr, id, "Accept-Language: "+lang)
		fortest.OK(t, err)
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
