package reconcile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"coinslot/bff/internal/background"
	"coinslot/bff/listing"
	"coinslot/bff/payment"
)

const (
	dailyEvery  = 24 * time.Hour
	hourlyEvery = time.Hour
	// hourlySpan is how far back the hourly run reads. dateSlack extends its dates, whose
	// time zone is not documented.
	hourlySpan = 24 * time.Hour
	dateSlack  = 48 * time.Hour
	// A failed run is retried after firstRetry, doubling up to lastRetry.
	firstRetry = time.Minute
	lastRetry  = time.Hour
)

func (k Kind) interval() time.Duration {
	if k == Hourly {
		return hourlyEvery
	}
	return dailyEvery
}

// RunScheduled does the daily and the hourly run whenever they are due, at one instance at a
// time, until ctx ends; it always returns nil. Each reads the gateway's list and schedules a
// check of every payment whose record shows unknown money. Failures are logged and retried.
func (c *Service) RunScheduled(ctx context.Context) error {
	if c.Runs == nil {
		return nil
	}
	var running sync.WaitGroup
	for _, kind := range []Kind{Daily, Hourly} {
		running.Go(func() {
			for background.Sleep(ctx, cmp.Or(c.Schedule.ReconcileInterval, time.Minute)) {
				if err := c.runIfDue(ctx, kind); err != nil && ctx.Err() == nil {
					c.Log.WarnContext(ctx, "starting a reconciliation failed",
						"kind", kind, "error", err)
				}
			}
		})
	}
	running.Wait()
	return nil
}

// LastDaily returns when the daily run was last complete, or, if it never was, when the oldest
// session was created; zero = there is none. Errors: the store's.
func (c *Service) LastDaily(ctx context.Context) (time.Time, error) {
	known, err := c.Status(ctx, Daily)
	switch {
	case err != nil:
		return time.Time{}, err
	case known.Report != nil:
		return known.Report.Ended, nil
	}
	return c.Runs.OldestSession(ctx)
}

// runIfDue does the run of a kind unless it is too soon, or another instance is running it.
// Errors: the store's, while starting.
func (c *Service) runIfDue(ctx context.Context, kind Kind) error {
	known, err := c.Status(ctx, kind)
	if err != nil || !known.due(c.Now()) {
		return err
	}
	now := c.Now().UTC()
	run := known.Last
	if !run.resumes(kind, now) {
		if run, err = c.newRun(ctx, kind, now); err != nil {
			return err
		}
	}
	run.Ended, run.Failed = time.Time{}, false
	epoch, err := c.Runs.BeginRun(ctx, run, now, runLease)
	if errors.Is(err, ErrRunning) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("starting a reconciliation: %w", err)
	}
	c.runScheduled(ctx, epoch, run)
	return nil
}

func (c Status) due(now time.Time) bool {
	return !c.Until.After(now) && (!c.Next.After(now) || c.Next.After(now.Add(MaxPause)))
}

// resumes reports whether the next run continues where c stopped, unless c is older than two
// intervals.
func (c Run) resumes(kind Kind, now time.Time) bool {
	open := !c.Began.IsZero() && (c.Ended.IsZero() || c.Failed)
	return open && !c.Began.After(now) && now.Sub(c.Began) < 2*kind.interval()
}

// newRun returns a scheduled run from its beginning. The daily one goes back to the oldest
// session: older transactions are not ours.
func (c *Service) newRun(ctx context.Context, kind Kind, now time.Time) (Run, error) {
	since := now.Add(-hourlySpan)
	if kind == Daily {
		oldest, err := c.Runs.OldestSession(ctx)
		if err != nil {
			return Run{}, err
		}
		if !oldest.IsZero() && oldest.Before(since) {
			since = oldest
		}
	}
	return Run{
		Kind: kind, By: "coinslot", Began: now,
		From: since.Add(-dateSlack).Truncate(24 * time.Hour),
		To:   now.Add(dateSlack).Truncate(24 * time.Hour),
	}, nil
}

// next returns when the run after c, which ended at now, may start; zero = at any time.
func (c Run) next(now time.Time) time.Time {
	switch {
	case c.Kind == Requested || c.Ended.IsZero():
		return time.Time{}
	case c.Failed:
		return now.Add(min(firstRetry<<min(c.Failures-1, 10), lastRetry))
	}
	return c.Began.Add(c.Kind.interval())
}

