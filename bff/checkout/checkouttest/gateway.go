package checkouttest

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"coinslot/bff/payment"

	"github.com/btcsuite/btcd/btcutil/base58"
	"github.com/shopspring/decimal"
)

// Gateway is a fake gateway with state. Hooks make its answers fail; they run outside its lock,
// so they may block; nil hooks do nothing.
type Gateway struct {
	now func() time.Time

	// CreateHook runs in every create: an error from before means that nothing was done,
	// one from after that it was, although the answer is that error.
	CreateHook func(req payment.CreateRequest) (before, after error)
	CancelHook func(code string) (before, after error)
	StatusHook func(code string) error
	ListHook   func() error
	CoinsHook  func() error
	// MangleCreated changes the answer to create, not what was created.
	MangleCreated func(*payment.Created)
	// MangleStatus changes the answer to Status.
	MangleStatus func(*payment.Record)

	mu    sync.Mutex // guards the fields below
	Key   string
	txs   []*Transaction // oldest first
	calls map[string]int // by method
}

// Transaction is a transaction of the gateway.
type Transaction struct {
	payment.Record
	Address  string
	Stubborn bool // cancel is refused
}

// NewGateway returns a gateway without transactions.
func NewGateway(now func() time.Time) *Gateway {
	return &Gateway{now: now, Key: "https://gateway.test#1", calls: map[string]int{}}
}

// Dec is the decimal that s writes.
func Dec(s string) decimal.Decimal { return decimal.RequireFromString(s) }

// coins is what the gateway of the tests has enabled.
func coins() []payment.Currency {
	network := func(name, code, least, most, fee string) payment.Network {
		return payment.Network{
			Name:       name,
			Code:       code,
			MinimumUSD: Dec(least),
			MaximumUSD: Dec(most),
			Fee:        Dec(fee),
			MaxTTL:     60,
		}
	}
	return []payment.Currency{
		{
			Name:        "Tether",
			Symbol:      "USDT",
			PriceInUSDT: Dec("1"),
			Networks: []payment.Network{
				network("TRON", "trc20", "1", "1000", "1"),
				network("BNB Smart Chain", "bep20", "5", "1000", "0.2"),
			},
		},
		{
			Name:        "BNB",
			Symbol:      "BNB",
			PriceInUSDT: Dec("612.5"),
			Networks: []payment.Network{
				network("BNB Smart Chain", "bep20", "10", "5000", "0.0002"),
			},
		},
	}
}

func (g *Gateway) count(method string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.calls[method]++
}

// Calls returns how often a method was called.
func (g *Gateway) Calls(method string) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.calls[method]
}

// Environment implements checkout.Gateway.
func (g *Gateway) Environment() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.Key
}

// Currencies implements checkout.Gateway.
func (g *Gateway) Currencies(context.Context) ([]payment.Currency, error) {
	g.count("currencies")
	if g.CoinsHook != nil {
		if err := g.CoinsHook(); err != nil {
			return nil, err
		}
	}
	return coins(), nil
}

// Create implements checkout.Gateway.
func (g *Gateway) Create(ctx context.Context, req payment.CreateRequest) (payment.Created, error) {
	g.count("create")
	var before, after error
	if g.CreateHook != nil {
		before, after = g.CreateHook(req)
	}
	if before != nil {
		return payment.Created{}, before
	}

	c := g.Add(req)
	if after != nil {
		return payment.Created{}, after
	}
	if g.MangleCreated != nil {
		g.MangleCreated(&c)
	}

	return c, nil
}

// Add opens a transaction, as a create does.
func (g *Gateway) Add(req payment.CreateRequest) payment.Created {
	g.mu.Lock()
	defer g.mu.Unlock()
	code := fmt.Sprintf("T%05d", len(g.txs)+1)
	pay := req.AmountUSD.DivRound(price(req.CurrencySymbol), 8)
	tx := &Transaction{
		Address: Address(req.NetworkCode, len(g.txs)+1),
		Record: payment.Record{
			TrackingCode: code,
			Status:       "pending",
			OrderID:      req.OrderID,
			Comment:      req.Comment,
			CurrencyCode: strings.ToLower(req.CurrencySymbol + "_" + req.NetworkCode),
			NetworkCode:  req.NetworkCode,
			AmountUSD:    req.AmountUSD,
			PayAmount:    pay,
			PaymentURL:   "https://pay.test/p/" + code,
			CreatedAt:    g.now(),
			ExpiresAt:    g.now().Add(time.Duration(req.TTL) * time.Minute),
		},
	}
	g.txs = append(g.txs, tx)
	return payment.Created{
		TrackingCode:     code,
		PaymentURL:       tx.PaymentURL,
		Status:           "pending",
		OrderID:          req.OrderID,
		CurrencySymbol:   req.CurrencySymbol,
		NetworkCode:      req.NetworkCode,
		AmountUSD:        req.AmountUSD,
		PayAmount:        pay,
		PayAmountText:    pay.StringFixed(8),
		TolerancePercent: Dec("1"),
		Address:          tx.Address,
		ExpiresAt:        tx.ExpiresAt,
	}
}

func price(symbol string) decimal.Decimal {
	for _, c := range coins() {
		if c.Symbol == symbol {
			return c.PriceInUSDT
		}
	}
	return decimal.NewFromInt(1)
}

