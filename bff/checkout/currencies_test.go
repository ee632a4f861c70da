package checkout_test

import (
	"errors"
	"testing"

	"coinslot/app/wire"
	"coinslot/bff/checkout"
	"coinslot/bff/checkout/checkouttest"
	"coinslot/bff/fortest"
	"coinslot/bff/payment"
)

// An order without any offered currency is rejected, unless it repeats a session or the list is
// unavailable.
func TestOpenChecksCurrencies(t *testing.T) {
	t.Parallel()
	h := checkouttest.NewShop(t)
	order := func(ref string, currencies ...string) payment.Order {
		return payment.Order{AmountUSD: checkouttest.Dec("25"), Ref: ref, Currencies: currencies}
	}
	open := func(o payment.Order, key string) (checkout.Opened, error) {
		return h.Service.Open(t.Context(), o, key)
	}
	away := errors.New("gateway is away")
	h.Gateway.CoinsHook = func() error { return away }
	byRef, err := open(order("1", "NOPE"), "")
	if err != nil || !byRef.Unchecked {
		t.Errorf("Open without a list = unchecked %t, %v; want true", byRef.Unchecked, err)
	}
	byKey, err := open(order("", "NOPE"), "key")
	fortest.OK(t, err)
	h.Gateway.CoinsHook = nil
	for name, c := range map[string]struct {
		order payment.Order
		key   string
		want  string // an id, "new", or an error
	}{
		"coin":             {order("2", "usdt"), "", "new"},
		"network":          {order("3", "USDT_TRC20"), "", "new"},
		"one of two":       {order("4", "NOPE", "BNB"), "", "new"},
		"all":              {order("5"), "", "new"},
		"none":             {order("6", "NOPE"), "", "invalid currencies"},
		"no such network":  {order("7", "BNB_trc20"), "another", "invalid currencies"},
		"ref repeated":     {order("1", "NOPE"), "", byRef.ID},
		"key repeated":     {order("", "NOPE"), "key", byKey.ID},
		"ref with another": {order("1", "NADA"), "", "order_conflict order_ref"},
	} {
		s, err := open(c.order, c.key)
		got := s.ID
		var refused *wire.Error
		switch {
		case errors.As(err, &refused):
			got = string(refused.Code) + " " + refused.Param
		case err != nil:
			t.Fatalf("%s: %v", name, err)
		case s.Created:
			got = "new"
		}
		if got != c.want || s.Unchecked {
			t.Errorf("%s: Open = %s, unchecked %t; want %s", name, got, s.Unchecked, c.want)
		}
	}
}
