//go:build linux

package torture

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"sync"
	"time"

	"coinslot/app/wire"
)

// follower is a merchant's program that reads the event log from its cursor, again and again.
type follower struct {
	w      *world
	cursor string
	times  map[string]int // that an event was read, by id
}

// startFollowing reads the log until the returned function is called, which reads the rest and
// returns how many events there were. A cursor gives each event that has reached the endpoint
// exactly once, whatever was committed out of order, and by whichever primary.
func (w *world) startFollowing() (stop func() int) {
	f := &follower{w: w, times: map[string]int{}}
	ctx, cancel := context.WithCancel(context.Background())
	var reading sync.WaitGroup
	reading.Go(func() {
		for ctx.Err() == nil {
			if f.read(ctx) == 0 {
				<-wait(100 * time.Millisecond)
			}
		}
	})
	return func() int {
		cancel()
		reading.Wait()
		for f.read(context.Background()) > 0 {
		}
		w.sink.mu.Lock()
		defer w.sink.mu.Unlock()
		for id, e := range w.sink.events {
			if n := f.times[id]; n != 1 {
				w.violate(e.session, "I5: whoever follows the log reads %s %d times", id, n)
			}
		}
		return len(f.times)
	}
}

// read reads a page of the log, and returns how many events it has. Failures are repeated.
func (f *follower) read(ctx context.Context) int {
	path := "/v1/events?after=" + url.QueryEscape(f.cursor)
	status, body, err := f.w.merchant(ctx, http.MethodGet, path, "")
	var page struct {
		Data []struct {
			ID   string
			Data object
		}
		Next string `json:"next_cursor"`
	}
	if err != nil || status != http.StatusOK || json.Unmarshal(body, &page) != nil {
		return 0
	}
	f.cursor = page.Next
	for _, e := range page.Data {
		f.times[e.ID]++
		f.w.observed.notified("log", e.Data.ID,
			sight{version: e.Data.Version, status: wire.Status(e.Data.Status)})
	}
	return len(page.Data)
}
