package server

import (
	"context"

	"coinslot/bff/budget"
	"coinslot/bff/checkout"
)

// ledger is the gateway's books, read within what polling may use of the budget
// and after every payment that is looked after.
type ledger struct{ from checkout.Ledger }

func (l ledger) Transactions(ctx context.Context, q checkout.ListQuery) (checkout.RecordPage, error) {
	return l.from.Transactions(budget.Background(ctx, budget.Single), q)
}

func (l ledger) Entries(ctx context.Context, q checkout.ListQuery) (checkout.EntryPage, error) {
	return l.from.Entries(budget.Background(ctx, budget.Single), q)
}

func (l ledger) Withdrawals(ctx context.Context, q checkout.WithdrawalQuery) (checkout.WithdrawalPage, error) {
	return l.from.Withdrawals(budget.Background(ctx, budget.Single), q)
}
