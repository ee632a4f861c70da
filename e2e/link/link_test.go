package link

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"coinslot/bff/fortest"
)

// random are n bytes, the same at each call.
func random(n int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	data := make([]byte, n)
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	return data
}

// forwarded sends data over a line and returns what came, when the first byte did
// and how long it took.
func forwarded(t *testing.T, data []byte, w *line, window *slowStart) (got []byte, first, all time.Duration) {
	t.Helper()
	began := time.Now()
	in, src := io.Pipe()
	out, dst := io.Pipe()
	go func() {
		src.Write(data)
		src.Close()
	}()
	go forward(dst, in, w, hooks{window: window, onArrival: func(int) {
		if first == 0 {
			first = time.Since(began)
		}
	}})
	got = fortest.Must(io.ReadAll(out))(t)
	return got, first, time.Since(began)
}

func TestLineBringsAllInOrder(t *testing.T) {
	for _, size := range []int{0, 1, packetSize, packetSize + 1, 100_000} {
		synctest.Test(t, func(t *testing.T) {
			data := random(size)
			got, _, _ := forwarded(t, data, &line{rate: 200_000, delay: 75 * time.Millisecond}, &slowStart{})
			if !bytes.Equal(got, data) {
				t.Errorf("%d bytes came as %d others", size, len(got))
			}
		})
	}
}

func TestLineTakesItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const delay, rate, size = 75 * time.Millisecond, 200_000, 100_000
		_, first, all := forwarded(t, random(size), &line{rate: rate, delay: delay}, nil)
		packet := time.Second * packetSize / rate
		fortest.Equal(t, first, delay+packet,
			"the first packet took")
		if want := delay + time.Second*size/rate; all < want || all > want+want/10 {
			t.Errorf("all took %v; want %v and at most a tenth more", all, want)
		}
	})
}

// Two connections at once take as long as one with all that both say.
func TestLineIsShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const rate, size = 200_000, 50_000
		w, done := &line{rate: rate}, make(chan time.Duration)
		for range 2 {
			go func() {
				_, _, all := forwarded(t, random(size), w, nil)
				done <- all
			}()
		}
		first, last := <-done, <-done
		whole := time.Second * 2 * size / rate
		if last < whole || last > whole+whole/10 {
			t.Errorf("the last took %v; want %v and at most a tenth more", last, whole)
		}
		if first < whole*8/10 {
			t.Errorf("the first took %v of %v: it had the line for itself", first, whole)
		}
	})
}

// A line that was not used has saved nothing.
func TestLineHasNoBurst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &line{rate: 1000}
		time.Sleep(time.Hour)
		left, _ := w.reserve(500)
		fortest.Equal(t, time.Until(left), time.Second/2, "500 bytes after an hour of silence took")
	})
}

// A new connection has 10 packets under way, and twice as many after each round trip; after a
// pause 10 again. A wide line shows nothing else.
func TestSlowStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const rtt = 100 * time.Millisecond
		for packets, want := range map[int]time.Duration{10: rtt / 2, 11: rtt * 3 / 2,
			30: rtt * 3 / 2, 31: rtt * 5 / 2, 70: rtt * 5 / 2, 71: rtt * 7 / 2} {
			window := &slowStart{}
			for range 2 {
				if _, _, all := forwarded(t, random(packets*packetSize), &line{delay: rtt / 2}, window); all != want {
					t.Errorf("%d packets took %v; want %v", packets, all, want)
				}
				time.Sleep(time.Second)
			}
		}
	})
}

func TestLineWithoutLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		if _, _, all := forwarded(t, random(100_000), &line{}, nil); all != 0 {
			t.Errorf("took %v; want no time at all", all)
		}
	})
}

// newFront returns the address of a way to a server.
func newFront(t *testing.T, l *Link, target string) string {
	t.Helper()
	address := fortest.Must(l.Front(func() string { return target }))(t)
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return address
}

func TestLinkTellsOfConnections(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.Write(random(5000)) }))
	defer server.Close()
	const rtt = 20 * time.Millisecond
	l := New(Shape{RTT: rtt})
	address := newFront(t, l, server.Listener.Addr().String())
	began := time.Now()
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	for range 2 {
		answer := fortest.Must(client.Get("http://" + address))(t)
		io.Copy(io.Discard, answer.Body)
		answer.Body.Close()
	}
	list := l.Connections(began)
	if len(list) != 1 || list[0].To != address {
		t.Fatalf("connections = %+v; want one for both requests", list)
	}
	c := list[0]
	if c.First.Sub(c.Dialled) < 2*rtt || c.Last.Sub(c.First) < rtt {
		t.Errorf("%+v: want a round trip for the connection and for each request", c)
	}
	if got := l.BytesReceived(began, time.Now()); got != c.Bytes || got <= 2*5000 {
		t.Errorf("%d bytes came, %d by the connection; want both bodies and their headers", got, c.Bytes)
	}
	fortest.Equal(t, l.BytesReceived(began, c.First.Add(-1)), 0,
		"bytes came before the first answer")
}

// Each side hears that the other has ended, and a server that is not there is one that hangs up.
func TestLinkPassesTheEndOn(t *testing.T) {
	server, err := net.Listen("tcp", "127.0.0.1:0")
	fortest.OK(t, err)
	defer server.Close()
	heard := make(chan string)
	go func() {
		conn, err := server.Accept()
		if err != nil {
			return
		}
		said, _ := io.ReadAll(conn) // until the browser's end
		fmt.Fprint(conn, "goodbye")
		conn.Close()
		heard <- string(said)
	}()
	address := newFront(t, New(SlowPhone), server.Addr().String())
	conn, err := net.Dial("tcp", address)
	fortest.OK(t, err)
	defer conn.Close()
	fmt.Fprint(conn, "hello")
	conn.(*net.TCPConn).CloseWrite()
	fortest.Equal(t, <-heard, "hello", "the server heard")
	if answer, err := io.ReadAll(conn); err != nil || string(answer) != "goodbye" {
		t.Errorf("the browser heard %q, %v", answer, err)
	}
	gone, err := net.Dial("tcp", newFront(t, New(Shape{}), "127.0.0.1:1"))
	fortest.OK(t, err)
	defer gone.Close()
	if answer, _ := io.ReadAll(gone); len(answer) > 0 {
		t.Errorf("no server answered %q", answer)
	}
}
