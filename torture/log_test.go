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
	times  map[string]int // that events were read
}

// startFollowing reads the log until the returned function is called, which waits for the rest and
// returns how many events there were. A cursor gives each event that has reached the endpoint
// exactly once, whatever was committed out of order, and by whichever primary. PostgreSQL shows an
// event once every older transaction of the server has ended.
func (w *world) startFollowing() (stop func() int) {
	f := &follower{w: w, times: map[string]int{}}
	ctx, cancel := context.WithCancel(context.Background())
	var reading sync.WaitGroup
	reading.Go(func() {
		for ctx.Err() == nil {
			f.read(ctx)
		}
	})
	return func() int {
		cancel()
		reading.Wait()
		for deadline := time.Now().Add(patience); time.Now().Before(deadline) && f.behind() > 0; {
			f.read(context.Background())
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

// behind returns how many events the endpoint has that were not read.
func (f *follower) behind() int {
	f.w.sink.mu.Lock()
	defer f.w.sink.mu.Unlock()
	return len(f.w.sink.events) - len(f.times)
}

// read waits a moment and reads a page of the log, unless it cannot: then the status is not 200.
func (f *follower) read(ctx context.Context) (status int) {
	<-wait(100 * time.Millisecond)
	status, body, err := f.w.merchant(ctx, http.MethodGet, "/v1/events?after="+url.QueryEscape(f.cursor), "")
	var page struct {
		Data []struct {
			ID   string
			Data object
		}
		Next string `json:"next_cursor"`
	}
	if err != nil || status != http.StatusOK || json.Unmarshal(body, &page) != nil {
		return status
	}
	f.cursor = page.Next
	for _, e := range page.Data {
		f.times[e.ID]++
		f.w.observed.notified("log", e.Data.ID, sight{version: e.Data.Version, status: wire.Status(e.Data.Status)})
	}
	return status
}
