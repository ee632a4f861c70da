package gatewaylist

import (
	"context"
	"fmt"
	"slices"
	"time"

	"coinslot/bff/payment"
)

// WithdrawalLister reads one page of the gateway's list of withdrawals; see [GatewayRecords].
type WithdrawalLister interface {
	Withdrawals(ctx context.Context, q payment.ListQuery) (Page[Withdrawal], error)
}

// ReadTransactions returns all transactions with a status that the gateway lists of the dates
// from…to, without duplicates, in no order. Errors: ErrUnreadable if the list cannot be read
// completely; the gateway's; that of the context.
func ReadTransactions(
	ctx context.Context, gateway Lister, status string, from, to time.Time,
) ([]payment.Record, error) {
	found := map[string]payment.Record{}
	err := readDates(ctx, gateway, status, from, to, func(page payment.RecordPage) {
		for _, r := range page.Items {
			found[r.TrackingCode] = r
		}
	})
	if err != nil {
		return nil, err
	}

	all := make([]payment.Record, 0, len(found))
	for _, r := range found {
		all = append(all, r)
	}
	return all, nil
}

// ReadWithdrawals returns all withdrawals that the gateway lists of the dates from…to, as
// [ReadTransactions] does. Errors: likewise.
func ReadWithdrawals(
	ctx context.Context, gateway WithdrawalLister, from, to time.Time,
) ([]Withdrawal, error) {
	list := withdrawalPages{gateway: gateway, found: map[string]Withdrawal{}}
	err := readDates(ctx, &list, "", from, to, func(payment.RecordPage) {})
	if err != nil {
		return nil, fmt.Errorf("reading withdrawals: %w", err)
	}

	all := make([]Withdrawal, 0, len(list.found))
	for _, w := range list.found {
		all = append(all, w)
	}
	return all, nil
}

// readDates reads the list of the dates from…to in the parts that the gateway accepts, and calls use
// with every page. A page may come again.
func readDates(
	ctx context.Context, gateway Lister, status string, from, to time.Time,
	use func(payment.RecordPage),
) error {
	for days := newestFirst(from, to); len(days) > 0; {
		q := days[0]
		q.Status = status
		days = days[1:]
		list := NewReader(gateway, q)
		for list.Next(ctx) {
			use(list.Page)
		}

		err := list.Err()
		if halves, ok := split(q, err); ok {
			days = slices.Concat(halves, days)
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: %w", daysOf(q), err)
		}
	}
	return nil
}

// withdrawalPages is a list of withdrawals for a [Reader], which proves that a list is complete by
// the tracking codes and the total alone. One without a code is never complete.
type withdrawalPages struct {
	gateway WithdrawalLister
	found   map[string]Withdrawal // by tracking code
}

// Transactions implements Lister.
func (w *withdrawalPages) Transactions(
	ctx context.Context, q payment.ListQuery,
) (list payment.RecordPage, err error) {
	page, err := w.gateway.Withdrawals(ctx, q)
	if err != nil {
		return list, err
	}

	for _, item := range page.Items {
		if item.TrackingCode == "" {
			return list, fmt.Errorf("%w: a withdrawal has no tracking code", ErrUnreadable)
		}
		w.found[item.TrackingCode] = item
		list.Items = append(list.Items, payment.Record{TrackingCode: item.TrackingCode})
	}

	list.Page = page.Page
	list.LastPage = page.LastPage
	list.Total = page.Total
	return list, nil
}
