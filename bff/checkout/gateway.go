package checkout

import (
	"context"

	"coinslot/bff/payment"
)

// Gateway is what this package needs of the gateway's merchant API. Every
// method blocks until the answer is known or its context or the client's own
// total deadline ends, and returns nil (done), a *[RefusedError] (proven not
// done) or any other error, most often an *[UnknownError], which means: may or
// may not have happened. Implementations never repeat Create, Cancel or
// Recheck by themselves.
type Gateway interface {
	// Currencies returns what the merchant has enabled.
	Currencies(ctx context.Context) ([]payment.Currency, error)
	// Create opens a transaction. Only its answer ever holds the address.
	Create(ctx context.Context, req payment.CreateRequest) (payment.Created, error)
	// Status returns the record of one transaction; the only evidence that
	// the confirm gate takes.
	Status(ctx context.Context, trackingCode string) (payment.Record, error)
	// Recheck asks the gateway to look at the chain again. Its answer proves
	// nothing and is not returned: read Status afterwards.
	Recheck(ctx context.Context, trackingCode string) error
	// Cancel asks for a pending transaction to be cancelled. Read Status
	// afterwards, as for Recheck.
	Cancel(ctx context.Context, trackingCode string) error
	// Transactions returns one page of the merchant's transactions.
	Transactions(ctx context.Context, q payment.ListQuery) (payment.RecordPage, error)
	// Environment identifies gateway and merchant: base URL and a fingerprint
	// of the key. It never holds the key itself.
	Environment() string
}
