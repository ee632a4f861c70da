//go:build linux

package wire_test

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/e2e/need"
	"coinslot/e2e/wire"

	"golang.org/x/sys/unix"
)

var shape = wire.Shape{RTT: 40 * time.Millisecond, Down: 8_000_000, Loss: 0.1}

const sent = 300_000 // bytes, which take at least 0.3 s

// side is the variable of the environment that says which side of the network a process is.
const side = "WIRE_TEST_SIDE"

// Bytes come over whole although frames are lost, not faster than the line, and an answer takes the
// round trip. The test runs itself on both sides.
func TestFullWire(t *testing.T) {
	switch os.Getenv(side) {
	case "server":
		serve(t)
		return
	case "client":
		read(t)
		return
	}

	need.Tool(t, wire.Available())
	w := fortest.Must(wire.New(shape))(t)
	defer func() { fortest.OK(t, w.Close()) }()
	server := on("server", w.Server)
	out := fortest.Must(server.StdoutPipe())(t)
	fortest.OK(t, server.Start())
	fortest.Must(io.ReadFull(out, make([]byte, len(ready))))(t)
	said, err := on("client", w.Client).CombinedOutput()
	if err != nil {
		t.Errorf("the client: %v\n%s", err, said)
	}

	said, err = io.ReadAll(out)
	if err != nil || server.Wait() != nil {
		t.Errorf("the server: %v\n%s", err, said)
	}
}

// on is this test as one side of the network.
func on(which string, start func(string, ...string) *exec.Cmd) *exec.Cmd {
	cmd := start(os.Args[0], "-test.run=^TestFullWire$")
	cmd.Env = append(os.Environ(), side+"="+which)
	return cmd
}

// ready is what the server prints when it listens.
const ready = "ready\n"

// serve answers one connection, on which something must be lost.
func serve(t *testing.T) {
	listener := fortest.Must(net.ListenTCP("tcp", &net.TCPAddr{
		IP: net.ParseIP(wire.ServerAddress), Port: 80,
	}))(t)
	fmt.Print(ready)
	conn := fortest.Must(listener.AcceptTCP())(t)
	first := make([]byte, 1)
	fortest.Must(io.ReadFull(conn, first))(t)
	fortest.Must(conn.Write(first))(t)
	fortest.Must(io.Copy(conn, strings.NewReader(strings.Repeat("x", sent))))(t)
	fortest.OK(t, conn.CloseWrite())
	fortest.Must(io.ReadAll(conn))(t)

	raw := fortest.Must(conn.SyscallConn())(t)
	err := raw.Control(func(fd uintptr) {
		congestion, err := unix.GetsockoptString(int(fd), unix.IPPROTO_TCP, unix.TCP_CONGESTION)
		fortest.OK(t, err)
		fortest.Equal(t, strings.TrimRight(congestion, "\x00"), "cubic", "congestion control")
		info, err := unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO)
		fortest.OK(t, err)
		if info.Total_retrans == 0 {
			t.Error("nothing was sent again: no frame was lost")
		}
	})
	fortest.OK(t, err)
}

// read reads what the server sends.
func read(t *testing.T) {
	conn := fortest.Must(net.Dial("tcp", wire.ServerAddress+":80"))(t)
	began := time.Now()
	fortest.Must(conn.Write([]byte("?")))(t)
	fortest.Must(io.ReadFull(conn, make([]byte, 1)))(t)
	roundTrip := time.Since(began)
	rest := fortest.Must(io.ReadAll(conn))(t)
	took := time.Since(began)
	fortest.Equal(t, len(rest), sent, "bytes")
	if roundTrip < shape.RTT || took < roundTrip+300*time.Millisecond {
		t.Errorf("a round trip took %v, all bytes %v; both are too fast", roundTrip, took)
	}
	fortest.OK(t, conn.Close())
}
