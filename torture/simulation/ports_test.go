package simulation

import (
	"context"
	"time"

	"coinslot/bff/checkout"
	"coinslot/bff/checkout/checkouttest"
	"coinslot/bff/gatewaylist"
	"coinslot/bff/payment"
	"coinslot/bff/webhook"
)

// storePort is the database as an instance reaches it.
type storePort struct{ in *instance }

type none struct{}

// exec makes a call that returns only an error.
func (p storePort) exec(ctx context.Context, method, arg string, do func() error) error {
	_, err := through(ctx, p.in, database, method, arg,
		func(decision) (none, error) { return none{}, do() })
	return err
}

func query[T any](
	ctx context.Context, p storePort, method, arg string, do func() (T, error),
) (T, error) {
	return through(ctx, p.in, database, method, arg, func(decision) (T, error) { return do() })
}

func (p storePort) Insert(ctx context.Context, s payment.Session) (payment.Session, error) {
	return query(ctx, p, "insert", s.ID, func() (payment.Session, error) {
		return p.in.w.db.Insert(ctx, s)
	})
}

func (p storePort) Load(ctx context.Context, id string) (checkout.StoredSession, error) {
	return query(ctx, p, "load", id, func() (checkout.StoredSession, error) {
		return p.in.w.db.Load(ctx, id)
	})
}

func (p storePort) Session(ctx context.Context, id string) (payment.Session, error) {
	return query(ctx, p, "session", id, func() (payment.Session, error) {
		return p.in.w.db.Session(ctx, id)
	})
}

func (p storePort) Update(
	ctx context.Context, id string, epoch int64,
	change func(*payment.Session) ([]payment.Event, error),
) (payment.Session, error) {
	return query(ctx, p, "update", id, func() (payment.Session, error) {
		return p.in.w.db.Update(ctx, id, epoch, change)
	})
}

func (p storePort) Touch(
	ctx context.Context, s checkout.StoredSession, checkedAt, dueAt time.Time,
) error {
	return p.exec(ctx, "touch", s.ID, func() error {
		return p.in.w.db.Touch(ctx, s, checkedAt, dueAt)
	})
}

func (p storePort) TouchAll(ctx context.Context, now time.Time, list []gatewaylist.Touched) error {
	return p.exec(ctx, "touch all", "", func() error { return p.in.w.db.TouchAll(ctx, now, list) })
}

func (p storePort) Hold(
	ctx context.Context, id string, now time.Time, lease time.Duration,
) (checkout.StoredSession, error) {
	return query(ctx, p, "hold", id, func() (checkout.StoredSession, error) {
		return p.in.w.db.Hold(ctx, id, now, lease)
	})
}

func (p storePort) Release(
	ctx context.Context, s checkout.StoredSession, dueAt time.Time,
) error {
	return p.exec(ctx, "release", s.ID, func() error { return p.in.w.db.Release(ctx, s, dueAt) })
}

func (p storePort) FindAttempts(
	ctx context.Context, keys []string,
) ([]payment.AttemptRef, error) {
	return query(ctx, p, "find attempts", "", func() ([]payment.AttemptRef, error) {
		return p.in.w.db.FindAttempts(ctx, keys)
	})
}

func (p storePort) Tracked(
	ctx context.Context, codes []string,
) ([]gatewaylist.TrackedSession, error) {
	return query(ctx, p, "tracked", "", func() ([]gatewaylist.TrackedSession, error) {
		return p.in.w.db.Tracked(ctx, codes)
	})
}

func (p storePort) List(ctx context.Context, f payment.Filter) (payment.Page, error) {
	return query(ctx, p, "list", f.OrderRef, func() (payment.Page, error) {
		return p.in.w.db.List(ctx, f)
	})
}

func (p storePort) Claim(
	ctx context.Context, now time.Time, lease time.Duration, limit int, late bool,
) ([]checkout.StoredSession, error) {
	return query(ctx, p, "claim", "", func() ([]checkout.StoredSession, error) {
		return p.in.w.db.Claim(ctx, now, lease, limit, late)
	})
}

func (p storePort) ClaimOf(
	ctx context.Context, ids []string, now time.Time, lease time.Duration, limit int,
) ([]checkout.StoredSession, error) {
	return query(ctx, p, "claim", "some", func() ([]checkout.StoredSession, error) {
		return p.in.w.db.ClaimOf(ctx, ids, now, lease, limit)
	})
}

func (p storePort) ClaimDeliveries(
	ctx context.Context, now time.Time, lease time.Duration, limit int, endpoints []string,
) ([]webhook.Delivery, error) {
	return query(ctx, p, "claim deliveries", "", func() ([]webhook.Delivery, error) {
		return p.in.w.db.ClaimDeliveries(ctx, now, lease, limit, endpoints)
	})
}