func (c *Service) runScheduled(ctx context.Context, epoch int64, run Run) {
	reading, stop := context.WithCancel(ctx)
	defer stop()
	counter := &progressCounter{Lister: c.Gateway, current: run.Progress}
	var reporting sync.WaitGroup
	reporting.Go(func() { c.reportProgress(reading, stop, epoch, run, counter) })
	err := c.readList(reading, counter, run)
	stop()
	reporting.Wait()
	progress := counter.progress()
	if !progress.Day.Equal(run.Progress.Day) || progress.Page > run.Progress.Page {
		run.Failures = 0
	}
	run.Progress = progress
	result := Result{From: run.From, To: run.To, Transactions: run.Progress.Transactions}
	c.finish(ctx, epoch, run, result, err)
}

// readList reads the gateway's list in the days of run. It starts one page before the progress
// of run, to notice a repeated page. Errors: ctx's; the gateway's; the store's.
func (c *Service) readList(ctx context.Context, counter *progressCounter, run Run) error {
	list, known := newestFirst(run.From, run.To), run.Progress.Page
	first := slices.IndexFunc(list, func(q payment.ListQuery) bool {
		return q.To.Equal(run.Progress.Day)
	})
	if first < 0 {
		first, known = 0, 0
	}
	for _, q := range list[first:] {
		q.Page = max(known-1, 1)
		if err := c.readDays(ctx, counter, q, known); err != nil {
			return err
		}
		known = 0
	}
	return nil
}

// newestFirst splits a range into lengths that the gateway accepts, at most thirty days, newest
// first. Neighbors share a day: whether the second date is included is not documented. Source:
// gateway-api.md, "Limits".
func newestFirst(from, to time.Time) (list []payment.ListQuery) {
	for {
		start := to.AddDate(0, 0, -28)
		if start.Before(from) {
			start = from
		}
		list = append(list, payment.ListQuery{Limit: 50, From: start, To: to})
		if to = start; !to.After(from) {
			return list
		}
	}
}

// readDays reads the pages of q from q.Page on; those up to known were read before. A
// transaction missed because the list moves is found by the next run. Errors: ctx's; the
// gateway's; the store's; a page that repeats the one before.
func (c *Service) readDays(
	ctx context.Context, counter *progressCounter, q payment.ListQuery, known int,
) error {
	for last := ""; ; q.Page++ {
		page, err := listing.ReadPage(ctx, counter, q)
		if err != nil {
			return err
		}
		if len(page.Items) == 0 {
			return nil
		}
		if page.Items[0].TrackingCode == last {
			return fmt.Errorf("page %d of the transaction list repeats the page before", q.Page)
		}
		last = page.Items[0].TrackingCode
		if q.Page > known {
			counter.update(func(p *Progress) { p.Transactions += len(page.Items) })
		}
		if err := c.followUpMoney(ctx, counter, page.Items); err != nil {
			return err
		}
		if q.Page >= page.LastPage && (page.LastPage > 0 || len(page.Items) < q.Limit) {
			return nil
		}
		if !background.Sleep(ctx, c.ListPause) {
			return ctx.Err()
		}
	}
}

// followUpMoney schedules checks of payments whose records show unknown money. Errors: the store's.
func (c *Service) followUpMoney(
	ctx context.Context, counter *progressCounter, records []payment.Record,
) error {
	rows := map[string]payment.Record{}
	for _, r := range records {
		if r.ShowsMoney() {
			rows[r.TrackingCode] = r
		}
	}
	if len(rows) == 0 {
		return nil
	}
	sessions, err := c.Sessions.Tracked(ctx, slices.Collect(maps.Keys(rows)))
	if err != nil {
		return fmt.Errorf("looking up listed payments: %w", err)
	}
	env := c.Gateway.Environment()
	for _, s := range sessions {
		counter.update(func(p *Progress) { p.Payments++ })
		if len(s.OutdatedAttempts(rows, env, c.Schedule, c.Now())) == 0 {
			continue
		}
		followed := 0
		_, err := c.Change(ctx, payment.Session{ID: s.ID},
			func(s *payment.Session, now time.Time) error {
				if followed = s.FollowUpListed(rows, env, c.Schedule, now); followed == 0 {
					return payment.ErrUnchanged
				}
				return nil
			})
		if err != nil {
			return err
		}
		if followed > 0 {
			counter.update(func(p *Progress) { p.Late++ })
			c.Log.InfoContext(ctx, "gateway lists an unknown payment", "session", s.ID)
		}
	}
	return nil
}
