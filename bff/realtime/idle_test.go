package realtime

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"runtime/debug"
	"slices"
	"testing"
	"time"
)

// idleStack is the smallest stack that Go gives a goroutine, in bytes.
const idleStack = 2 << 10

// TestIdleStack: the goroutine of a socket that has answered a ping waits with the
// smallest stack. The next larger one would cost 2 KiB of stack for each socket, and as
// much again for the heap, which the garbage collector lets grow with the stacks.
func TestIdleStack(t *testing.T) {
	if build, ok := debug.ReadBuildInfo(); ok && slices.Contains(build.Settings,
		debug.BuildSetting{Key: "-race", Value: "true"}) {
		t.Skip("the race detector needs larger stacks")
	}
	const n = 400
	a, left := NewSockets(), make(leaving, n)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := a.Upgrade(w, r, nil)
		if err != nil {
			t.Error(err)
			return
		}
		a.New(left).Open(conn)
	}))
	defer srv.Close()
	before := stacks()
	for range n {
		conn, err := net.Dial("tcp", srv.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		io.WriteString(conn, handshake)
		if _, err := io.ReadFull(conn, make([]byte, len("HTTP/1.1 101"))); err != nil {
			t.Fatal(err)
		}
		io.WriteString(conn, frame(0x8a, ""))
	}
	time.Sleep(100 * time.Millisecond) // the pongs are read
	each := (stacks() - before) / n
	t.Logf("%d bytes each", each)
	if each > idleStack*5/4 {
		t.Errorf("an idle socket has %d bytes of stack; want %d", each, idleStack)
	}
}

// stacks is what is used by the stacks of goroutines that are there, in bytes.
func stacks() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // a goroutine that has ended keeps its stack until the next one
	runtime.ReadMemStats(&m)
	return int(m.StackInuse)
}
