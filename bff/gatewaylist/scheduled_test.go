package gatewaylist_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/checkout"
	"coinslot/bff/checkout/checkouttest"
	"coinslot/bff/fortest"
	"coinslot/bff/gatewaylist"
	"coinslot/bff/payment"
)

// runStore is Runs in memory, with leases: an instance reads it thousands of times a day.
type runStore struct {
	*checkouttest.Store

	mu    sync.Mutex // guards the fields below
	rows  map[gatewaylist.RunKind]gatewaylist.RunStatus
	begun []gatewaylist.Run
}

func (r *runStore) BeginRun(
	_ context.Context, c gatewaylist.Run, now time.Time, lease time.Duration,
) (int64, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	row := r.rows[c.Kind]
	if row.Until.After(now) || row.Next.After(now) {
		return 0, gatewaylist.ErrRunning
	}
	row.Epoch++
	row.Last, row.Until = c, now.Add(lease)
	r.rows[c.Kind], r.begun = row, append(r.begun, c)
	return row.Epoch, nil
}

func (r *runStore) ExtendRun(
	_ context.Context, epoch int64, c gatewaylist.Run, until time.Time,
) error {
	return r.change(epoch, c, func(row *gatewaylist.RunStatus) { row.Until = until })
}

func (r *runStore) EndRun(
	_ context.Context, epoch int64, c gatewaylist.Run, report *gatewaylist.Report, next time.Time,
) error {
	return r.change(epoch, c, func(row *gatewaylist.RunStatus) {
		row.Until, row.Next = time.Time{}, next
		if report != nil {
			row.Report = report
		}
	})
}

func (r *runStore) change(epoch int64, c gatewaylist.Run, do func(*gatewaylist.RunStatus)) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	row := r.rows[c.Kind]
	if row.Epoch != epoch || row.Until.IsZero() {
		return payment.ErrFenced
	}
	row.Last = c
	do(&row)
	r.rows[c.Kind] = row
	return nil
}

func (r *runStore) LastRun(
	_ context.Context, kind gatewaylist.RunKind,
) (gatewaylist.RunStatus, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.rows[kind], nil
}

func newRunStore(t *testing.T) *runStore {
	return &runStore{
		Store: checkouttest.NewStore(t, time.Now),
		rows:  map[gatewaylist.RunKind]gatewaylist.RunStatus{},
	}
}

// times returns the number of runs of a kind.
func (r *runStore) times(kind gatewaylist.RunKind) (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range r.begun {
		if c.Kind == kind {
			n++
		}
	}
	return n
}

// lister is a gateway that records list queries, and can refuse them.
type lister struct {
	*checkouttest.Gateway
	mu      sync.Mutex // guards the fields below
	queries []payment.ListQuery
	refuse  func(payment.ListQuery) error // nil = nothing is refused
}

func (l *lister) Transactions(
	ctx context.Context, q payment.ListQuery,
) (payment.RecordPage, error) {
	l.mu.Lock()
	l.queries = append(l.queries, q)
	refuse := l.refuse
	l.mu.Unlock()
	if refuse != nil {
		if err := refuse(q); err != nil {
			return payment.RecordPage{}, err
		}
	}
	return l.Gateway.Transactions(ctx, q)
}

func (l *lister) answer(refuse func(payment.ListQuery) error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refuse, l.queries = refuse, nil
}

// scheduler is a shop in fake time whose instances do scheduled runs.
type scheduler struct {
	*checkouttest.Shop
	list    *lister
	book    *runStore
	records *gatewaylist.Reconciler
	running []context.CancelFunc // of instances
	ended   sync.WaitGroup
}

func withScheduler(t *testing.T, test func(t *testing.T, b *scheduler)) {
	synctest.Test(t, func(t *testing.T) {
		book := newRunStore(t)
		gateway := checkouttest.NewGateway(time.Now)
		b := &scheduler{
			Shop: &checkouttest.Shop{
				T:       t,
				Clock:   &checkouttest.Clock{},
				Gateway: gateway,
				Store:   book.Store,
			},
			list: &lister{Gateway: gateway},
			book: book,
		}
		b.start()
		test(t, b)
		b.stop()
	})
}

