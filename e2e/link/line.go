package link

import (
	"io"
	"sync"
	"time"
)

const (
	packetSize = 1460
	// ahead is how far a connection may book the line in advance, so that a timer
	// that fires late leaves no gap; more would keep others waiting behind it.
	ahead = 30 * time.Millisecond
	// flying is more packets than are ever under way at once.
	flying = 4096
)

// line is one direction of a link. One packet after another is on it.
type line struct {
	mu    sync.Mutex // guards the fields below
	rate  int        // bytes per second; 0 = no limit
	delay time.Duration
	free  time.Time // when the last packet has left
}

func (l *line) set(rate int, delay time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rate = rate
	l.delay = delay
	l.free = time.Time{}
}

// reserve returns when n bytes have left, and when they come.
func (l *line) reserve(n int) (left, come time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now := time.Now(); l.free.Before(now) {
		l.free = now
	}
	if l.rate > 0 {
		l.free = l.free.Add(time.Duration(n) * time.Second / time.Duration(l.rate))
	}
	return l.free, l.free.Add(l.delay)
}

// slowStart is how much of a connection may be under way: 10 packets, one more for each that is
// acknowledged, and 10 again after a pause. Nothing is lost, so nothing else slows it down.
//
// Source: RFC 6928, RFC 5681 sections 3.1 and 4.1; 200 ms is the least retransmission timeout of Linux.
type slowStart struct {
	window int         // packets
	acks   []time.Time // when each that is under way is acknowledged
	last   time.Time   // when the last one is or was
}

const initialWindow = 10

// wait waits until the window has room.
func (s *slowStart) wait() {
	if time.Since(s.last) > 200*time.Millisecond {
		s.window = initialWindow
		s.acks = nil
	}
	if len(s.acks) >= s.window {
		sleepUntil(s.acks[0])
	}
	for len(s.acks) > 0 && time.Until(s.acks[0]) <= 0 {
		s.acks = s.acks[1:]
		s.window++
	}
}

// packet is what arrives at once.
type packet struct {
	data []byte
	at   time.Time
}

// hooks get how much comes, as it is written, and limit what is under way. Either may be nil.
type hooks struct {
	onArrival func(int)
	window    *slowStart
}

// forward brings what src says to dst, over the line, and then that it has ended.
func forward(dst io.Writer, src io.Reader, w *line, tell hooks) {
	packets := make(chan packet, flying)
	go func() {
		defer close(packets)
		for {
			data := make([]byte, packetSize)
			n, err := src.Read(data)
			window := tell.window
			if window == nil || n == 0 {
				window = &slowStart{}
			}

			window.wait()
			gone, come := w.reserve(n)
			window.last = come.Add(come.Sub(gone)) // as far back
			window.acks = append(window.acks, window.last)
			packets <- packet{data[:n], come}
			if err != nil {
				return
			}

			sleepUntil(gone.Add(-ahead))
		}
	}()
	deliver(dst, packets, tell)
	end(src, dst)
	for range packets { // what comes too late
	}
}

// deliver writes each packet when it arrives, until the last or an error.
func deliver(dst io.Writer, packets <-chan packet, tell hooks) {
	for p := range packets {
		sleepUntil(p.at)
		if tell.onArrival != nil {
			tell.onArrival(len(p.data)) // first: what is written may be answered at once
		}
		if _, err := dst.Write(p.data); err != nil {
			return
		}
	}
}

// end says to each side that nothing follows: of src nothing is read any more,
// to dst nothing is written.
func end(src io.Reader, dst io.Writer) {
	if half, ok := src.(interface{ CloseRead() error }); ok {
		_ = half.CloseRead() // it may have ended by itself
	}
	if half, ok := dst.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
	} else if whole, ok := dst.(io.Closer); ok {
		_ = whole.Close()
	}
}

func sleepUntil(at time.Time) {
	if left := time.Until(at); left > 0 {
		time.Sleep(left)
	}
}