// Address returns the n-th valid address of a network.
func Address(network string, n int) string {
	var account [20]byte
	binary.BigEndian.PutUint64(account[7:15], uint64(n))
	if network != "trc20" {
		return fmt.Sprintf("0x%x", account)
	}
	return base58.CheckEncode(account[:], 0x41)
}

// Status implements checkout.Gateway.
func (g *Gateway) Status(_ context.Context, code string) (payment.Record, error) {
	g.count("status")
	if g.StatusHook != nil {
		if err := g.StatusHook(code); err != nil {
			return payment.Record{}, err
		}
	}

	g.mu.Lock()
	defer g.mu.Unlock()
	g.age()
	tx := g.find(code)
	if tx == nil {
		return payment.Record{}, &payment.RefusedError{Reason: payment.ReasonAbsent, Status: 404}
	}

	r := tx.Record
	if g.MangleStatus != nil {
		g.MangleStatus(&r)
	}

	return r, nil
}

// Cancel implements checkout.Gateway.
func (g *Gateway) Cancel(_ context.Context, code string) error {
	g.count("cancel")
	var before, after error
	if g.CancelHook != nil {
		before, after = g.CancelHook(code)
	}
	if before != nil {
		return before
	}

	g.mu.Lock()
	defer g.mu.Unlock()
	g.age()
	tx := g.find(code)
	if tx == nil || tx.Status != "pending" || tx.Stubborn {
		return &payment.RefusedError{
			Reason:  payment.ReasonRefused,
			Status:  422,
			Message: "not pending",
		}
	}

	tx.Status = "cancelled"
	tx.CancelledByUser = true
	return after
}

// Recheck confirms an ended transaction that was paid.
func (g *Gateway) Recheck(_ context.Context, code string) error {
	g.count("recheck")
	g.mu.Lock()
	defer g.mu.Unlock()
	g.age()
	tx := g.find(code)
	if tx == nil || (tx.Status != "expired" && tx.Status != "cancelled") {
		return &payment.RefusedError{Reason: payment.ReasonRefused, Status: 422}
	}
	if tx.enough() {
		tx.Status = "confirmed"
	}

	return nil
}

// Transactions lists the newest first.
func (g *Gateway) Transactions(_ context.Context, q payment.ListQuery) (payment.RecordPage, error) {
	g.count("list")
	if g.ListHook != nil {
		if err := g.ListHook(); err != nil {
			return payment.RecordPage{}, err
		}
	}

	g.mu.Lock()
	defer g.mu.Unlock()
	g.age()
	var all []payment.Record
	for _, tx := range slices.Backward(g.txs) {
		if !tx.CreatedAt.Before(q.From) && !tx.CreatedAt.After(q.To) {
			all = append(all, tx.Record)
		}
	}

	last := max(1, (len(all)+q.Limit-1)/q.Limit)
	from := min((q.Page-1)*q.Limit, len(all))
	return payment.RecordPage{
		Items:    all[from:min(from+q.Limit, len(all))],
		Page:     q.Page,
		LastPage: last,
		Total:    len(all),
	}, nil
}

// age expires transactions. g.mu is held.
func (g *Gateway) age() {
	for _, tx := range g.txs {
		if tx.Status == "pending" && !g.now().Before(tx.ExpiresAt) {
			tx.Status = "expired"
		}
	}
}

func (g *Gateway) find(code string) *Transaction {
	for _, tx := range g.txs {
		if tx.TrackingCode == code {
			return tx
		}
	}
	return nil
}

// enough reports whether the payment is complete within one percent.
func (tx *Transaction) enough() bool {
	return tx.Paid.GreaterThanOrEqual(tx.PayAmount.Mul(Dec("0.99")).RoundCeil(8))
}

// Pay receives a payment for a transaction, whatever its status.
func (g *Gateway) Pay(code string, amount decimal.Decimal, txID string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.age()
	tx := g.find(code)
	tx.Paid = tx.Paid.Add(amount)
	tx.PaidAmount = tx.Paid.String()
	tx.PaidReadable = true
	tx.TxID = txID
	tx.PaidAt = g.now()
	if tx.Status == "pending" && tx.enough() {
		tx.Status = "confirmed"
	}
}

// Set changes a transaction.
func (g *Gateway) Set(code string, change func(*Transaction)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	change(g.find(code))
}

// All returns a copy of every transaction.
func (g *Gateway) All() []Transaction {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.age()
	var list []Transaction
	for _, tx := range g.txs {
		list = append(list, *tx)
	}
	return list
}

// Live returns the codes of the transactions that can be paid.
func (g *Gateway) Live() []string {
	var codes []string
	for _, tx := range g.All() {
		if tx.Status == "pending" {
			codes = append(codes, tx.TrackingCode)
		}
	}
	return codes
}

// LostAnswer is the error of a lost answer.
func LostAnswer() error { return &payment.UnknownError{Err: errors.New("connection reset")} }

// Refusal is a refusal for that reason.
func Refusal(reason payment.Reason) error {
	return &payment.RefusedError{Reason: reason, Status: 422, Message: "no"}
}

// Once returns a create hook that answers with before and after the first time.
func Once(before, after error) func(payment.CreateRequest) (error, error) {
	var first sync.Once
	return func(payment.CreateRequest) (b, a error) {
		first.Do(func() {
			b = before
			a = after
		})
		return b, a
	}
}