// start starts an instance.
func (b *scheduler) start() {
	ctx, cancel := context.WithCancel(b.T.Context())
	b.running = append(b.running, cancel)
	b.Service = checkout.New(checkout.Config{
		Store: b.Store, Gateway: b.list, Page: "https://shop.test/checkout/",
		PaymentPage: "https://pay.test/p",
	})
	b.records = gatewaylist.NewReconciler(gatewaylist.ReconcilerConfig{
		Gateway: b.list, Runs: b.book, Sessions: b.Store, Change: b.Service.Change,
		PaymentPage: "https://pay.test/p", ListPause: time.Second,
	})
	records := b.records
	b.ended.Go(func() { records.RunScheduled(ctx) })
}

// stop ends all instances.
func (b *scheduler) stop() {
	for _, cancel := range b.running {
		cancel()
	}
	b.running = nil
	b.ended.Wait()
	b.Service.Close()
	b.records.Close()
}

// pass lets d pass in steps small enough that no check is missed, and processes due payments.
func (b *scheduler) pass(d time.Duration) {
	step := max(10*time.Second, d/1000)
	for end := time.Now().Add(d); time.Now().Before(end); {
		time.Sleep(step)
		b.Clock.At = time.Now()
		b.Process()
	}
}

// dead returns a session whose attempt expired that many days ago.
func (b *scheduler) dead(days int) payment.Session {
	b.T.Helper()
	s := b.Chosen("25", checkouttest.USDT())
	b.pass(time.Duration(days) * 24 * time.Hour)
	b.WantStatus(s.ID, wire.Expired)
	return s
}

// Payments after the last late check are reported within a day, full or partial.
func TestDailyRunFindsLateMoney(t *testing.T) {
	for _, c := range []struct {
		paid   string
		status wire.Status
		event  payment.EventType
	}{{"25", wire.Confirmed, payment.EventConfirmed}, {"3", wire.Expired, payment.EventPartial}} {
		t.Run(c.paid, func(t *testing.T) {
			withScheduler(t, func(t *testing.T, b *scheduler) {
				s := b.dead(10)
				b.pass(24 * time.Hour)
				b.WantEvents(s.ID, payment.EventPending, payment.EventExpired)
				b.Gateway.Pay("T00001", checkouttest.Dec(c.paid), "0xa")
				b.pass(23 * time.Hour)
				b.WantStatus(s.ID, c.status)
				b.WantEvents(s.ID, payment.EventPending, payment.EventExpired, c.event)
				fortest.Equal(t, b.Load(s.ID).Attempts[0].Late, c.status == wire.Confirmed, "late")
				known, err := b.records.Status(t.Context(), gatewaylist.Daily)
				if err != nil || known.Report.Progress.Late != 1 || known.Report.Transactions != 1 {
					t.Errorf("report = %+v, %v; want one payment of one transaction", known.Report,
						err)
				}
				reads := b.Gateway.Calls("status")
				b.pass(48 * time.Hour)
				n := b.Gateway.Calls("status") - reads
				if n > 5 { // the checks of a confirmed payment
					t.Errorf("%d status reads in the next days; want no more for what is known", n)
				}
			})
		})
	}
}

// Further payments for a confirmed session are reported.
func TestDailyRunFindsMoreMoney(t *testing.T) {
	withScheduler(t, func(t *testing.T, b *scheduler) {
		s := b.Chosen("25", checkouttest.USDT())
		b.Gateway.Pay("T00001", checkouttest.Dec("25"), "0xa")
		b.pass(10 * 24 * time.Hour)
		b.Gateway.Pay("T00001", checkouttest.Dec("25"), "0xa")
		b.pass(24*time.Hour + 5*time.Minute)
		b.WantStatus(s.ID, wire.Confirmed)
		b.WantEvents(s.ID, payment.EventPending, payment.EventConfirmed, payment.EventReview)
	})
}

