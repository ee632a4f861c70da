package sqldb

import (
	"context"
	"database/sql"
	"fmt"
	"sync"
)

// maxParts bounds how many callers share a transaction, and so how long the first of them waits.
const maxParts = 64

// batch is a transaction that several callers share, because SQLite has one writer: each runs a
// part of it, in the order in which they came, and one sync of the disk is enough for all of them.
//
// A part that fails is rolled back alone. No caller gets its result before the commit, not
// even one whose part failed: it may have read what another part wrote. A commit that fails
// has failed for all.
type batch struct {
	*transaction
	parts  int            // that were begun
	undone bool           // rolled back as a whole before the commit
	open   sync.WaitGroup // until the end of the transaction
	err    error          // of the commit; known at the end
}

type part struct {
	ctx     context.Context // of the caller
	fn      func(tx *sql.Tx) error
	alone   bool           // needs a transaction of its own
	granted chan *batch    // gets the batch when the part may run; one slot
	runs    sync.WaitGroup // until the caller has run fn
	err     error          // why there is no batch; granted is closed then
}

// writeBatched is Write for a database with one writer.
//
// Some failures roll back the whole transaction: a full disk, a caller whose context ends
// during a statement. Then each part runs again in a transaction of its own, and its caller
// gets the result of that.
func (db *DB) writeBatched(ctx context.Context, fn func(tx *sql.Tx) error) error {
	db.batching.Do(func() { go db.runBatches() })
	for alone := false; ; alone = true {
		p := &part{ctx: ctx, fn: fn, alone: alone, granted: make(chan *batch, 1)}
		p.runs.Add(1)
		if err := db.enqueue(p); err != nil {
			return fmt.Errorf("waiting for the writer: %w", err)
		}
		b, ok := <-p.granted
		if !ok {
			return fmt.Errorf("waiting for the writer: %w", p.err)
		}
		err := p.run(b)
		b.open.Wait()
		switch {
		case b.err != nil:
			return b.err
		case b.undone && b.parts > 1:
			continue
		}
		return err
	}
}

// enqueue waits until p is taken out of the queue. Errors: those of the caller's ctx; the
// database is closed.
func (db *DB) enqueue(p *part) error {
	if err := p.ctx.Err(); err != nil {
		return err
	}
	select {
	case db.parts <- p:
		return nil
	case <-p.ctx.Done():
		return p.ctx.Err()
	case <-db.open.Done():
		return sql.ErrConnDone
	}
}

func (db *DB) runBatches() {
	for {
		select {
		case p := <-db.parts:
			for p != nil {
				p = db.runBatch(p)
			}
		case <-db.open.Done():
			return
		}
	}
}

// runBatch runs first, and the parts that wait by then, in one transaction. It returns a
// part that needs one of its own; nil if there is none.
func (db *DB) runBatch(first *part) (next *part) {
	b, err := db.newBatch(first.ctx)
	if err != nil {
		first.err = err
		close(first.granted)
		return nil
	}
	for p := first; p != nil; {
		b.parts++
		p.granted <- b
		p.runs.Wait()
		alone := p.alone || b.undone || b.parts == maxParts
		if p = nil; !alone {
			select {
			case p = <-db.parts:
			default: // no one waits
			}
		}
		if p != nil && p.alone {
			next, p = p, nil
		}
	}
	if !b.undone {
		b.err = b.commit()
	}
	b.end()
	_ = b.conn.Close() // gives it back to the pool
	b.open.Done()
	return next
}

// newBatch begins a batch, after a commit of unknown outcome was superseded.
func (db *DB) newBatch(ctx context.Context) (*batch, error) {
	conn, err := db.Writer.Conn(ctx)
	if err != nil {
		return nil, err
	}
	var t *transaction
	if err = db.supersedeUnknown(ctx, conn); err == nil {
		t, err = db.begin(ctx, conn)
	}
	if err != nil {
		_ = conn.Close() // gives it back to the pool
		return nil, err
	}
	b := &batch{transaction: t}
	b.open.Add(1)
	return b, nil
}

// supersedeUnknown makes sure that an earlier commit of unknown outcome, if there is one,
// cannot appear any more.
func (db *DB) supersedeUnknown(ctx context.Context, conn *sql.Conn) error {
	if !db.unknown.Load() {
		return nil
	}
	if err := db.transact(
		ctx, conn, func(tx *sql.Tx) error { return db.Dialect.supersede(ctx, tx) },
	); err != nil {
		return fmt.Errorf("superseding a commit of unknown outcome: %w", err)
	}
	db.unknown.Store(false)
	return nil
}

// run runs fn as the part of b that was begun last. When it returns, the next part may run.
func (p *part) run(b *batch) error {
	defer p.runs.Done()
	kept := false
	defer func() {
		if !kept {
			b.undo(p.ctx)
		}
	}()
	if err := b.mark(p.ctx, `SAVEPOINT part`); err != nil {
		return err
	}
	if err := p.fn(b.tx); err != nil {
		return err
	}
	err := b.mark(p.ctx, `RELEASE part`)
	kept = err == nil
	return err
}

// mark runs a statement that separates the parts. The first part needs none: it is alone
// until it ends.
func (b *batch) mark(ctx context.Context, statement string) error {
	if b.parts == 1 {
		return nil
	}
	_, err := b.tx.ExecContext(context.WithoutCancel(ctx), statement)
	return err
}

// undo rolls back the part that was begun last, or the whole transaction if that is not possible.
func (b *batch) undo(ctx context.Context) {
	if b.parts > 1 && b.mark(ctx, `ROLLBACK TO part`) == nil && b.mark(ctx, `RELEASE part`) == nil {
		return
	}
	b.undone = true
}
