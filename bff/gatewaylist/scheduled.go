package gatewaylist

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

func (k RunKind) interval() time.Duration {
	if k == Hourly {
		return hourlyEvery
	}
	return dailyEvery
}

// RunScheduled does the daily and the hourly run whenever they are due, at one instance at a
// time, until ctx ends; it always returns nil. Each reads the gateway's list and schedules a
// check of every payment whose record shows unknown money. Failures are logged and retried.
func (r *Reconciler) RunScheduled(ctx context.Context) error {
	var running sync.WaitGroup
	for _, kind := range []RunKind{Daily, Hourly} {
		running.Go(func() {
			for background.Sleep(ctx, cmp.Or(r.Schedule.ReconcileInterval, time.Minute)) {
				err := r.runIfDue(ctx, kind)
				if err != nil && ctx.Err() == nil {
					r.Log.WarnContext(ctx, "starting a reconciliation failed",
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
func (r *Reconciler) LastDaily(ctx context.Context) (time.Time, error) {
	known, err := r.Status(ctx, Daily)
	switch {
	case err != nil:
		return time.Time{}, err
	case known.Report != nil:
		return known.Report.Ended, nil
	}
	return r.Runs.OldestSession(ctx)
}

// runIfDue does the run of a kind unless it is too soon, or another instance is running it.
// Errors: the store's, while starting.
func (r *Reconciler) runIfDue(ctx context.Context, kind RunKind) error {
	known, err := r.Status(ctx, kind)
	if err != nil || !known.due(r.Now()) {
		return err
	}

	now := r.Now().UTC()
	run := known.Last
	if !run.resumes(kind, now) {
		run, err = r.newRun(ctx, kind, now)
		if err != nil {
			return err
		}
	}

	run.Ended = time.Time{}
	run.Failed = false
	lease, err := r.begin(ctx, run)
	if errors.Is(err, ErrRunning) {
		return nil
	}
	if err != nil {
		return err
	}

	err = r.readList(ctx, lease)
	result := Result{
		From:         run.From,
		To:           run.To,
		Transactions: lease.run.Progress.Transactions,
	}
	r.finish(ctx, lease, result, err)
	return nil
}

func (s RunStatus) due(now time.Time) bool {
	return !s.Until.After(now) && (!s.Next.After(now) || s.Next.After(now.Add(MaxPause)))
}

// resumes reports whether the next run continues where r stopped, unless r is older than two
// intervals.
func (r Run) resumes(kind RunKind, now time.Time) bool {
	open := !r.Began.IsZero() && (r.Ended.IsZero() || r.Failed)
	return open && !r.Began.After(now) && now.Sub(r.Began) < 2*kind.interval()
}

// newRun returns a scheduled run from its beginning. The daily one goes back to the oldest
// session: older transactions are not ours.
func (r *Reconciler) newRun(ctx context.Context, kind RunKind, now time.Time) (Run, error) {
	since := now.Add(-hourlySpan)
	if kind == Daily {
		oldest, err := r.Runs.OldestSession(ctx)
		if err != nil {
			return Run{}, err
		}
		if !oldest.IsZero() && oldest.Before(since) {
			since = oldest
		}
	}

	return Run{
		Kind:  kind,
		By:    "coinslot",
		Began: now,
		From:  since.Add(-dateSlack).Truncate(24 * time.Hour),
		To:    now.Add(dateSlack).Truncate(24 * time.Hour),
	}, nil
}

// next returns when the run after r, which ended at now, may start; zero = at any time.
func (r Run) next(now time.Time) time.Time {
	switch {
	case r.Kind == Requested || r.Ended.IsZero():
		return time.Time{}
	case r.Failed:
		doublings := min(r.Failures-1, 10)
		return now.Add(min(firstRetry<<doublings, lastRetry))
	}
	return r.Began.Add(r.Kind.interval())
}

// readList reads the gateway's list in the days of a run, newest first, from where its progress
// is. Days that cannot be read completely are logged, and fail the run once the others are read.
// Errors: ctx's; the gateway's; the store's; ErrUnreadable.
func (r *Reconciler) readList(ctx context.Context, l *lease) error {
	from := l.run.From
	to := l.run.To
	if day := l.run.Progress.Day; !day.IsZero() {
		to = day
	}

	failures := l.run.Failures
	var unreadable error
	var firstUnread time.Time // last day of the first part that was not read; zero = none
	for days := newestFirst(from, to); len(days) > 0; {
		q := days[0]
		days = days[1:]
		err := r.readDays(ctx, l, q, firstUnread)
		if halves, ok := split(q, err); ok {
			days = append(halves, days...)
			continue
		}
		if errors.Is(err, ErrUnreadable) {
			err = fmt.Errorf("%s: %w", daysOf(q), err)
			r.Log.WarnContext(ctx, "gateway's transaction list was not searched",
				"days", daysOf(q), "error", err)
			unreadable = errors.Join(unreadable, err)
			firstUnread = cmp.Or(firstUnread, q.To)
			continue
		}
		if err != nil {
			return err
		}
	}
	if unreadable != nil {
		l.run.Progress = Progress{} // the next run begins anew
		l.run.Failures = failures
	}

	return unreadable
}

// readDays reads the pages of q. A resumed run begins at firstUnread, unless that is zero. Errors:
// those of a Reader; the store's; payment.ErrFenced.
func (r *Reconciler) readDays(
	ctx context.Context, l *lease, q payment.ListQuery, firstUnread time.Time,
) error {
	progress := l.run.Progress
	progress.Day = cmp.Or(firstUnread, q.To)
	list := NewReader(r.Gateway, q)
	for list.Next(ctx) {
		ours, late, err := r.followUpMoney(ctx, list.Page.Items)
		if err != nil {
			return err
		}

		progress.Payments += ours
		progress.Late += late
		progress.Page = list.Number
		progress.Pages = list.Page.LastPage
		if err := l.report(ctx, progress); err != nil {
			return err
		}
		if !background.Sleep(ctx, r.ListPause) {
			return ctx.Err()
		}
	}
	if err := list.Err(); err != nil {
		return err
	}

	l.run.Progress.Transactions += list.Transactions()
	l.run.Progress.Day = cmp.Or(firstUnread, q.From)
	l.run.Failures = 0
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
		list = append(list, payment.ListQuery{From: start, To: to})
		to = start
		if !to.After(from) {
			return list
		}
	}
}

// split halves the days of q, newest first, if err says that their list is too long. One day
// cannot be split.
func split(q payment.ListQuery, err error) (halves []payment.ListQuery, ok bool) {
	days := int(q.To.Sub(q.From) / (24 * time.Hour))
	if !errors.Is(err, errTooLong) || days < 2 {
		return nil, false
	}
	middle := q.From.AddDate(0, 0, days/2)
	return []payment.ListQuery{{From: middle, To: q.To}, {From: q.From, To: middle}}, true
}

// daysOf names the days of q.
func daysOf(q payment.ListQuery) string {
	return q.From.Format(time.DateOnly) + " to " + q.To.Format(time.DateOnly)
}

// followUpMoney schedules checks of payments whose records show unknown money. It returns how many
// payments of ours show money, and how many of those were scheduled. Errors: the store's.
func (r *Reconciler) followUpMoney(
	ctx context.Context, records []payment.Record,
) (ours, late int, err error) {
	rows := map[string]payment.Record{}
	for _, record := range records {
		if record.ShowsMoney() {
			rows[record.TrackingCode] = record
		}
	}
	if len(rows) == 0 {
		return 0, 0, nil
	}

	sessions, err := r.Sessions.Tracked(ctx, slices.Collect(maps.Keys(rows)))
	if err != nil {
		return 0, 0, fmt.Errorf("looking up listed payments: %w", err)
	}

	env := r.Gateway.Environment()
	for _, s := range sessions {
		if len(s.OutdatedAttempts(rows, env, r.Schedule, r.Now())) == 0 {
			continue
		}

		followed := 0
		_, err := r.Change(ctx, s.ID, func(s *payment.Session, now time.Time) error {
			followed = s.FollowUpListed(rows, env, r.Schedule, now)
			if followed == 0 {
				return payment.ErrUnchanged
			}
			return nil
		})
		if err != nil {
			return len(sessions), late, err
		}
		if followed > 0 {
			late++
			r.Log.InfoContext(ctx, "gateway lists an unknown payment", "session", s.ID)
		}
	}

	return len(sessions), late, nil
}
