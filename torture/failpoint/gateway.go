//go:build unix

package failpoint

import (
	"context"
	"sync"

	"coinslot/bff/checkout"
	"coinslot/bff/payment"
)

// gateway is one before or after whose calls the process dies, whatever comes of them.
type gateway struct {
	checkout.Gateway
	adopted *sync.Map // tracking codes, which [sessions] writes
}

func (g *gateway) Create(ctx context.Context, req payment.CreateRequest) (payment.Created, error) {
	point("create.before")
	defer point("create.after")
	return g.Gateway.Create(ctx, req)
}

func (g *gateway) Status(ctx context.Context, trackingCode string) (payment.Record, error) {
	point("status.before")
	defer point("status.after")
	return g.Gateway.Status(ctx, trackingCode)
}

func (g *gateway) Recheck(ctx context.Context, trackingCode string) error {
	point("recheck.before")
	defer point("recheck.after")
	return g.Gateway.Recheck(ctx, trackingCode)
}

// Cancel is of an orphan if this process has adopted the transaction.
func (g *gateway) Cancel(ctx context.Context, trackingCode string) error {
	name := "cancel"
	if _, adopted := g.adopted.Load(trackingCode); adopted {
		name = "orphan"
	}
	point(name + ".before")
	defer point(name + ".after")
	return g.Gateway.Cancel(ctx, trackingCode)
}

func (g *gateway) Transactions(
	ctx context.Context, q payment.ListQuery,
) (payment.RecordPage, error) {
	point("list.before")
	defer point("list.after")
	return g.Gateway.Transactions(ctx, q)
}
