package browser

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
)

// errGone says that the part of the browser a command was for is no more: its
// frame was removed or moved to another process, its page was closed, or the
// browser ended. Looking the frame up again helps.
var errGone = errors.New("target is gone")

// object is the parameters of one command, by the protocol's own names.
type object map[string]any

// refusal is the browser's "no" to one command.
type refusal struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (r *refusal) Error() string { return r.Message }

// message is everything that travels: a command (ID, Method, Params), its reply (ID, Result or
// Error) and an event (Method, Params, no ID). Session is empty for the browser itself.
//
// Source: https://chromedevtools.github.io/devtools-protocol/, "flat" sessions.
type message struct {
	ID      int             `json:"id,omitempty"`
	Session string          `json:"sessionId,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *refusal        `json:"error,omitempty"`
}

// waiter is one command without a reply so far. done is called once, outside mu.
type waiter struct {
	session string
	done    func(json.RawMessage, error)
}

// conn speaks the DevTools protocol over the two pipes of one browser.
type conn struct {
	in io.Writer

	mu      sync.Mutex // guards the fields below, and the order of writes to in
	lastID  int
	waiting map[int]waiter                           // by command id; nil once the browser ended
	routes  map[string]func(string, json.RawMessage) // by session id: gets method and parameters
}

// newConn starts reading out, which ends when the browser does. Every event is
// handed to its session's route on the reading goroutine, in the order of arrival.
func newConn(in io.Writer, out io.Reader) *conn {
	c := &conn{
		in:      in,
		waiting: map[int]waiter{},
		routes:  map[string]func(string, json.RawMessage){},
	}
	go c.read(bufio.NewReaderSize(out, 1<<16))
	return c
}

// read is the reading goroutine. Messages end with a zero byte.
func (c *conn) read(out *bufio.Reader) {
	for {
		line, err := out.ReadBytes(0)
		if err != nil {
			c.end()
			return
		}
		var m message
		if json.Unmarshal(line[:len(line)-1], &m) == nil {
			c.deliver(m)
		}
	}
}

// deliver takes one message to its waiter.
func (c *conn) deliver(m message) {
	c.mu.Lock()
	w, isReply := c.waiting[m.ID]
	delete(c.waiting, m.ID)
	route := c.routes[m.Session]
	c.mu.Unlock()
	switch {
	case isReply && m.Error != nil:
		w.done(nil, m.Error)
	case isReply:
		w.done(m.Result, nil)
	case route != nil && m.Method != "":
		route(m.Method, m.Params)
	}
}

// end fails every command that will never be answered.
func (c *conn) end() {
	c.mu.Lock()
	waiting := c.waiting
	c.waiting = nil
	c.mu.Unlock()
	for _, w := range waiting {
		w.done(nil, fmt.Errorf("browser ended: %w", errGone))
	}
}

// ended reports whether the browser has gone away.
func (c *conn) ended() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.waiting == nil
}

// listen gives the events of one session to route from now on.
func (c *conn) listen(session string, route func(method string, params json.RawMessage)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.routes[session] = route
}

// forget fails the open commands of a session that ended and drops its events:
// the browser does not answer them any more.
func (c *conn) forget(session string) {
	c.mu.Lock()
	delete(c.routes, session)
	var orphans []waiter
	for id, w := range c.waiting {
		if w.session == session {
			orphans = append(orphans, w)
			delete(c.waiting, id)
		}
	}

	c.mu.Unlock()
	for _, w := range orphans {
		w.done(nil, errGone)
	}
}

// post sends a command and does not wait; done gets the reply, on the reading
// goroutine. Safe to call from there: the browser reads its pipe on a thread of
// its own, so a write does not wait for us to read.
func (c *conn) post(session, method string, params object, done func(json.RawMessage, error)) {
	raw, err := json.Marshal(params)
	if err != nil {
		panic(fmt.Sprintf("browser: parameters of %s are no JSON: %v", method, err))
	}

	c.mu.Lock()
	if c.waiting == nil {
		c.mu.Unlock()
		done(nil, fmt.Errorf("browser ended: %w", errGone))
		return
	}

	c.lastID++
	c.waiting[c.lastID] = waiter{session, done}
	line, _ := json.Marshal(message{
		ID:      c.lastID,
		Session: session,
		Method:  method,
		Params:  raw,
	})
	_, _ = c.in.Write(append(line, 0)) // a broken pipe shows on the reading side
	c.mu.Unlock()
}

// call sends a command and waits for its reply, which it decodes into result unless that is nil.
//
// Errors: *refusal if the browser said no; errGone; ctx.Err().
func (c *conn) call(ctx context.Context, session, method string, params object, result any) error {
	type reply struct {
		raw json.RawMessage
		err error
	}
	replies := make(chan reply, 1)
	c.post(session, method, params, func(raw json.RawMessage, err error) { replies <- reply{raw, err} })
	select {
	case <-ctx.Done():
		return fmt.Errorf("waiting for %s: %w", method, ctx.Err())
	case r := <-replies:
		if r.err != nil {
			return fmt.Errorf("calling %s: %w", method, r.err)
		}
		if result == nil {
			return nil
		}
		return json.Unmarshal(r.raw, result)
	}
}
