package server

import (
	"context"

	"coinslot/bff/checkout"
	"coinslot/bff/gatewaylist"
	"coinslot/bff/limiter"
	"coinslot/bff/payment"
)

// creates gives creates a priority of their own, also when they are retried in the background.
type creates struct{ checkout.Gateway }

func (g creates) Create(ctx context.Context, req payment.CreateRequest) (payment.Created, error) {
	return g.Gateway.Create(limiter.WithPriority(ctx, limiter.Create), req)
}

// backgroundRecords reads the gateway's records with a lower priority than checks of payments.
type backgroundRecords struct{ records gatewaylist.GatewayRecords }

func (l backgroundRecords) Transactions(
	ctx context.Context, q payment.ListQuery,
) (payment.RecordPage, error) {
	return l.records.Transactions(limiter.WithPriority(ctx, limiter.Single), q)
}

func (l backgroundRecords) TransactionRecords(
	ctx context.Context, q payment.ListQuery,
) (gatewaylist.Page[gatewaylist.GatewayRecord], error) {
	return l.records.TransactionRecords(limiter.WithPriority(ctx, limiter.Single), q)
}

func (l backgroundRecords) Withdrawals(
	ctx context.Context, q payment.ListQuery,
) (gatewaylist.Page[gatewaylist.Withdrawal], error) {
	return l.records.Withdrawals(limiter.WithPriority(ctx, limiter.Single), q)
}
