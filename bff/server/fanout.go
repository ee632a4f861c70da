package server

import (
	"context"
	"iter"
	"log/slog"
	"maps"
	"slices"
	"time"

	"coinslot/bff/internal/background"
	"coinslot/bff/realtime"
	"coinslot/bff/store"
)

const (
	// roundInterval is the pause between two rounds.
	roundInterval = time.Second
	// watchTime is how long other instances assume that a page is open.
	watchTime = time.Minute
)

// peers is what instances know of one another, through a shared database.
type peers interface {
	// Watch marks the pages of sessions as open until a time, and schedules their next checks no
	// later than dueBy.
	Watch(ctx context.Context, ids []string, until, dueBy time.Time) error
	// Revisions returns the revision of each session.
	Revisions(ctx context.Context, ids []string) (map[string]store.Revision, error)
}

// fanout connects instances: once a second it publishes to the hub what others have changed or
// checked, and tells others which pages are open here.
type fanout struct {
	peers peers
	hub   *realtime.Hub
	soon  time.Duration // interval of checks of an open page
	now   func() time.Time
	log   *slog.Logger

	marked map[string]time.Time      // until when, by session
	known  map[string]store.Revision // by session, as published

	heartbeat background.Heartbeat // of the rounds
}

func newFanout(
	p peers, h *realtime.Hub, soon time.Duration, now func() time.Time, log *slog.Logger,
) *fanout {
	return &fanout{peers: p, hub: h, soon: soon, now: now, log: log}
}

// run runs until ctx ends.
func (f *fanout) run(ctx context.Context) error {
	f.heartbeat.Beat(0)
	defer f.heartbeat.Stop()
	for background.Sleep(ctx, roundInterval) {
		f.round(ctx)
		f.heartbeat.Beat(0)
	}
	return nil
}

// round marks the open pages and publishes every revision that was missed.
func (f *fanout) round(ctx context.Context) {
	open := f.hub.Sessions()
	if err := f.mark(ctx, open); err != nil && ctx.Err() == nil {
		f.log.Warn("marking open pages failed", "error", err)
	}
	if err := f.publish(ctx, open); err != nil && ctx.Err() == nil {
		f.log.Warn("reading what other instances have changed failed", "error", err)
	}
}

// mark marks pages that were opened since the last round, or whose mark is about to expire.
func (f *fanout) mark(ctx context.Context, open []string) error {
	now := f.now()
	marked := map[string]time.Time{} // drops those that were closed
	var due []string
	for _, id := range open {
		marked[id] = f.marked[id]
		if marked[id].Sub(now) < watchTime/2 {
			due = append(due, id)
			marked[id] = now.Add(watchTime)
		}
	}
	for batch := range f.batches(due) {
		if err := f.peers.Watch(ctx, batch, now.Add(watchTime), now.Add(f.soon)); err != nil {
			return err
		}
	}
	f.marked = marked
	return nil
}

// publish publishes the open sessions whose revision is another one than in the last round, and
// those that were opened since.
func (f *fanout) publish(ctx context.Context, open []string) error {
	known := make(map[string]store.Revision, len(open)) // drops those that were closed
	for batch := range f.batches(open) {
		revisions, err := f.peers.Revisions(ctx, batch)
		if err != nil {
			return err
		}
		maps.Copy(known, revisions)
	}
	for id, revision := range known {
		if f.known[id] != revision {
			f.hub.Publish(id)
		}
	}
	f.known = known
	return nil
}

// batches splits ids and beats before each batch, so that a slow database does not look like a
// stuck loop.
func (f *fanout) batches(ids []string) iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		for batch := range slices.Chunk(ids, 1000) {
			f.heartbeat.Beat(0)
			if !yield(batch) {
				return
			}
		}
	}
}
