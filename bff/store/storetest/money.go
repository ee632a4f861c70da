package storetest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/bff/payment"
	"coinslot/bff/statement"

	"github.com/shopspring/decimal"
)

var moneyTests = cases{
	"money of a month": on(moneyOfMonth),
	"money by pages":   on(moneyByPages),
	"money that is erased": on(func(t *testing.T, b Backend) {
		inserted(t, b, fresh(1))
		paidAt(t, b, 1, epoch())
		_, err := b.Erase(t.Context(), fresh(1).ID, epoch().AddDate(1, 0, 0),
			func(payment.Session, bool) payment.Erasure { return payment.ErasePersonal })
		fortest.OK(t, err)
		wantMoney(t, b, epoch(), epoch().Add(time.Second), 1)
	}),
}

// moneyOfMonth: an order is found by the time of its money and of its refunds, wherever its own is,
// and once.
func moneyOfMonth(t *testing.T, b Backend) {
	from := time.Date(2026, 10, 31, 23, 0, 0, 0, time.UTC) // November in Berlin
	to := time.Date(2026, 11, 30, 23, 0, 0, 0, time.UTC)
	for n := range 8 {
		inserted(t, b, fresh(n))
	}
	paidAt(t, b, 0, from.Add(-time.Microsecond))
	paidAt(t, b, 1, from)
	paidAt(t, b, 2, to.Add(-time.Microsecond))
	paidAt(t, b, 3, to)
	paidAt(t, b, 4, from.AddDate(-1, 0, 0)) // and sent back in the month, twice
	for _, tx := range []string{"r1", "r2"} {
		updated(t, b, fresh(4).ID, func(s *payment.Session) {
			s.Refunds = append(s.Refunds, payment.Refund{TxID: tx, RecordedAt: from.Add(time.Hour)})
		})
	}
	paidAt(t, b, 5, from.Add(time.Hour)) // and then stated for another month
	paidAt(t, b, 5, to)
	paidAt(t, b, 6, from.Add(time.Hour)) // and paid twice
	updated(t, b, fresh(6).ID, func(s *payment.Session) {
		second := attempt(2, payment.InReview, "second")
		second.PaidAt = from.Add(2 * time.Hour)
		s.Attempts = append(s.Attempts, second)
	})

	wantMoney(t, b, from, to, 1, 2, 4, 6)
	wantMoney(t, b, to, to.AddDate(0, 1, 0), 3, 5)
}

// moneyByPages: what happens between two pages neither hides a session nor shows one twice.
func moneyByPages(t *testing.T, b Backend) {
	const all = 103 // more than a page
	var want []string
	for n := range all {
		inserted(t, b, fresh(n))
		paidAt(t, b, n, epoch().Add(time.Duration(all-n)*time.Second))
		want = append(want, fresh(n).ID)
	}
	got := allPages(func(cursor string) ([]string, string) {
		page, err := b.SessionsWithMoney(t.Context(), epoch(), epoch().Add(time.Hour), cursor)
		fortest.OK(t, err)
		paidAt(t, b, 0, epoch().Add(30*time.Minute)) // moved behind all others
		return ids(page.Sessions), page.Next
	})
	slices.Sort(got)
	same(t, "all pages", got, want)
}

// unreadableMoney: a session that cannot be decoded is named, so that its month is not taken for
// complete.
func unreadableMoney(t *testing.T, d Damaged) {
	inserted(t, d, fresh(1))
	paidAt(t, d, 1, epoch())
	fortest.OK(t, d.Execute(t.Context(), `UPDATE sessions SET doc = '{bad json'`))
	page, err := d.SessionsWithMoney(t.Context(), epoch(), epoch().Add(time.Second), "")
	fortest.OK(t, err)
	same(t, "SessionsWithMoney", page, statement.SessionPage{Unreadable: []string{fresh(1).ID}})
}

// paidAt makes the first attempt of session n one that was paid at a time.
func paidAt(t *testing.T, b Backend, n int, at time.Time) {
	t.Helper()
	updated(t, b, fresh(n).ID, func(s *payment.Session) {
		a := attempt(1, payment.Expired, fmt.Sprint("m", n))
		a.Paid = decimal.NewFromInt(1)
		a.PaidAt = at
		s.Attempts = []payment.Attempt{a}
	})
}

func wantMoney(t *testing.T, b Backend, from, to time.Time, numbers ...int) {
	t.Helper()
	page := fortest.Must(b.SessionsWithMoney(t.Context(), from, to, ""))(t)
	wantSessions(t, fmt.Sprint("SessionsWithMoney from ", from), page.Sessions, numbers...)
}
