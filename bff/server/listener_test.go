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

	"coinslot/bff/fortest"
)

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
	if got := raw(t, addr, "GET /checkout HTTP/1.1\r\nHost: x\r\nX-A: "); len(got) > 1 || len(got) == 1 && got[0] != http.StatusRequestTimeout {
		t.Errorf("answers = %v; want none or 408", got)
	}
}
