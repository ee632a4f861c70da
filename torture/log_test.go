//go:build linux

package torture

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"

	"coinslot/app/wire"
)

// follower is a merchant's program that reads the event log from its cursor, again and again. A
// cursor gives each event once, in whatever order all was committed. PostgreSQL shows an event once
// all older transactions have ended.
type follower struct {
	w      *world
	cursor string
	times  map[string]int // that an event was read, by id; guarded by w.sink.mu
}

// startFollowing reads the log until the returned function is called, which returns how many events
// were read. Meanwhile, sessions are compared with them.
func (w *world) startFollowing() (stop func() int) {
	f := &follower{w: w, times: map[string]int{}}
	w.follower = f
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
		return len(f.times)
	}
}

// compare returns "" if each event of a session that reached the endpoint was read once. The events
// of a deleted session are deleted, too. A nil follower has nothing to compare.
func (f *follower) compare(o object) string {
	if f == nil || o.Deleted {
		return ""
	}
	f.w.sink.mu.Lock()
	defer f.w.sink.mu.Unlock()
	for _, e := range f.w.sink.bySession[o.ID] {
		if n := f.times[e.id]; n != 1 {
			return fmt.Sprintf("I5: a reader of the log got %s %d times", e.id, n)
		}
	}
	return ""
}

// read waits a moment and reads a page of the log, unless it cannot: then the status is not 200.
func (f *follower) read(ctx context.Context) (status int) {
	<-wait(100 * time.Millisecond)
	path := "/v1/events?after=" + url.QueryEscape(f.cursor)
	status, body, err := f.w.merchant(ctx, http.MethodGet, path, "")
	var page struct {
		Data []struct {
			ID   string
			Data object
		}
		Next string `json:"next_cursor"`
	}
	f.w.sink.mu.Lock()
	defer f.w.sink.mu.Unlock()
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
		seen := sight{version: e.Data.Version, status: wire.Status(e.Data.Status)}
		f.w.observed.notified("log", e.Data.ID, seen)
	}
	return status
}
