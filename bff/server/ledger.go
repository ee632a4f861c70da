package server

import (
	"context"

	"coinslot/bff/checkout"
	"coinslot/bff/limiter"
	"coinslot/bff/payment"
	"coinslot/bff/reconcile"
)

// creating is the gateway, whose creates have a part of the budget of their own, also
// when they are sent again while nobody waits.
type creating struct{ checkout.Gateway }

func (g creating) Create(
	ctx context.Context, req payment.CreateRequest,
) (payment.Created, error) {
	return g.Gateway.Create(limiter.WithPriority(ctx, limiter.Create), req)
}

// ledger is the gateway's books, read within what polling may use of the budget
// and after every payment that is looked after.
type ledger struct{ from reconcile.GatewayRecords }

func (l ledger) Transactions(ctx context.Context, q payment.ListQuery) (payment.RecordPage, error) {
	return l.from.Transactions(limiter.WithPriority(ctx, limiter.Single), q)
}

func (l ledger) TransactionRecords(
	ctx context.Context, q payment.ListQuery,
) (reconcile.GatewayRecordPage, error) {
	return l.from.TransactionRecords(limiter.WithPriority(ctx, limiter.Single), q)
}

func (l ledger) Withdrawals(
	ctx context.Context, q reconcile.WithdrawalQuery,
) (reconcile.WithdrawalPage, error) {
	return l.from.Withdrawals(limiter.WithPriority(ctx, limiter.Single), q)
}
