package browser

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"testing"
)

// script is a browser that answers each command by what reply says; "" is no answer.
func script(t *testing.T, reply func(message) string) (c *conn, hangUp func()) {
	t.Helper()
	theirIn, ourOut := io.Pipe()
	ourIn, theirOut := io.Pipe()
	go func() {
		in := bufio.NewReader(theirIn)
		for {
			line, err := in.ReadBytes(0)
			if err != nil {
				return
			}
			var m message
			if err := json.Unmarshal(line[:len(line)-1], &m); err != nil {
				t.Error(err)
			}
			if text := reply(m); text != "" {
				fmt.Fprintf(theirOut, "%s\x00", text)
			}
		}
	}()
	hangUp = func() { theirIn.Close(); theirOut.Close() }
	t.Cleanup(hangUp)
	return newConn(ourOut, ourIn), hangUp
}

// A command without an answer ends with its session, its browser or its context.
func TestConnUnanswered(t *testing.T) {
	for name, cut := range map[string]func(c *conn, hangUp, cancel func()){
		"session": func(c *conn, _, _ func()) { c.forget("s") },
		"browser": func(_ *conn, hangUp, _ func()) { hangUp() },
		"context": func(_ *conn, _, cancel func()) { cancel() },
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			arrived := make(chan bool, 1)
			c, hangUp := script(t, func(message) string { arrived <- true; return "" })
			done := make(chan error)
			go func() { done <- c.call(ctx, "s", "Wait", nil, nil) }()
			<-arrived
			cut(c, hangUp, cancel)
			if err := <-done; !errors.Is(err, errGone) && !errors.Is(err, context.Canceled) {
				t.Errorf("call = %v; want it over", err)
			}
			if name == "browser" {
				err := c.call(t.Context(), "", "More", nil, nil)
				if !errors.Is(err, errGone) || !c.ended() {
					t.Errorf("call after the end = %v; want errGone", err)
				}
			}
		})
	}
}
