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
)

const (
	// roundInterval is the pause between two rounds.
	roundInterval = 3 * time.Second
	// watchTime is how long other instances assume that a page is open.
	watchTime = time.Minute
	// catchUpRounds is the number of rounds from one catch-up to the next.
	catchUpRounds = 2
)

// peers is how instances notify one another through a shared database. Notifications are hints: the
// rows are authoritative.
type peers interface {
	// Announce notifies others of a new or checked session. It never blocks.
	Announce(session string)
	// Listen calls receive with each announced session, and with "" when some may have been
	// missed, until ctx ends.
	Listen(ctx context.Context, receive func(session string)) error
	// Watch marks the pages of sessions as open until a time, and schedules their next checks no
	// later than dueBy.
	Watch(ctx context.Context, ids []string, until, dueBy time.Time) error
	// Versions returns the version of each session.
	Versions(ctx context.Context, ids []string) (map[string]int64, error)
}

// fanout connects instances: it publishes to the hub what others have changed, and tells others
// which pages are open here. Notifications can get lost, so it also compares versions periodically.
type fanout struct {
	peers   peers
	hub     *realtime.Hub
	deliver func()        // kicks the webhook sender
	soon    time.Duration // interval of checks of an open page
	now     func() time.Time
	log     *slog.Logger

	missed chan struct{} // one slot: catch up now
	marked map[string]time.Time
	known  map[string]int64 // version by session, as published

	heartbeat background.Heartbeat // of the rounds
}

func newFanout(
	p peers, h *realtime.Hub, deliver func(), soon time.Duration, now func() time.Time,
	log *slog.Logger,
) *fanout {
	return &fanout{
		peers: p, hub: h, deliver: deliver, soon: soon, now: now, log: log,
		missed: make(chan struct{}, 1), marked: map[string]time.Time{}, known: map[string]int64{},
	}
}

// run runs until ctx ends.
func (f *fanout) run(ctx context.Context) error {
	listening := make(chan struct{})
	go func() {
		defer close(listening)
		if err := f.peers.Listen(ctx, f.receive); err != nil && ctx.Err() == nil {
			f.log.Error("listening to other instances failed", "error", err)
		}
	}()
	f.heartbeat.Beat(0)
	defer f.heartbeat.Stop()
	tick := time.NewTicker(roundInterval)
	defer tick.Stop()
	for round := 1; ; round++ {
		select {
		case <-ctx.Done():
			<-listening
			return nil
		case <-tick.C:
			f.round(ctx, round%catchUpRounds == 0)
		case <-f.missed:
			f.round(ctx, true)
		}
		f.heartbeat.Beat(0)
	}
}

// receive handles an announcement.
func (f *fanout) receive(session string) {
	f.deliver()
	if session != "" {
		f.hub.Publish(session)
		return
	}
	select {
	case f.missed <- struct{}{}:
	default:
	}
}

// round marks the open pages and, if catchUp, publishes every version that was missed.
func (f *fanout) round(ctx context.Context, catchUp bool) {
	open := f.hub.Sessions()
	if err := f.mark(ctx, open); err != nil && ctx.Err() == nil {
		f.log.Warn("marking open pages failed", "error", err)
	}
	if !catchUp {
		return
	}
	if err := f.catchUp(ctx, open); err != nil && ctx.Err() == nil {
		f.log.Warn("catching up with other instances failed", "error", err)
	}
}

// mark marks pages that were opened since the last round, or whose mark is about to expire.
func (f *fanout) mark(ctx context.Context, open []string) error {
	now := f.now()
	marked := map[string]time.Time{} // drops those that were closed
	var due []string
	for _, id := range open {
		if marked[id] = f.marked[id]; marked[id].Sub(now) < watchTime/2 {
			due, marked[id] = append(due, id), now.Add(watchTime)
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

func (f *fanout) catchUp(ctx context.Context, open []string) error {
	known := make(map[string]int64, len(open)) // drops those that were closed
	for batch := range f.batches(open) {
		versions, err := f.peers.Versions(ctx, batch)
		if err != nil {
			return err
		}
		maps.Copy(known, versions)
	}
	for id, version := range known {
		if f.known[id] != version {
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
			if f.heartbeat.Beat(0); !yield(batch) {
				return
			}
		}
	}
}
