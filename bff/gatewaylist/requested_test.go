package gatewaylist_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/checkout/checkouttest"
	"coinslot/bff/fortest"
	"coinslot/bff/gatewaylist"
	"coinslot/bff/payment"
)

// slowRecords is a gateway whose list takes three seconds a page, or forever.
type slowRecords struct {
	gatewaylist.GatewayRecords
	pages int          // 0 = it never comes
	asked atomic.Int64 // that are waited for now
}

func (b *slowRecords) Transactions(
	ctx context.Context, q payment.ListQuery,
) (page payment.RecordPage, err error) {
	b.asked.Add(1)
	defer b.asked.Add(-1)
	comes := time.NewTimer(3 * time.Second)
	if b.pages == 0 {
		comes.Stop()
	}
	select {
	case <-comes.C:
	case <-ctx.Done():
		return page, ctx.Err()
	}
	page = payment.RecordPage{Page: q.Page, LastPage: b.pages, Total: 50*b.pages - 1}
	for n := range 50 {
		page.Items = append(page.Items, payment.Record{
			TrackingCode: fmt.Sprint(q.Page, ".", n),
			Status:       strings.Repeat("\u00e9", 1000),
			Comment:      "cs-aaaaaaaaaaaaaaaaaaaa",
		})
	}
	if q.Page == b.pages {
		page.Items = page.Items[1:]
	}
	return page, nil
}

// withRun tests a run that was just started, in fake time.
func withRun(
	t *testing.T, pages int, test func(t *testing.T, c *gatewaylist.Reconciler, known func() gatewaylist.RunStatus),
) {
	synctest.Test(t, func(t *testing.T) {
		rows := newRunStore(t)
		c := gatewaylist.NewReconciler(gatewaylist.ReconcilerConfig{
			Sessions: rows, Records: &slowRecords{pages: pages},
			Runs: rows,
		})
		defer c.Close()
		day := time.Now().Truncate(24 * time.Hour)
		if begun, err := c.Start(t.Context(), "ann", day, day); !begun || err != nil {
			t.Fatalf("Start = %t, %v", begun, err)
		}
		test(t, c, func() gatewaylist.RunStatus {
			t.Helper()
			synctest.Wait()
			known := fortest.Must(c.Status(t.Context(), gatewaylist.Requested))(t)
			return known
		})
	})
}

// Progress is visible during a run; findings are bounded, their counts are complete.
func TestRunReportsProgress(t *testing.T) {
	withRun(t, 12, func(t *testing.T, _ *gatewaylist.Reconciler, known func() gatewaylist.RunStatus) {
		time.Sleep(32 * time.Second)
		now := known()
		p := now.Last.Progress
		if now.State(time.Now()) != gatewaylist.Running || p.Page != 10 || p.Pages != 12 ||
			!p.Day.Equal(now.Last.To.AddDate(0, 0, 1)) || now.Last.By != "ann" {
			t.Errorf("after ten pages: state %d, %+v", now.State(time.Now()), now.Last)
		}
		time.Sleep(6 * time.Second)
		now = known()
		r := now.Report
		if now.State(time.Now()) != gatewaylist.Done || r == nil {
			t.Fatalf("at the end: state %d, %+v", now.State(time.Now()), now)
		}
		if r.Transactions != 599 || r.Counts[gatewaylist.FindingNotInDatabase] != 599 ||
			len(r.Findings) != gatewaylist.MaxFindings ||
			!r.Ended.Equal(r.Began.Add(36*time.Second)) || r.By != "ann" {
			t.Errorf("%d transactions, %v, %d findings kept, %s to %s", r.Transactions, r.Counts,
				len(r.Findings), r.Began, r.Ended)
		}
		if text := r.Findings[0].AtGateway; len(text) > 310 || !strings.HasSuffix(text, "\u00e9…") {
			t.Errorf("what the gateway wrote is kept as %q", text)
		}
	})
}

