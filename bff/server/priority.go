package server

import (
	"context"

	"coinslot/bff/checkout"
	"coinslot/bff/gateway"
	"coinslot/bff/gatewaylist"
	"coinslot/bff/payment"
)

// creates gives creates the priority of the shoppers who wait for them, also when they are retried in
// the background.
type creates struct{ checkout.Gateway }

func (c creates) Create(ctx context.Context, req payment.CreateRequest) (payment.Created, error) {
	return c.Gateway.Create(gateway.WithPriority(ctx, gateway.Shopper), req)
}

// backgroundRecords reads the gateway's records with the lowest priority: no payment is decided by
// them.
type backgroundRecords struct{ records gatewaylist.GatewayRecords }

func (b backgroundRecords) Transactions(
	ctx context.Context, q payment.ListQuery,
) (payment.RecordPage, error) {
	return b.records.Transactions(gateway.WithPriority(ctx, gateway.Late), q)
}

func (b backgroundRecords) TransactionRecords(
	ctx context.Context, q payment.ListQuery,
) (gatewaylist.Page[gatewaylist.GatewayRecord], error) {
	return b.records.TransactionRecords(gateway.WithPriority(ctx, gateway.Late), q)
}

func (b backgroundRecords) Withdrawals(
	ctx context.Context, q payment.ListQuery,
) (gatewaylist.Page[gatewaylist.Withdrawal], error) {
	return b.records.Withdrawals(gateway.WithPriority(ctx, gateway.Late), q)
}
