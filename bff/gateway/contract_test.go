package gateway_test

import (
	"errors"
	"net/http/httptest"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/bff/gateway"
	"coinslot/bff/payment"
	"coinslot/bff/sandbox"
	"coinslot/bff/sandbox/sandboxtest"

	"github.com/shopspring/decimal"
)

// simulated returns a simulated gateway and a client of it.
func simulated(t *testing.T) (*sandboxtest.Gateway, *gateway.Client) {
	t.Helper()
	simulation := sandboxtest.New(sandbox.Config{Seed: 1})
	server := httptest.NewServer(simulation)
	t.Cleanup(server.Close)
	c := fortest.Must(gateway.New(gateway.Config{URL: server.URL, Key: sandbox.DefaultKey}))(t)
	t.Cleanup(c.Close)
	return simulation, c
}

func request() payment.CreateRequest {
	return payment.CreateRequest{
		CurrencySymbol: "USDT",
		NetworkCode:    "trc20",
		AmountUSD:      decimal.RequireFromString("19.90"),
		TTL:            15,
		OrderID:        123456, Email: "payer@shop.example", Comment: "cs-abc", Marker: "cs-abc",
		CallbackURL: "https://shop.example/return",
	}
}

// isReason reports whether err is a refusal for that reason.
func isReason(err error, want payment.Reason) bool {
	refused, ok := errors.AsType[*payment.RefusedError](err)
	return ok && refused.Reason == want
}

// TestContract takes transactions through all endpoints of the simulated gateway.
func TestContract(t *testing.T) {
	simulation, c := simulated(t)
	ctx := t.Context()
	list, err := c.Currencies(ctx)
	if err != nil || len(list) == 0 || len(list[0].Networks) == 0 {
		t.Fatalf("Currencies = %+v, %v", list, err)
	}
	created := fortest.Must(c.Create(ctx, request()))(t)
	if created.Status != "pending" || created.Address == "" ||
		!created.AmountUSD.Equal(request().AmountUSD) ||
		created.OrderID != 123456 || created.CurrencySymbol != "USDT" ||
		created.NetworkCode != "trc20" || created.ExpiresAt.IsZero() {
		t.Errorf("Create = %+v", created)
	}
	record, err := c.Status(ctx, created.TrackingCode)
	if err != nil || record.Comment != "cs-abc" || !record.PayAmount.Equal(created.PayAmount) ||
		record.PaidReadable {
		t.Errorf("Status = %+v, %v", record, err)
	}
	fortest.OK(t, simulation.Pay(created.TrackingCode, sandbox.KindPay))
	record, err = c.Status(ctx, created.TrackingCode)
	if err != nil || record.Status != "confirmed" || !record.PaidReadable ||
		record.Paid.LessThan(record.PayAmount) || record.PaidAt.IsZero() {
		t.Errorf("Status after payment = %+v, %v", record, err)
	}
	if err := c.Cancel(ctx, created.TrackingCode); !isReason(err, payment.ReasonRefused) {
		t.Errorf("Cancel of a confirmed transaction = %v; want refused", err)
	}
	second := fortest.Must(c.Create(ctx, request()))(t)
	fortest.OK(t, c.Cancel(ctx, second.TrackingCode))
	if err := c.Recheck(ctx,
		second.TrackingCode); err != nil && !isReason(err, payment.ReasonRefused) {
		t.Errorf("Recheck of an unpaid transaction: %v; want done or refused", err)
	}
	now := time.Now().UTC()
	page, err := c.Transactions(ctx,
		payment.ListQuery{Limit: 1, Page: 1, From: now.AddDate(0, 0, -1), To: now.AddDate(0, 0, 1)})
	if err != nil || len(page.Items) != 1 || page.Total != 2 || page.LastPage != 2 ||
		page.Page != 1 {
		t.Errorf("Transactions = %+v, %v; want the first of two pages", page, err)
	}
	payouts, err := c.Withdrawals(ctx, payment.ListQuery{Limit: 50})
	if err != nil || len(payouts.Items) == 0 || !payouts.Items[0].AmountKnown {
		t.Errorf("Withdrawals = %+v, %v", payouts, err)
	}
}

// TestContractRefusals: what the simulated gateway says no to, and what it leaves open.
func TestContractRefusals(t *testing.T) {
	simulation, c := simulated(t)
	ctx := t.Context()
	if _, err := c.Status(ctx, "nothing"); !isReason(err, payment.ReasonAbsent) {
		t.Errorf("Status of nothing = %v; want absent", err)
	}
	if err := c.Recheck(ctx, "nothing"); !isReason(err, payment.ReasonAbsent) {
		t.Errorf("Recheck of nothing = %v; want absent", err)
	}
	dear := request()
	dear.AmountUSD = decimal.New(1, 12)
	if _, err := c.Create(ctx, dear); !isReason(err, payment.ReasonRefused) {
		t.Errorf("Create above the maximum = %v; want refused", err)
	}
	isUnknown := func(with any) {
		t.Helper()
		_, err := c.Create(ctx, request())
		if _, ok := errors.AsType[*payment.UnknownError](err); !ok {
			t.Errorf("Create with %v = %v; want unknown", with, err)
		}
	}
	for _, fault := range []sandbox.Fault{{CutBefore: true}, {CutAfter: true}, {Status: 500}} {
		simulation.Inject(fault)
		isUnknown(fault)
	}
	for _, answer := range []sandboxtest.Answer{
		{Body: sandboxtest.BadGateway},
		{Status: 503, Body: `{"status":503,"data":null,"message":""}`},
		{Body: "{"}, {Set: map[string]any{"pay_amount": nil}},
	} {
		simulation.Falsify(answer)
		isUnknown(answer)
	}
	if n := len(simulation.Transactions()); n != 5 {
		t.Errorf("%d transactions exist; want 5: cut after, and those with a false answer", n)
	}
	simulation.Inject(sandbox.Fault{Status: 429, RetryAfter: 7 * time.Second})
	_, err := c.Create(ctx, request())
	if refused, ok := errors.AsType[*payment.RefusedError](err); !ok ||
		refused.Reason != payment.ReasonBusy || refused.RetryAfter != 7*time.Second {
		t.Errorf("Create when busy = %v; want busy, 7s", err)
	}
}
