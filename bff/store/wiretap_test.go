package store

import (
	"bytes"
	"io"
	"net"
	"net/url"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"coinslot/bff/fortest"
)

// wiretap is between a DB and its server, and can cut the line at a commit.
type wiretap struct {
	dsn    string // of the way through it
	server string // socket
	cuts   atomic.Int64

	mu      sync.Mutex // guards the fields below
	armed   bool
	reaches bool
	before  func()
}

// socket is the name of a server's in its directory.
const socket = ".s.PGSQL.5432"

func newWiretap(t *testing.T, dsn string) *wiretap {
	t.Helper()
	address := fortest.Must(url.Parse(dsn))(t)
	q := address.Query()
	w := &wiretap{server: filepath.Join(q.Get("host"), socket)}
	dir := t.TempDir()
	listener := fortest.Must(net.Listen("unix", filepath.Join(dir, socket)))(t)
	t.Cleanup(func() { _ = listener.Close() })
	q.Set("host", dir)
	address.RawQuery = q.Encode()
	w.dsn = address.String()
	go w.accept(listener)
	return w
}

// cut cuts the line of the next commit: after it has reached the server and was
// done there, and before was called, or on its way there.
func (w *wiretap) cut(reaches bool, before func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.armed, w.reaches, w.before = true, reaches, before
}

func (w *wiretap) accept(listener net.Listener) {
	for {
		client, err := listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("unix", w.server)
		if err != nil {
			_ = client.Close()
			continue
		}
		lost := &atomic.Bool{}
		go w.requests(client, server, lost)
		go w.answers(client, server, lost)
	}
}

// commit is the message that asks for one.
var commit = append([]byte{'Q', 0, 0, 0, 11}, "commit\x00"...)

func (w *wiretap) requests(client, server net.Conn, lost *atomic.Bool) {
	defer server.Close()
	buffer := make([]byte, 1<<16)
	for {
		n, err := client.Read(buffer)
		if err != nil {
			return
		}
		if bytes.Equal(buffer[:n], commit) && w.fires(lost) {
			_ = client.Close()
			return
		}
		if _, err := server.Write(buffer[:n]); err != nil {
			return
		}
	}
}

// fires reports whether the line is to be cut before the request has passed.
func (w *wiretap) fires(lost *atomic.Bool) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.armed {
		return false
	}
	w.armed = false
	w.cuts.Add(1)
	lost.Store(w.reaches)
	return !w.reaches
}

func (w *wiretap) answers(client, server net.Conn, lost *atomic.Bool) {
	defer client.Close()
	buffer := make([]byte, 1<<16)
	for {
		n, err := server.Read(buffer)
		if err != nil {
			return
		}
		if lost.Load() {
			w.mu.Lock()
			before := w.before
			w.mu.Unlock()
			if before != nil {
				before()
			}
			return
		}
		if _, err := io.Copy(client, bytes.NewReader(buffer[:n])); err != nil {
			return
		}
	}
}
