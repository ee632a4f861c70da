package firefox

import (
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/e2e/view"

	"github.com/gorilla/websocket"
)

// object is the parameters of one command, by the protocol's own names.
type object map[string]any

// message is everything that comes: a reply (ID, Result or Error) or an event (Method, Params).
type message struct {
	ID      int             `json:"id"`
	Result  json.RawMessage `json:"result"`
	Error   string          `json:"error"`
	Message string          `json:"message"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
}

// conn is one BiDi session.
type conn struct {
	ws *websocket.Conn

	mu      sync.Mutex // guards the fields below, and writing to ws
	lastID  int
	waiting map[int]chan message
	events  []message
}

func dial(t testing.TB, address string) *conn {
	t.Helper()
	ws, _, err := websocket.DefaultDialer.Dial(address+"/session", nil)
	if err != nil {
		t.Fatalf("connecting to Firefox: %v", err)
	}
	c := &conn{ws: ws, waiting: map[int]chan message{}}
	go c.read()
	return c
}

func (c *conn) close() { c.ws.Close() }

// read is the reading goroutine; it ends with the connection, and so do pending calls.
func (c *conn) read() {
	for {
		var m message
		err := c.ws.ReadJSON(&m)
		c.mu.Lock()
		if err != nil {
			for _, reply := range c.waiting {
				close(reply)
			}
			c.waiting = nil
			c.mu.Unlock()
			return
		}
		if reply := c.waiting[m.ID]; reply != nil {
			delete(c.waiting, m.ID)
			reply <- m
		} else if m.Method != "" {
			c.events = append(c.events, m)
		}

		c.mu.Unlock()
	}
}

// try sends a command and decodes its result into out, unless that is nil.
func (c *conn) try(method string, params object, out any) error {
	reply := make(chan message, 1)
	c.mu.Lock()
	if c.waiting == nil {
		c.mu.Unlock()
		return fmt.Errorf("calling %s: the browser has ended", method)
	}

	c.lastID++
	c.waiting[c.lastID] = reply
	err := c.ws.WriteJSON(object{"id": c.lastID, "method": method, "params": params})
	c.mu.Unlock()
	if err != nil {
		return fmt.Errorf("calling %s: %w", method, err)
	}

	select {
	case m, ok := <-reply:
		if !ok || m.Error != "" {
			return fmt.Errorf("calling %s: %s %s", method, m.Error, m.Message)
		}
		if out == nil {
			return nil
		}
		return json.Unmarshal(m.Result, out)
	case <-time.After(view.Patience):
		return fmt.Errorf("calling %s: no answer", method)
	}
}

// call is try for what must go.
func (c *conn) call(t testing.TB, method string, params object, out any) {
	t.Helper()
	fortest.OK(t, c.try(method, params, out))
}

// happened returns the parameters of the events of that name so far.
func (c *conn) happened(method string) []json.RawMessage {
	c.mu.Lock()
	defer c.mu.Unlock()
	var list []json.RawMessage
	for _, e := range c.events {
		if e.Method == method {
			list = append(list, e.Params)
		}
	}
	return list
}
