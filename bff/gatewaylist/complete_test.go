package gatewaylist

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/bff/payment"
)

// byDates lists one transaction for each day, and one withdrawal, as the gateway does: of the dates
// that it is asked for, both included.
type byDates struct {
	asked []payment.ListQuery
	total int  // that it states instead of the right one; 0 = the right one
	bare  bool // withdrawals have no tracking codes
}

func (b *byDates) Transactions(
	_ context.Context, q payment.ListQuery,
) (page payment.RecordPage, err error) {
	b.asked = append(b.asked, q)
	if q.To.Sub(q.From) > maxDateRange {
		return page, errors.New("more than 30 days")
	}
	for day := q.From; !day.After(q.To); day = day.AddDate(0, 0, 1) {
		page.Items = append(page.Items, payment.Record{TrackingCode: day.Format(time.DateOnly)})
	}
	page.LastPage = 1
	page.Total = len(page.Items)
	if b.total != 0 {
		page.Total = b.total
	}
	return page, nil
}

func (b *byDates) Withdrawals(
	ctx context.Context, q payment.ListQuery,
) (page Page[Withdrawal], err error) {
	list, err := b.Transactions(ctx, q)
	for _, r := range list.Items {
		if b.bare {
			r.TrackingCode = ""
		}
		page.Items = append(page.Items, Withdrawal{TrackingCode: r.TrackingCode})
	}
	page.Total = list.Total
	page.LastPage = list.LastPage
	return page, err
}

// Everything of the dates is read, once, in parts that the gateway accepts.
func TestReadDates(t *testing.T) {
	from := time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC)
	to := from.AddDate(0, 0, 70)
	var list byDates
	records := fortest.Must(ReadTransactions(t.Context(), &list, "confirmed", from, to))(t)
	var codes []string
	for _, r := range records {
		codes = append(codes, r.TrackingCode)
	}
	slices.Sort(codes)
	fortest.Equal(t, fmt.Sprint(len(codes), " ", codes[0], " ", codes[70]), "71 2026-10-01 2026-12-10",
		"read")
	for _, q := range list.asked {
		fortest.Equal(t, q.Status, "confirmed", "status asked for")
	}

	withdrawals := fortest.Must(ReadWithdrawals(t.Context(), &list, from, to))(t)
	fortest.Equal(t, len(withdrawals), 71, "withdrawals")
}

// A list that does not account for all that it has, or that cannot, is not complete.
func TestReadDatesIncomplete(t *testing.T) {
	day := time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC)
	_, err := ReadTransactions(t.Context(), &byDates{total: 9}, "", day, day)
	fortest.Is(t, err, ErrUnreadable, "transactions")
	_, err = ReadWithdrawals(t.Context(), &byDates{total: 9}, day, day)
	fortest.Is(t, err, ErrUnreadable, "withdrawals")
	_, err = ReadWithdrawals(t.Context(), &byDates{bare: true}, day, day)
	fortest.Is(t, err, ErrUnreadable, "withdrawals without tracking codes")
}