// The list proves nothing.
func TestListConfirmsNothing(t *testing.T) {
	withScheduler(t, func(t *testing.T, b *scheduler) {
		s := b.dead(10)
		b.Gateway.MangleStatus = func(r *payment.Record) { // of status reads
			r.Status = "expired"
			r.PaidAmount = ""
			r.Paid = checkouttest.Dec("0")
			r.PaidReadable = false
			r.TxID, r.PaidAt = "", time.Time{}
		}
		b.Gateway.Pay("T00001", checkouttest.Dec("25"), "0xa")
		b.Gateway.Set("T00001", func(tx *checkouttest.Transaction) { tx.Status = "confirmed" })
		reads := b.Gateway.Calls("status")
		b.pass(25 * time.Hour)
		if n := b.Gateway.Calls("status") - reads; n == 0 {
			t.Error("the status was not read")
		}
		b.WantStatus(s.ID, wire.Expired)
		b.WantEvents(s.ID, payment.EventPending, payment.EventExpired)
		if a := b.Load(s.ID).Attempts[0]; !a.Paid.IsZero() || a.TxID != "" {
			t.Errorf("the list has changed the attempt: %s paid by %q", a.Paid, a.TxID)
		}
	})
}

// Between late checks, the list is read every hour.
func TestHourlyRunFindsLateMoney(t *testing.T) {
	withScheduler(t, func(t *testing.T, b *scheduler) {
		s := b.Chosen("25", checkouttest.USDT())
		b.pass(30*time.Minute + 9*time.Hour)
		b.WantStatus(s.ID, wire.Expired)
		b.Gateway.Pay("T00001", checkouttest.Dec("25"), "0xa")
		b.pass(65 * time.Minute)
		b.WantStatus(s.ID, wire.Confirmed)
	})
}

// All instances together do one daily run, however often they restart.
func TestDailyRunHappensOnce(t *testing.T) {
	withScheduler(t, func(t *testing.T, b *scheduler) {
		b.Chosen("25", checkouttest.USDT())
		b.start()
		b.pass(3*24*time.Hour + time.Hour)
		fortest.Equal(t, b.book.times(gatewaylist.Daily), 4, "daily runs in three days")
		for range 20 {
			b.stop()
			b.start()
			b.start()
			b.pass(time.Hour)
		}
		fortest.Equal(t, b.book.times(gatewaylist.Daily), 4, "daily runs after many starts")
		if n := b.book.times(gatewaylist.Hourly); n < 92 || n > 95 {
			t.Errorf("%d hourly runs in 93 hours", n)
		}
	})
}

// A failed run resumes later, also after a restart or at another instance.
func TestDailyRunResumes(t *testing.T) {
	withScheduler(t, func(t *testing.T, b *scheduler) {
		s := b.dead(10)
		b.addUnknown(120)
		b.Gateway.Pay("T00001", checkouttest.Dec("25"), "0xa")
		broken := func(q payment.ListQuery) error {
			if q.Page == 3 {
				return checkouttest.LostAnswer()
			}
			return nil
		}
		daily := func() gatewaylist.RunStatus {
			t.Helper()
			known := fortest.Must(b.records.Status(t.Context(), gatewaylist.Daily))(t)
			return known
		}
		for !daily().Next.Before(time.Now().Add(5 * time.Minute)) {
			b.pass(time.Minute)
		}
		b.list.answer(broken)
		b.pass(3 * time.Hour)
		known := daily()
		if known.State(time.Now()) != gatewaylist.Failed || known.Last.Progress.Page != 2 ||
			known.Last.Failures < 5 || known.Last.Failures > 9 {
			t.Fatalf("after hours of failure: %+v", known.Last)
		}
		b.WantStatus(s.ID, wire.Expired)
		b.stop()
		b.list.answer(nil)
		b.start()
		b.pass(65 * time.Minute)
		b.WantStatus(s.ID, wire.Confirmed)
		known = daily()
		if known.State(time.Now()) != gatewaylist.Done || known.Last.Failures != 0 {
			t.Errorf("at the end: %+v", known.Last)
		}
		var pages []string
		b.list.mu.Lock()
		defer b.list.mu.Unlock()
		for _, q := range b.list.queries {
			if q.To.Equal(known.Last.To) && q.From.Before(known.Last.To.AddDate(0, 0, -10)) {
				pages = append(pages, fmt.Sprint(q.Page))
			}
		}
		fortest.Diff(t, pages, []string{"1", "2", "3"}, "pages that were read after the failure")
	})
}