// A run that lost its lease stops and changes nothing.
func TestRunIsFenced(t *testing.T) {
	withRun(t, 12, func(t *testing.T, c *gatewaylist.Reconciler, known func() gatewaylist.RunStatus) {
		time.Sleep(time.Second)
		run := known()
		fortest.OK(t, c.Runs.ExtendRun(t.Context(), run.Epoch, run.Last, time.Now()))
		if begun, err := c.Start(t.Context(), "bob", time.Now(), time.Now()); !begun || err != nil {
			t.Fatal(begun, err)
		}
		time.Sleep(3 * time.Second)
		if n := c.Records.(*slowRecords).asked.Load(); n != 1 {
			t.Errorf("%d runs continue; want bob's", n)
		}
		time.Sleep(time.Minute)
		now := known()
		if now.State(time.Now()) != gatewaylist.Done || now.Last.By != "bob" ||
			now.Report.By != "bob" {
			t.Errorf("the last one is %+v; want bob's", now.Last)
		}
	})
}

// A gateway that never answers ends a run after ten minutes.
func TestRunIsGivenUp(t *testing.T) {
	withRun(t, 0, func(t *testing.T, _ *gatewaylist.Reconciler, known func() gatewaylist.RunStatus) {
		time.Sleep(11 * time.Minute)
		now := known()
		if now.State(time.Now()) != gatewaylist.Failed ||
			now.Last.Ended.Sub(now.Last.Began) != 10*time.Minute {
			t.Errorf("the last one is %+v; want it given up after ten minutes", now.Last)
		}
	})
}

// A shutdown aborts a run visibly.
func TestRunEndsWithTheProcess(t *testing.T) {
	withRun(t, 12, func(t *testing.T, c *gatewaylist.Reconciler, known func() gatewaylist.RunStatus) {
		time.Sleep(10 * time.Second)
		c.Close()
		if now := known(); now.State(time.Now()) != gatewaylist.Aborted || now.Report != nil {
			t.Errorf("state = %d, %+v; want aborted", now.State(time.Now()), now)
		}
	})
}

func TestRunState(t *testing.T) {
	now := time.Unix(100, 0)
	for _, c := range []struct {
		name  string
		known gatewaylist.RunStatus
		want  gatewaylist.RunState
	}{
		{"nothing", gatewaylist.RunStatus{}, gatewaylist.NeverRun},
		{"running", gatewaylist.RunStatus{Epoch: 1, Until: now.Add(1)}, gatewaylist.Running},
		{"the lease has run out", gatewaylist.RunStatus{Epoch: 1, Until: now}, gatewaylist.Aborted},
		{"not leased", gatewaylist.RunStatus{Epoch: 1}, gatewaylist.Aborted},
		{
			"another after a report",
			gatewaylist.RunStatus{Epoch: 2, Report: &gatewaylist.Report{}},
			gatewaylist.Aborted,
		},
		{
			"done",
			gatewaylist.RunStatus{Epoch: 1, Last: gatewaylist.Run{Ended: now}},
			gatewaylist.Done,
		},
		{
			"failed",
			gatewaylist.RunStatus{Epoch: 1, Last: gatewaylist.Run{Ended: now, Failed: true}},
			gatewaylist.Failed,
		},
	} {
		fortest.Equal(t, c.known.State(now), c.want, "%s: state", c.name)
	}
}

// No run starts during a shutdown, which it would delay by ten minutes.
func TestNoRunAfterClose(t *testing.T) {
	c := gatewaylist.NewReconciler(gatewaylist.ReconcilerConfig{})
	c.Close()
	day := time.Now()
	begun, err := c.Start(t.Context(), "ann", day.Add(-24*time.Hour), day)
	if begun || !errors.Is(err, &wire.Error{Code: wire.CodeGatewayUnavailable}) {
		t.Errorf("Start after Close = %v, %v; want no run", begun, err)
	}
}

// Requests during a shutdown do not disturb those that wait for it.
func TestChoosingAtTheEnd(t *testing.T) {
	h := checkouttest.NewShop(t)
	var shoppers sync.WaitGroup
	for range 4 {
		shoppers.Go(func() {
			for range 5 {
				h.Choose(h.Open("25").ID, checkouttest.USDT())
			}
		})
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		shoppers.Wait()
	}()
	for ended := false; !ended; {
		h.Service.Close()
		select {
		case <-done:
			ended = true
		default:
			runtime.Gosched()
		}
	}
}
