package realtime

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"coinslot/bff/fortest"

	"github.com/gorilla/websocket"
)

const handshake = "GET / HTTP/1.1\r\nHost: test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
	"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n\r\n"

// leaving is a Source that sends nothing and says that it has left.
type leaving chan struct{}

func (l leaving) Message() ([]byte, error) { return nil, nil }
func (l leaving) Leave()                   { l <- struct{}{} }

// served starts a real server of sockets and returns its address; left has an element
// for each socket that has left.
func served(t testing.TB) (addr string, left leaving) {
	t.Helper()
	left = make(leaving, 1)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := Upgrade(w, r, nil)
		if err != nil {
			t.Error(err)
			return
		}
		NewSocket(left).Open(conn)
	}))
	t.Cleanup(srv.Close)
	return srv.Listener.Addr().String(), left
}

// closeCode sends bytes on a new socket, in steps of so many, and returns the code of
// the close frame: 1005 if the frame has none, 0 if the server cuts the connection.
func closeCode(t *testing.T, addr string, left leaving, sent string, step int) int {
	t.Helper()
	conn := fortest.Must(net.Dial("tcp", addr))(t)
	defer conn.Close()
	fortest.OK(t, conn.SetDeadline(time.Now().Add(20*time.Second)))
	io.WriteString(conn, handshake)
	answers := bufio.NewReader(conn)
	if resp, err := http.ReadResponse(answers, nil); err != nil || resp.StatusCode != 101 {
		t.Fatal(resp, err)
	}
	for text := sent; text != ""; {
		n := min(step, len(text))
		if _, err := io.WriteString(conn, text[:n]); err != nil {
			break // the server has ended the socket
		}
		text = text[n:]
	}
	conn.(*net.TCPConn).CloseWrite()
	code := 0
	for {
		kind, payload, err := readFrame(answers)
		if err != nil {
			break
		}
		if code = websocket.CloseNoStatusReceived; kind != websocket.CloseMessage {
			code = 0
		} else if len(payload) >= 2 {
			code = int(binary.BigEndian.Uint16(payload))
		}
	}
	select {
	case <-left:
	case <-time.After(20 * time.Second):
		t.Fatalf("after %q the socket does not leave", sent)
	}
	return code
}

// readFrame reads a short frame of the server's.
func readFrame(r io.Reader) (kind int, payload []byte, err error) {
	head := make([]byte, 2)
	if _, err = io.ReadFull(r, head); err != nil {
		return 0, nil, err
	}
	payload = make([]byte, head[1])
	_, err = io.ReadFull(r, payload)
	return int(head[0] & 0xf), payload, err
}

// frame is a client's, of fewer than 64 KiB; first is its first byte.
func frame(first byte, payload string) string {
	f := []byte{first, 0x80 | byte(len(payload))}
	if len(payload) > 125 {
		f[1] = 0x80 | 126
		f = binary.BigEndian.AppendUint16(f, uint16(len(payload)))
	}
	mask := []byte{1, 2, 3, 4}
	f = append(f, mask...)
	for i := range len(payload) {
		f = append(f, payload[i]^mask[i%4])
	}
	return string(f)
}

// long is more than half of the longest message.
var long = strings.Repeat("x", 800)