// addUnknown adds n transactions of another program to the gateway.
func (b *scheduler) addUnknown(n int) {
	for range n {
		b.Gateway.Add(payment.CreateRequest{
			CurrencySymbol: "USDT",
			NetworkCode:    "trc20",
			AmountUSD:      checkouttest.Dec("1"),
			TTL:            30,
			Comment:        "-",
		})
	}
}

// An interrupted run is taken over at once.
func TestDailyRunIsTakenOver(t *testing.T) {
	withScheduler(t, func(t *testing.T, b *scheduler) {
		b.addUnknown(5000)
		b.pass(90 * time.Second)
		b.stop()
		known, err := b.records.Status(t.Context(), gatewaylist.Daily)
		if err != nil || known.State(time.Now()) != gatewaylist.Aborted ||
			known.Last.Progress.Page < 20 {
			t.Fatalf("after the end: %+v, %v", known, err)
		}
		b.start()
		b.pass(3 * time.Minute)
		known, err = b.records.Status(t.Context(), gatewaylist.Daily)
		if err != nil || known.State(time.Now()) != gatewaylist.Done {
			t.Fatalf("state = %+v, %v; want done", known, err)
		}
		if n := known.Report.Transactions; n != 5000 {
			t.Errorf("%d transactions were read; want each once", n)
		}
	})
}

// Every day of a long history is read, in ranges that the gateway accepts.
func TestDailyRunReadsAll(t *testing.T) {
	withScheduler(t, func(t *testing.T, b *scheduler) {
		began := time.Now()
		b.Chosen("25", checkouttest.USDT())
		time.Sleep(300 * 24 * time.Hour)
		b.list.answer(nil)
		time.Sleep(24 * time.Hour)
		b.list.mu.Lock()
		defer b.list.mu.Unlock()
		var days []time.Time
		for _, q := range b.list.queries {
			if q.To.Sub(q.From) > 30*24*time.Hour || q.Status != "" || q.Limit != 50 {
				t.Errorf("asked for %+v", q)
			}
			for day := q.From; day.Before(q.To); day = day.AddDate(0, 0,
				1) { // if the second date is left out
				days = append(days, day)
			}
		}
		for day := began.AddDate(
			0,
			0,
			-1,
		).Truncate(24 * time.Hour); day.Before(time.Now().AddDate(0, 0,
			1)); day = day.AddDate(0, 0, 1) {
			if !slices.ContainsFunc(days, day.Equal) {
				t.Errorf("%s was not read", day.Format(time.DateOnly))
			}
		}
		if n := len(b.list.queries); n < 11 || n > 12+25 {
			t.Errorf("%d pages in a day; want 11 or 12, and one an hour", n)
		}
	})
}

// Days whose list contradicts itself fail the run, and all others are read.
func TestDailyRunSkipsWhatIsUnreadable(t *testing.T) {
	withScheduler(t, func(t *testing.T, b *scheduler) {
		s := b.dead(40) // in the second part of the list
		b.addUnknown(1)
		b.stop()
		wrong := &wrongTotal{b.list}
		b.records = gatewaylist.NewReconciler(gatewaylist.ReconcilerConfig{
			Gateway: wrong, Runs: b.book, Sessions: b.Store, Change: b.Service.Change,
		})
		ctx, cancel := context.WithCancel(t.Context())
		b.running = append(b.running, cancel)
		records := b.records
		b.ended.Go(func() { records.RunScheduled(ctx) })
		b.Gateway.Pay("T00001", checkouttest.Dec("25"), "0xa")
		b.pass(25 * time.Hour)
		b.WantStatus(s.ID, wire.Confirmed)
		known, err := b.records.Status(t.Context(), gatewaylist.Daily)
		if err != nil || known.State(time.Now()) != gatewaylist.Failed || known.Last.Failures > 32 {
			t.Errorf("%+v, %v; want a failed run, retried every hour at last", known.Last, err)
		}
	})
}

