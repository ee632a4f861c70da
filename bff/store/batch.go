package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"sync"
)

// maxParts bounds how many callers share a transaction, and so how long the first
// of them waits for the others.
const maxParts = 64

// batch is a transaction of callers who would else wait for one another: each runs
// a part of it, one after another and each in its own goroutine, and whoever finds
// nobody waiting commits. One sync of the disk is then enough for all of them.
//
// A part that fails is taken back alone. Nobody is answered before the commit, not
// even who has failed: what they have seen may be another part's. A commit that
// fails has failed for all.
type batch struct {
	*transaction
	parts  int           // that were begun
	closed bool          // nobody is taken in any more
	undone bool          // rolled back as a whole before the commit
	done   chan struct{} // closed at the end of the transaction
	err    error         // of the commit; known when done is closed
}

// batched is write for a database with one writer.
//
// Some failures take back the whole transaction: a full disk, a caller that goes
// away in the middle of a statement. Then each of those who were in it runs again
// in one of its own, and learns there what it would have learnt alone.
func (db *DB) batched(ctx context.Context, fn func(tx *sql.Tx) error) error {
	for alone := false; ; alone = true {
		b, err := db.enter(ctx, alone)
		if err != nil {
			return err
		}
		err = db.part(ctx, b, fn)
		<-b.done
		switch {
		case b.err != nil:
			return b.err
		case b.undone && b.parts > 1:
			continue
		}
		return err
	}
}

// enter waits for the caller's turn and returns the batch that it is in.
func (db *DB) enter(ctx context.Context, alone bool) (*batch, error) {
	b, err := db.line.turn(ctx, alone)
	if err == nil && b == nil {
		if b, err = db.newBatch(ctx); err != nil {
			db.line.next()
		}
	}
	if err != nil {
		return nil, fmt.Errorf("waiting for the writer: %w", err)
	}
	b.closed = alone
	return b, nil
}

// newBatch begins one, once there is no doubt about an earlier one any more.
func (db *DB) newBatch(ctx context.Context) (*batch, error) {
	conn, err := db.writer.Conn(ctx)
	if err != nil {
		return nil, err
	}
	var t *transaction
	if err = db.superseded(ctx, conn); err == nil {
		t, err = db.begin(ctx, conn)
	}
	if err != nil {
		_ = conn.Close() // gives it back to the pool
		return nil, err
	}
	return &batch{transaction: t, done: make(chan struct{})}, nil
}

// superseded ends the doubt about an earlier commit, if there is one.
func (db *DB) superseded(ctx context.Context, conn *sql.Conn) error {
	if !db.doubt.Load() {
		return nil
	}
	if err := db.transact(
		ctx, conn, func(tx *sql.Tx) error { return db.dialect.supersede(ctx, tx) },
	); err != nil {
		return fmt.Errorf("undoing a commit of unknown outcome: %w", err)
	}
	db.doubt.Store(false)
	return nil
}

// part runs fn as the next part of b. Then, whatever has become of it, the turn is
// somebody else's.
func (db *DB) part(ctx context.Context, b *batch, fn func(tx *sql.Tx) error) error {
	defer db.leave(b)
	b.parts++
	kept := false
	defer func() {
		if !kept {
			b.undo(ctx)
		}
	}()
	if err := b.mark(ctx, `SAVEPOINT part`); err != nil {
		return err
	}
	if err := fn(b.tx); err != nil {
		return err
	}
	err := b.mark(ctx, `RELEASE part`)
	kept = err == nil
	return err
}

// mark runs a statement that tells one part from the others. The first part needs
// none: it is alone until it is done.
func (b *batch) mark(ctx context.Context, statement string) error {
	if b.parts == 1 {
		return nil
	}
	_, err := b.tx.ExecContext(context.WithoutCancel(ctx), statement)
	return err
}

// undo takes back the part that was begun last, or all if that cannot be done.
func (b *batch) undo(ctx context.Context) {
	if b.parts > 1 && b.mark(ctx, `ROLLBACK TO part`) == nil && b.mark(ctx, `RELEASE part`) == nil {
		return
	}
	b.undone, b.closed = true, true
}

// leave gives the turn to whoever is next. Who is taken into b commits it, or who
// comes after them.
func (db *DB) leave(b *batch) {
	if !b.closed && b.parts < maxParts && db.line.join(b) {
		return
	}
	if !b.undone {
		b.err = b.commit()
	}
	b.end()
	_ = b.conn.Close() // gives it back to the pool
	db.line.next()
	close(b.done)
}

// line is who waits for the turn to write, in the order in which they came.
type line struct {
	mu      sync.Mutex // guards the fields below
	busy    bool       // somebody has the turn
	waiting []*turn
}

// turn is somebody's place in a line.
type turn struct {
	alone bool        // wants a transaction of its own
	comes chan *batch // has room for one; nil = begin one
}

// turn waits until it is the caller's, who has to give it away by next or join. It
// returns the batch that the caller is taken into; nil = begin one.
func (l *line) turn(ctx context.Context, alone bool) (*batch, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	t := l.queue(alone)
	if t == nil {
		return nil, nil
	}
	select {
	case b := <-t.comes:
		return b, nil
	case <-ctx.Done():
	}
	if l.quit(t) {
		return nil, ctx.Err()
	}
	return <-t.comes, nil // has come in the same moment
}

// queue returns a place at the end, nil if it is the caller's turn.
func (l *line) queue(alone bool) *turn {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.busy {
		l.busy = true
		return nil
	}
	t := &turn{alone, make(chan *batch, 1)}
	l.waiting = append(l.waiting, t)
	return t
}

// quit gives up a place, unless its turn has come.
func (l *line) quit(t *turn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.Index(l.waiting, t)
	if i >= 0 {
		l.waiting = slices.Delete(l.waiting, i, i+1)
	}
	return i >= 0
}

// join gives the turn to whoever is next, in b, and reports whether there is
// somebody who wants that.
func (l *line) join(b *batch) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.waiting) == 0 || l.waiting[0].alone {
		return false
	}
	l.first() <- b
	return true
}

// next gives the turn to whoever is next, to begin a batch.
func (l *line) next() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.waiting) == 0 {
		l.busy = false
		return
	}
	l.first() <- nil
}

// first takes the first place out of the line.
func (l *line) first() chan<- *batch {
	t := l.waiting[0]
	l.waiting = slices.Delete(l.waiting, 0, 1)
	return t.comes
}