// badInputs are bytes of clients with the close code that they are answered by. What
// is no error ends with the connection, which is answered by 1008.
var badInputs = map[string]struct {
	sent string
	code int
}{
	"nothing":             {"", 1008},
	"half a header":       {"\x81", 1008},
	"half a mask":         {"\x81\x84\x01\x02", 1008},
	"half a message":      {"\x81\x84\x01\x02\x03\x04a", 1008},
	"half a ping":         {"\x89\x84\x01\x02\x03\x04a", 1008},
	"an empty message":    {frame(0x81, ""), 1008},
	"a message":           {frame(0x81, "hello"), 1008},
	"the longest":         {frame(0x82, strings.Repeat("x", maxMessage)), 1008},
	"too long":            {frame(0x82, strings.Repeat("x", maxMessage+1)), 1009},
	"fragments":           {frame(0x01, "a") + frame(0x89, "p") + frame(0x80, "b"), 1008},
	"fragments, too long": {frame(0x02, long) + frame(0x80, long), 1009},
	"endless empty fragments": {
		frame(0x02, "") + strings.Repeat(frame(0x00, ""), maxReceived),
		1008,
	},
	"fragment of nothing":   {frame(0x80, "a"), 1002},
	"message in a message":  {frame(0x01, "a") + frame(0x81, "b"), 1002},
	"the longest ping":      {frame(0x89, strings.Repeat("p", 125)), 1008},
	"a ping too long":       {frame(0x89, strings.Repeat("p", 126)), 1002},
	"a fragmented ping":     {frame(0x09, "p"), 1002},
	"a fragmented close":    {frame(0x08, "\x03\xe8"), 1002},
	"compressed":            {frame(0xc1, "a"), 1002},
	"reserved bits":         {frame(0xb1, "a"), 1002},
	"unknown message":       {frame(0x83, "a"), 1002},
	"unknown control frame": {frame(0x8b, "a"), 1002},
	"no mask":               {"\x81\x01a", 1002},
	"HTTP":                  {"GET / HTTP/1.1\r\n\r\n", 1002},
	"zeros":                 {strings.Repeat("\x00", 100), 1002},
	"a length of 2^62":      {"\x82\xff\x40\x00\x00\x00\x00\x00\x00\x00\x01\x02\x03\x04", 1009},
	"a negative length":     {"\x82\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x02\x03\x04", 1008},
	"an eight-byte length": {
		"\x82\xff" + strings.Repeat("\x00", 7) + "\x02\x01\x02\x03\x04ab",
		1008,
	},
	"close":                   {frame(0x88, ""), 1005},
	"close, half a code":      {frame(0x88, "\x03"), 1005},
	"close 1000":              {frame(0x88, "\x03\xe8bye"), 1000},
	"close 1000, then a ping": {frame(0x88, "\x03\xe8") + frame(0x89, "after"), 1000},
	"close with no UTF-8":     {frame(0x88, "\x03\xe8\xff"), 1002},
	"close 999":               {frame(0x88, "\x03\xe7"), 1002},
	"close 1005":              {frame(0x88, "\x03\xed"), 1002},
	"close 1014":              {frame(0x88, "\x03\xf6"), 1002},
	"close 3000":              {frame(0x88, "\x0b\xb8"), 3000},
	"close 5000":              {frame(0x88, "\x13\x88"), 1002},
	"too many messages":       {strings.Repeat(frame(0x81, "a"), maxMessages+1), 1008},
	"too many pongs":          {strings.Repeat(frame(0x8a, ""), maxMessages+1), 1008},
}

// TestBadInput: whatever a client sends, and however the bytes come in, ends its socket
// with the code that docs/realtime.md names.
func TestBadInput(t *testing.T) {
	addr, left := served(t)
	for name, c := range badInputs {
		for _, step := range []int{1 << 20, 7} {
			fortest.Equal(t, closeCode(t, addr, left, c.sent, step), c.code,
				"%s, in steps of %d: code", name, step)
		}
	}
}

// FuzzInput: no bytes of a client make a socket hang, stay, or end by another code than
// the client's own or those of docs/realtime.md. A panic would end this process.
func FuzzInput(f *testing.F) {
	for _, c := range badInputs {
		f.Add([]byte(c.sent), 1)
		f.Add([]byte(c.sent), 7)
	}
	addr, left := served(f)
	f.Fuzz(func(t *testing.T, sent []byte, step int) {
		code := closeCode(t, addr, left, string(sent), max(step, 1+len(sent)/100))
		switch code {
		case 0, 1002, 1005, 1008, 1009:
		default:
			if !bytes.Contains(sent, []byte{0x88}) { // no close frame of the client's
				t.Errorf("%q ends with %d", sent, code)
			}
		}
	})
}

// TestRealtimePage: docs/realtime.md states the limits of a socket.
func TestRealtimePage(t *testing.T) {
	raw := fortest.Must(os.ReadFile("../../docs/realtime.md"))(t)
	for format, limit := range map[string]any{
		"messages, pings and pongs of the client, in a minute | %v":       maxMessages,
		"bytes of the client in that minute, with frame headers | %v KiB": maxReceived >> 10,

		"one message of the client | %v KiB": maxMessage >> 10,
		"an answer to a ping | within %v s":  pongWithin.Seconds(),
		"taking what is sent | within %v s":  writeWithin.Seconds(),
	} {
		row := "\n| " + fmt.Sprintf(format, limit) + " |\n"
		fortest.Has(t, "docs/realtime.md", string(raw), row)
	}
	ping := fmt.Sprintf("every %v s | a ping", pingEvery.Seconds())
	fortest.Has(t, "docs/realtime.md", string(raw), ping)
}
