package sandbox

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/shopspring/decimal"
)

type currencyRecord struct {
	Name     string          `json:"currency_name"`
	Symbol   string          `json:"currency_symbol"`
	Type     string          `json:"currency_type"`
	Price    json.Number     `json:"price_in_usdt"`
	Icon     string          `json:"icon"`
	Networks []networkRecord `json:"supported_networks"`
}

type networkRecord struct {
	Name    string      `json:"network_name"`
	Symbol  string      `json:"network_symbol"`
	Code    string      `json:"network_code"`
	Fee     json.Number `json:"network_fee"`
	Minimum json.Number `json:"minimum_pay_usd"`
	Maximum json.Number `json:"maximum_pay_usd"`
	MaxTTL  int         `json:"max_ttl"`
	Icon    string      `json:"icon"`
}

func currencyRecords(currencies []Currency) []currencyRecord {
	records := make([]currencyRecord, 0, len(currencies))
	for _, c := range currencies {
		r := currencyRecord{
			Name:     c.Name,
			Symbol:   c.Symbol,
			Type:     c.Type,
			Price:    number(c.PriceInUSDT),
			Networks: []networkRecord{},
		}
		for _, n := range c.Networks {
			r.Networks = append(r.Networks, networkRecord{
				Name:    n.Name,
				Symbol:  n.Symbol,
				Code:    n.Code,
				Fee:     number(n.Fee),
				Minimum: number(n.MinimumUSD),
				Maximum: number(n.MaximumUSD),
				MaxTTL:  n.MaxTTL,
			})
		}

		records = append(records, r)
	}

	return records
}

// terms are what all answers about a transaction have.
type terms struct {
	OrderID          int64       `json:"order_id"`
	Status           Status      `json:"status"`
	TrackingCode     string      `json:"tracking_code"`
	PaymentURL       string      `json:"payment_url"`
	CurrencyName     string      `json:"currency_name"`
	NetworkCode      string      `json:"network_code"`
	NetworkName      string      `json:"network_name"`
	PayAmount        string      `json:"pay_amount"`
	AmountUSD        string      `json:"amount_usd"`
	PlatformShare    string      `json:"platform_share"`
	MerchantShare    string      `json:"merchant_share"`
	FeePercent       json.Number `json:"payment_fee_percent"`
	TolerancePercent json.Number `json:"payment_tolerance_percent"`
	ExpiredAt        int64       `json:"expired_at"`
}

func (t *Transaction) terms() terms {
	return terms{
		OrderID:          t.OrderID,
		Status:           t.Status,
		TrackingCode:     t.TrackingCode,
		PaymentURL:       t.PaymentURL,
		CurrencyName:     t.CurrencyName,
		NetworkCode:      t.NetworkCode,
		NetworkName:      t.NetworkName,
		PayAmount:        fixed(t.PayAmount),
		AmountUSD:        fixed(t.AmountUSD),
		PlatformShare:    fixed(t.PlatformShare),
		MerchantShare:    fixed(t.MerchantShare),
		FeePercent:       number(t.FeePercent),
		TolerancePercent: number(t.TolerancePercent),
		ExpiredAt:        unix(t.ExpiredAt),
	}
}

// transactionRecord is an item of the transaction list and the data of status, recheck and cancel.
type transactionRecord struct {
	terms
	CurrencyCode    string `json:"currency_code"`
	PaidAmount      string `json:"paid_amount"`
	CancelledByUser bool   `json:"is_canceled_by_user"`
	TxID            string `json:"tx_id"`
	TxExplorerURL   string `json:"tx_explorer_url"`
	Email           string `json:"email"`
	Comment         string `json:"comment"`
	PaidAt          int64  `json:"paid_at"`
	CreatedAt       int64  `json:"created_at"`
}

// record returns t as the API shows it. paid_amount has eight fractional digits; tx_id is
// that of the youngest transfer that the gateway has seen.
func (t *Transaction) record() transactionRecord {
	r := transactionRecord{
		terms:           t.terms(),
		CurrencyCode:    strings.ToLower(t.CurrencySymbol + "_" + t.NetworkCode),
		CancelledByUser: t.CancelledByUser,
		Email:           t.Email,
		Comment:         t.Comment,
		PaidAt:          unix(t.PaidAt),
		CreatedAt:       unix(t.CreatedAt),
	}
	if last := t.lastSeen(); last != nil {
		r.PaidAmount = fixed(t.paid())
		r.TxID = last.TxID
		r.TxExplorerURL = t.ExplorerURL + last.TxID
	}

	return r
}

// sampleRecord returns t as the answers of recheck and cancel show it: with the status of
// the documentation's samples, whatever it is by now.
func (t *Transaction) sampleRecord() transactionRecord {
	r := t.record()
	r.Status = Pending
	return r
}

// createdRecord is the data of create, the only answer with the address.
type createdRecord struct {
	terms
	CurrencySymbol string `json:"currency_symbol"`
	Network        string `json:"network"`
	WalletAddress  string `json:"wallet_address"`
	QRCode         string `json:"qr_code"`
}

func (t *Transaction) created() createdRecord {
	return createdRecord{
		terms:          t.terms(),
		CurrencySymbol: t.CurrencySymbol,
		Network:        t.Chain,
		WalletAddress:  t.WalletAddress,
	}
}

func fixed(d decimal.Decimal) string { return d.StringFixed(places) }

func number(d decimal.Decimal) json.Number { return json.Number(d.String()) }

func unix(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
}