// A run that could not read some days, and then failed at others, reads the former again when it is
// resumed: it is not complete without them.
func TestDailyRunReadsUnreadableDaysAgain(t *testing.T) {
	withScheduler(t, func(t *testing.T, b *scheduler) {
		b.dead(100)
		b.stop()
		before := fortest.Must(b.records.Status(t.Context(), gatewaylist.Daily))(t)
		b.records = gatewaylist.NewReconciler(gatewaylist.ReconcilerConfig{
			Gateway: &wrongTotal{b.list}, Runs: b.book, Sessions: b.Store, Change: b.Service.Change,
		})
		ctx, cancel := context.WithCancel(t.Context())
		b.running = append(b.running, cancel)
		records := b.records
		b.ended.Go(func() { records.RunScheduled(ctx) })
		oldest := time.Now().AddDate(0, 0, -60)
		b.list.answer(func(q payment.ListQuery) error {
			if q.To.Before(oldest) {
				return checkouttest.LostAnswer()
			}
			return nil
		})
		b.pass(25 * time.Hour)
		known := fortest.Must(b.records.Status(t.Context(), gatewaylist.Daily))(t)
		if known.State(time.Now()) != gatewaylist.Failed {
			t.Fatalf("while old days fail: %+v; want a failed run", known.Last)
		}

		b.list.answer(nil)
		b.pass(2 * time.Hour)
		known = fortest.Must(b.records.Status(t.Context(), gatewaylist.Daily))(t)
		if known.State(time.Now()) != gatewaylist.Failed ||
			!known.Report.Ended.Equal(before.Report.Ended) {
			t.Errorf("without the last days: %+v, report of %s; want a failed run", known.Last,
				known.Report.Ended)
		}
		b.list.mu.Lock()
		defer b.list.mu.Unlock()
		if !slices.ContainsFunc(b.list.queries, func(q payment.ListQuery) bool {
			return q.To.After(time.Now()) && q.To.Sub(q.From) > 20*24*time.Hour
		}) {
			t.Error("the days that could not be read were not read again")
		}
	})
}

// wrongTotal has one transaction less than its total, in the last days.
type wrongTotal struct{ *lister }

func (l *wrongTotal) Transactions(
	ctx context.Context, q payment.ListQuery,
) (payment.RecordPage, error) {
	page, err := l.lister.Transactions(ctx, q)
	if q.To.After(time.Now()) {
		page.Total++
	}
	return page, err
}

// A list of identical pages fails the run.
func TestListThatRepeatsItself(t *testing.T) {
	withScheduler(t, func(t *testing.T, b *scheduler) {
		b.addUnknown(120)
		b.list.answer(nil)
		stuck := &stuckList{b.list}
		b.stop()
		b.records = gatewaylist.NewReconciler(gatewaylist.ReconcilerConfig{
			Gateway: stuck, Runs: b.book, Sessions: b.Store, Change: b.Service.Change,
		})
		ctx, cancel := context.WithCancel(t.Context())
		b.running = append(b.running, cancel)
		records := b.records
		b.ended.Go(func() { records.RunScheduled(ctx) })
		b.pass(5 * time.Minute)
		known, err := b.records.Status(t.Context(), gatewaylist.Daily)
		if err != nil || known.State(time.Now()) != gatewaylist.Failed {
			t.Errorf("%+v, %v; want a failed run", known, err)
		}
	})
}

// stuckList always returns its first page.
type stuckList struct{ *lister }

func (s *stuckList) Transactions(
	ctx context.Context, q payment.ListQuery,
) (payment.RecordPage, error) {
	q.Page = 1
	return s.lister.Transactions(ctx, q)
}

// A payment an hour after the end is found an hour later, and a delayed check replaces those
// before it.
func TestLateChecksOfTheFirstDay(t *testing.T) {
	t.Parallel()
	h := checkouttest.NewShop(t)
	s := h.Chosen("25", checkouttest.USDT())
	h.Run(30*time.Minute + 65*time.Minute)
	h.WantStatus(s.ID, wire.Expired)
	h.Gateway.Pay("T00001", checkouttest.Dec("25"), "0xa")
	h.Run(time.Hour)
	h.WantStatus(s.ID, wire.Confirmed)

	s = h.Chosen("25", checkouttest.USDT())
	h.Run(30*time.Minute + 65*time.Minute)
	h.Clock.Move(22 * time.Hour) // nothing is processed
	checks := h.Gateway.Calls("recheck")
	h.Run(30 * time.Minute)
	h.WantCallsSince(checks, "recheck", 1)
	fortest.Equal(t, h.Load(s.ID).Attempts[0].ChecksDone, 6, "counted as checks")
}
