package simulation

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"coinslot/bff/checkout"
	"coinslot/bff/gatewaylist"
	"coinslot/bff/payment"
	"coinslot/bff/webhook"
)

// Defects that can be built into the ports of all instances.
const (
	noEvents     = "events are not stored"
	believed     = "a failed commit counts as written"
	sharedTx     = "a transaction id pays two sessions"
	oldReads     = "reads come from a replica that is behind"
	sentTwice    = "a create without an answer is sent again"
	otherAddress = "create answers with an address of another transaction"
	hidden       = "the list shows transactions after a minute"
	notCanceled  = "canceling does nothing, but is answered as done"
	unsent       = "a webhook that failed counts as delivered"
)

// TestDefectsAreFound: each defect breaks one of these invariants in some seed.
func TestDefectsAreFound(t *testing.T) {
	fast(t)
	for defect, invariants := range map[string]string{
		noEvents: "I4 I14", believed: "I6 I12", sharedTx: "I4", oldReads: "I7",
		sentTwice: "I2", otherAddress: "I11", hidden: "I2", notCanceled: "I1 I14", unsent: "I5 I13",
	} {
		seed, wrong := uint64(0), ""
		for ; wrong == "" && seed < 5_000; seed++ {
			wrong = strings.Join(simulate(t, seed, defect, false).wrong, "; ")
		}
		id, _, _ := strings.Cut(wrong, ":")
		t.Logf("%s: after %d seeds, %s", defect, seed, wrong)
		if !strings.Contains(invariants, id) || wrong == "" {
			t.Errorf("%s: %q after %d seeds; want one of %s", defect, wrong, seed, invariants)
		}
	}
}

// store is all that an instance needs of the database.
type store interface {
	checkout.Store
	checkout.DueStore
	gatewaylist.ListStore
	webhook.Outbox
}

// ports returns those of in, with the defect of its world.
func (in *instance) ports() (store, checkout.Gateway) {
	if in.w.defect == "" {
		return storePort{in}, gatewayPort{in}
	}
	return badStore{storePort{in}, in.w.defect}, badGateway{gatewayPort{in}, in.w.defect}
}

type badStore struct {
	storePort
	defect string
}

func (p badStore) Load(ctx context.Context, id string) (checkout.StoredSession, error) {
	s, err := p.storePort.Load(ctx, id)
	if p.defect == oldReads && s.Version > 1 {
		p.in.w.mu.Lock()
		defer p.in.w.mu.Unlock()
		for _, known := range p.in.w.sessions {
			if known.now().ID == id {
				s.Session = known.history[s.Version-2]
			}
		}
	}
	return s, err
}

func (p badStore) Update(
	ctx context.Context, id string, epoch int64,
	change func(*payment.Session) ([]payment.Event, error),
) (payment.Session, error) {
	s, err := p.storePort.Update(ctx, id, epoch, func(s *payment.Session) ([]payment.Event, error) {
		events, err := change(s)
		if p.defect == noEvents {
			events = nil
		}
		return events, err
	})
	if p.defect == believed && errors.Is(err, errDisk) {
		s, _ = p.in.w.db.Session(ctx, id)
		_, err = change(&s)
		s.Version++
	}
	return s, err
}

func (p badStore) RecordResult(
	ctx context.Context, d webhook.Delivery, r webhook.DeliveryResult,
) error {
	r.Delivered = r.Delivered || p.defect == unsent
	return p.storePort.RecordResult(ctx, d, r)
}

type badGateway struct {
	gatewayPort
	defect string
}

func (p badGateway) Create(
	ctx context.Context, req payment.CreateRequest,
) (payment.Created, error) {
	c, err := p.gatewayPort.Create(ctx, req)
	if _, lost := errors.AsType[*payment.UnknownError](err); lost && p.defect == sentTwice {
		c, err = p.gatewayPort.Create(ctx, req)
	}
	if first := p.in.w.gateway.All(); p.defect == otherAddress && err == nil && len(first) > 1 {
		c.Address = first[0].Address
	}
	return c, err
}

func (p badGateway) Transactions(
	ctx context.Context, q payment.ListQuery,
) (payment.RecordPage, error) {
	page, err := p.gatewayPort.Transactions(ctx, q)
	if p.defect == hidden {
		var old []payment.Record
		for _, r := range page.Items {
			if time.Since(r.CreatedAt) > time.Minute {
				old = append(old, r)
			}
		}
		page.Items, page.Total = old, len(old)
	}
	return page, err
}

func (p badGateway) Cancel(ctx context.Context, code string) error {
	if p.defect == notCanceled {
		p.in.w.mu.Lock()
		defer p.in.w.mu.Unlock()
		p.in.w.belated["not canceled "+code] = true
		return nil
	}
	return p.gatewayPort.Cancel(ctx, code)
}

func (p badGateway) Status(ctx context.Context, code string) (payment.Record, error) {
	r, err := p.gatewayPort.Status(ctx, code)
	p.in.w.mu.Lock()
	defer p.in.w.mu.Unlock()
	if p.in.w.belated["not canceled "+code] && r.Status == "pending" {
		r.Status = "cancelled"
	}
	return r, err
}