func (p storePort) RecordResult(
	ctx context.Context, d webhook.Delivery, r webhook.DeliveryResult,
) error {
	return p.exec(ctx, "record result", d.EventID, func() error {
		return p.in.w.db.RecordResult(ctx, d, r)
	})
}

// gatewayPort is the gateway as an instance reaches it.
type gatewayPort struct{ in *instance }

func (p gatewayPort) Environment() string { return p.in.w.gateway.Environment() }

func (p gatewayPort) Currencies(ctx context.Context) ([]payment.Currency, error) {
	return through(ctx, p.in, gateway, "currencies", "",
		func(decision) ([]payment.Currency, error) {
			return p.in.w.gateway.Currencies(ctx)
		})
}

func (p gatewayPort) Create(
	ctx context.Context, req payment.CreateRequest,
) (payment.Created, error) {
	w := p.in.w
	return through(ctx, p.in, gateway, "create", req.Marker,
		func(d decision) (payment.Created, error) {
			c, err := w.gateway.Create(ctx, req)
			w.logf("    is %s", c.TrackingCode)
			if d.wrong {
				w.garbleCreated(&c)
			}
			return c, err
		})
}

func (p gatewayPort) Status(ctx context.Context, code string) (payment.Record, error) {
	w := p.in.w
	return through(ctx, p.in, gateway, "status", code, func(d decision) (payment.Record, error) {
		r, err := w.gateway.Status(ctx, code)
		w.logf("    is %s, %s paid", r.Status, r.PaidAmount)
		if d.wrong {
			w.garble(&r)
		}
		return r, err
	})
}

func (p gatewayPort) Recheck(ctx context.Context, code string) error {
	_, err := through(ctx, p.in, gateway, "recheck", code, func(decision) (none, error) {
		p.in.w.seeLateTransfers(code)
		return none{}, p.in.w.gateway.Recheck(ctx, code)
	})
	return err
}

func (p gatewayPort) Cancel(ctx context.Context, code string) error {
	_, err := through(ctx, p.in, gateway, "cancel", code, func(decision) (none, error) {
		err := p.in.w.gateway.Cancel(ctx, code)
		if err == nil {
			p.in.w.canceledBy[code] = p.in.w.actor
		}
		return none{}, err
	})
	return err
}

// Transactions is a page of the list. A wrong one lacks what was opened in the last ten seconds.
func (p gatewayPort) Transactions(
	ctx context.Context, q payment.ListQuery,
) (payment.RecordPage, error) {
	w := p.in.w
	return through(ctx, p.in, gateway, "transactions", "",
		func(d decision) (page payment.RecordPage, err error) {
			full, err := w.gateway.Transactions(ctx, q)
			page = payment.RecordPage{Page: full.Page, LastPage: full.LastPage}
			for _, r := range full.Items {
				if d.wrong && time.Since(r.CreatedAt) < 10*time.Second ||
					q.Status != "" && r.Status != q.Status {
					continue
				}
				page.Items = append(page.Items, r)
			}
			page.Total = len(page.Items)
			return page, err
		})
}

// garble changes a status record so that it proves nothing. The worst say that all is paid.
func (w *world) garble(r *payment.Record) {
	w.misled[r.TrackingCode] = true
	if w.rng.IntN(2) == 0 {
		r.Status, r.Paid, r.PaidReadable = "confirmed", r.PayAmount, true
		r.PaidAmount, r.TxID = r.Paid.String(), "0xfalse"
	}
	cent := checkouttest.Dec("0.01")
	switch w.rng.IntN(8) {
	case 0:
		r.TrackingCode = "T99999"
	case 1:
		r.Status = "processing"
	case 2:
		r.PaidReadable = false
	case 3:
		r.AmountUSD = r.AmountUSD.Add(cent)
	case 4:
		r.PayAmount = r.PayAmount.Sub(cent)
	case 5:
		r.NetworkCode = "erc20"
	case 6:
		r.Paid = r.Paid.Sub(r.PayAmount.Mul(checkouttest.Dec("0.03")))
	case 7:
		r.OrderID++
	}
}

// garbleCreated changes the answer to create so that it must not be shown.
func (w *world) garbleCreated(c *payment.Created) {
	switch w.rng.IntN(4) {
	case 0:
		c.Address = "T" + c.Address[1:] + "x"
	case 1:
		c.AmountUSD = c.AmountUSD.Add(checkouttest.Dec("0.01"))
	case 2:
		c.PayAmount = c.PayAmount.Mul(checkouttest.Dec("10"))
	case 3:
		c.TrackingCode = "?"
	}
}
