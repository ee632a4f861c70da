//go:build js

package browser

import (
	"context"
	"errors"
	"sync"
	"syscall/js"
)

// queueLength is how many messages may wait to be read. Every message is a whole view, so a full
// queue drops the oldest.
const queueLength = 16

// Socket is an open websocket of the browser.
type Socket struct {
	value     js.Value
	messages  chan []byte   // by the message callback, never closed
	opened    chan struct{} // closed by the open callback
	closed    chan struct{} // closed by the close callback, or by Close
	closeOnce sync.Once     // closes closed
	freeOnce  sync.Once
	funcs     []js.Func
	deduped   bool // program.js suppresses messages that the page already has
}

// Dial opens a websocket at a path of the page's own origin. Errors: it is refused, or ctx ends.
func Dial(ctx context.Context, path string) (*Socket, error) {
	s := &Socket{
		messages: make(chan []byte, queueLength),
		opened:   make(chan struct{}), closed: make(chan struct{}),
	}
	location := js.Global().Get("location")
	scheme := "ws" + location.Get("protocol").String()[len("http"):]
	address := scheme + "//" + location.Get("host").String() + path
	s.value = js.Global().Get("WebSocket").New(address)
	s.listen()
	select {
	case <-s.opened:
		return s, nil
	case <-s.closed:
		s.Close()
		return nil, errors.New("opening the websocket " + path + ": refused")
	case <-ctx.Done():
		s.Close()
		return nil, ctx.Err()
	}
}

func (s *Socket) listen() {
	var open sync.Once
	s.on("open", func(js.Value) { open.Do(func() { close(s.opened) }) })
	s.on("message", func(event js.Value) {
		if data := event.Get("data"); data.Type() == js.TypeString {
			s.push([]byte(data.String()))
		}
	})
	dedupe := js.Global().Get("coinslotDedupe")
	if dedupe.Type() == js.TypeFunction {
		dedupe.Invoke(s.value)
		s.deduped = true
	}
	// Registered after it, so that what it has suppressed is delivered before the socket closes.
	s.on("close", func(js.Value) { s.markClosed() })
}

// Deduped reports whether the socket is open, the server is not silent, and program.js suppresses
// messages that the page already has, so that WebAssembly does not wake for them. program.js
// delivers the latest message when the server falls silent, and closes a socket that is silent for
// too long.
func (s *Socket) Deduped() bool {
	return s.deduped && s.value.Get("readyState").Int() == open &&
		!s.value.Get("coinslotSilent").Bool()
}

// open is a websocket's readyState.
const open = 1

// resetDedupe lets the next message of any socket through, because the page got a view elsewhere.
func resetDedupe() { js.Global().Set("coinslotKnown", js.Null()) }

// markClosed makes Read fail once the queue is empty.
func (s *Socket) markClosed() { s.closeOnce.Do(func() { close(s.closed) }) }

func (s *Socket) on(event string, do func(js.Value)) {
	callback := js.FuncOf(func(_ js.Value, args []js.Value) any {
		do(first(args))
		return nil
	})
	s.funcs = append(s.funcs, callback)
	s.value.Set("on"+event, callback)
}

// push queues a message without blocking, since it runs in a callback.
func (s *Socket) push(message []byte) {
	for {
		select {
		case s.messages <- message:
			return
		default:
		}
		select {
		case <-s.messages:
		default:
		}
	}
}

// Read returns the next message, after the end of a press. Errors: the socket has closed and all
// was read, or ctx ends.
func (s *Socket) Read(ctx context.Context) ([]byte, error) {
	defer waitForRelease()
	select {
	case message := <-s.messages:
		return message, nil
	default:
	}
	select {
	case message := <-s.messages:
		return message, nil
	case <-s.closed:
		return nil, errors.New("reading the websocket: closed")
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Close closes the socket and frees its callbacks; closing twice is allowed.
func (s *Socket) Close() {
	s.freeOnce.Do(func() {
		for _, event := range []string{"onopen", "onclose", "onmessage"} {
			s.value.Set(event, js.Null())
		}
		s.value.Call("close")
		for _, callback := range s.funcs {
			callback.Release()
		}
		s.markClosed() // the callback is gone
	})
}
