package e2e

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/e2e/browser"
)

// otherGateway is a second implementation of gateway-api.md that takes the
// other way wherever that page leaves one open: tracking codes are UUIDs, times
// are milliseconds, numbers are strings and strings numbers, empty is null,
// codes and statuses are in upper case, and there are unknown members.
type otherGateway struct {
	mu  sync.Mutex // guards the fields below
	txs []*otherTx
}

type otherTx struct {
	code, status, paid, tx string
	created                time.Time
	request                map[string]any
}

const otherAddress = "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"

func (g *otherGateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if r.Header.Get("x-api-key") != gatewayKey {
		answer(w, 401, nil, "who are you")
		return
	}
	switch strings.TrimPrefix(r.URL.Path, "/gw/api/v1/merchant/") {
	case "currencies/list":
		answer(w, 200, []any{map[string]any{
			"currency_name": "Tether", "currency_symbol": "usdt", "currency_type": "STABLE", "price_in_usdt": "1.0", "icon": nil, "rank": 1,
			"supported_networks": []any{map[string]any{"network_name": "TRON", "network_symbol": nil, "network_code": "TRC20",
				"network_fee": "1.5", "minimum_pay_usd": "1", "maximum_pay_usd": "1000", "max_ttl": "60", "icon": nil}},
		}}, "success")
	case "transaction/create":
		g.create(w, r)
	case "transaction/list":
		items := []any{}
		for _, t := range g.txs {
			items = append(items, t.record())
		}
		answer(w, 200, map[string]any{"items": items, "pagination": map[string]any{"page": "1", "limit": 50, "total": len(items), "last_page": 1}}, "success")
	default:
		g.one(w, r)
	}
}

func (g *otherGateway) create(w http.ResponseWriter, r *http.Request) {
	t := &otherTx{code: uuid(), status: "Pending", created: time.Now()}
	decoder := json.NewDecoder(r.Body)
	decoder.UseNumber()
	if err := decoder.Decode(&t.request); err != nil {
		answer(w, 400, nil, err.Error())
		return
	}
	g.txs = append(g.txs, t)
	created := t.record()
	created["wallet_address"], created["qr_code"], created["network"], created["currency_symbol"] = otherAddress, nil, "tron", "USDT"
	answer(w, 200, created, "created")
}

// one serves what is about one transaction.
func (g *otherGateway) one(w http.ResponseWriter, r *http.Request) {
	for _, t := range g.txs {
		if t.code != r.URL.Query().Get("tracking_code") {
			continue
		}
		if strings.HasSuffix(r.URL.Path, "/cancel") && t.status == "Pending" {
			t.status = "CANCELLED"
		}
		answer(w, 200, t.record(), "success")
		return
	}
	answer(w, 404, nil, "no such transaction")
}

// record is a transaction in this gateway's spelling.
func (t *otherTx) record() map[string]any {
	amount := fmt.Sprint(t.request["amount_usd"])
	return map[string]any{
		"order_id": fmt.Sprint(t.request["order_id"]), "status": t.status, "tracking_code": t.code, "payment_url": "https://elsewhere.example/" + t.code,
		"currency_code": "USDT_TRC20", "currency_name": "Tether", "network_code": "trc20", "network_name": "TRON",
		"pay_amount": json.Number(amount), "amount_usd": json.Number(amount), "platform_share": "0", "merchant_share": nil,
		"payment_fee_percent": "1", "payment_tolerance_percent": "0", "paid_amount": null(t.paid), "is_canceled_by_user": 0,
		"tx_id": null(t.tx), "tx_explorer_url": nil, "email": nil, "comment": t.request["comment"], "paid_at": 0,
		"created_at": t.created.UnixMilli(), "expired_at": fmt.Sprint(t.created.Add(30 * time.Minute).UnixMilli()), "score": []any{1, nil},
	}
}

func null(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func uuid() string {
	b := make([]byte, 16)
	rand.Read(b)
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

func answer(w http.ResponseWriter, status int, data any, message string) {
	w.Header().Set("Content-Type", "application/json;charset=UTF-8")
	json.NewEncoder(w).Encode(map[string]any{"status": status, "data": data, "message": message, "trace": "x"})
}

func (g *otherGateway) pay() {
	g.mu.Lock()
	defer g.mu.Unlock()
	t := g.txs[len(g.txs)-1]
	t.status, t.paid, t.tx = "CONFIRMED", fmt.Sprint(t.request["amount_usd"]), strings.Repeat("ab", 32)
}

// Nothing depends on the sandbox: with another gateway on
// COINSLOT_GATEWAY_URL, and nothing else changed, a shopper pays.
func TestAnotherGateway(t *testing.T) {
	other := &otherGateway{}
	api := httptest.NewServer(other)
	t.Cleanup(api.Close)
	s := newStack(t, "COINSLOT_GATEWAY_URL="+api.URL+"/gw")
	id := s.session(order{"amount_usd": "19.99", "order_ref": "other"})
	_, f := s.open(t, id, "inline", browser.Options{})
	choose(f, "usdt", "TRC20")
	f.Wait(pending)
	fortest.Equal(t, f.Attr(`[data-part="address"]`, "data-value"), otherAddress,
		"address on screen")
	fortest.Equal(t, f.Attr(`[data-part="pay-amount"]`, "data-value"), "19.99", "amount on screen")
	fortest.Lacks(t, "a payment_url outside COINSLOT_GATEWAY_PAGE_URL is shown", f.HTML(),
		"elsewhere.example")
	other.pay()
	f.Wait(paid)
	s.sink.await(t, id, "checkout.confirmed")
}
