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
	// roundInterval is the pause between two rounds of a fanout.
	roundInterval = 3 * time.Second
	// watchTime is how long the others believe that a page is open.
	watchTime = time.Minute
	// catchUpRounds is how many rounds pass between two catch-ups.
	catchUpRounds = 2
)

// peers is what a database that several instances share lets them tell one
// another. All of it is hints: what is true is in the rows.
type peers interface {
	// Announce tells that a session is new or was checked. It never blocks.
	Announce(session string)
	// Listen calls hear with each session that was announced, and with "" when
	// some may have been missed, until ctx ends.
	Listen(ctx context.Context, hear func(session string)) error
	// Watch says until when the pages of sessions are looked at, and lets
	// none of them wait for its next check for longer than until dueBy.
	Watch(ctx context.Context, ids []string, until, dueBy time.Time) error
	// Versions returns the version of each session.
	Versions(ctx context.Context, ids []string) (map[string]int64, error)
}

// fanout lets pages be open at one instance while another one polls: it tells
// the hub what others have changed, and the others which pages are open here.
// News can get lost on the way, so versions are compared now and then.
type fanout struct {
	peers   peers
	hub     *realtime.Hub
	deliver func()        // there may be webhooks
	soon    time.Duration // between two checks of a watched payment
	now     func() time.Time
	log     *slog.Logger

	missed chan struct{} // one slot: catch up now
	marked map[string]time.Time
	known  map[string]int64 // version by session, as told to the hub

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

// run listens and tells until ctx ends.
func (f *fanout) run(ctx context.Context) error {
	listening := make(chan struct{})
	go func() {
		defer close(listening)
		if err := f.peers.Listen(ctx, f.receive); err != nil && ctx.Err() == nil {
			f.log.Error("listening to other instances", "error", err)
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

// receive passes on what another instance has announced.
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

// round marks the pages that are open here and, if it is to catch up, tells the
// hub of every version that it has not been told of.
func (f *fanout) round(ctx context.Context, catchUp bool) {
	open := f.hub.Sessions()
	if err := f.mark(ctx, open); err != nil && ctx.Err() == nil {
		f.log.Warn("marking open pages", "error", err)
	}
	if !catchUp {
		return
	}
	if err := f.catchUp(ctx, open); err != nil && ctx.Err() == nil {
		f.log.Warn("catching up with other instances", "error", err)
	}
}

// mark tells the others of pages that were opened since the last round, or so
// long ago that they may have forgotten.
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

// batches are as many of the ids at a time as a slow database is not held to be a
// stuck loop for.
func (f *fanout) batches(ids []string) iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		for batch := range slices.Chunk(ids, 1000) {
			if f.heartbeat.Beat(0); !yield(batch) {
				return
			}
		}
	}
}
