//go:build linux

package torture

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
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
// returns how many events there were. A cursor gives each event that has reached the endpoint once,
// in whatever order all was committed. PostgreSQL shows it once all older transactions have ended.
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
		for deadline := time.Now().Add(patience); len(f.wrong()) > 0 && time.Now().Before(deadline); {
			f.read(context.Background())
		}
		for _, e := range f.wrong() {
			w.violate(e.session, "I5: whoever follows the log reads %s %d times", e.id, f.times[e.id])
		}
		return len(f.times)
	}
}

// wrong returns the events that were not read once, but for those of deleted sessions.
func (f *follower) wrong() (list []*event) {
	f.w.sink.mu.Lock()
	for id, e := range f.w.sink.events {
		if f.times[id] != 1 {
			list = append(list, e)
		}
	}
	f.w.sink.mu.Unlock()
	return slices.DeleteFunc(list, func(e *event) bool {
		o, err := f.w.read(context.Background(), e.session)
		return err == nil && o.Deleted && f.times[e.id] == 0
	})
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
	if status == http.StatusGone { // the event at the cursor was deleted: from the beginning
		f.cursor = ""
		clear(f.times)
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
