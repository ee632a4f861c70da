package api

import (
	"cmp"
	"net/http"
	"slices"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/payment"
	"coinslot/bff/reconcile"
	"coinslot/bff/web"
)

type gatewayPage struct {
	Object   string `json:"object"`
	Data     any    `json:"data"`
	Page     int    `json:"page"`
	Limit    int    `json:"limit"`
	Total    int    `json:"total"`
	LastPage int    `json:"last_page"`
}

// transaction is one of the gateway's with its member names, times in RFC 3339, and its session.
type transaction struct {
	OrderID          string     `json:"order_id"`
	Status           string     `json:"status"`
	TrackingCode     string     `json:"tracking_code"`
	PaymentURL       string     `json:"payment_url"`
	CurrencyCode     string     `json:"currency_code"`
	CurrencyName     string     `json:"currency_name"`
	NetworkCode      string     `json:"network_code"`
	NetworkName      string     `json:"network_name"`
	PayAmount        string     `json:"pay_amount"`
	AmountUSD        string     `json:"amount_usd"`
	PlatformShare    string     `json:"platform_share"`
	MerchantShare    string     `json:"merchant_share"`
	FeePercent       string     `json:"payment_fee_percent"`
	TolerancePercent string     `json:"payment_tolerance_percent"`
	PaidAmount       string     `json:"paid_amount"`
	CancelledByUser  bool       `json:"is_canceled_by_user"`
	TxID             string     `json:"tx_id"`
	TxURL            string     `json:"tx_explorer_url"`
	Email            string     `json:"email"`
	Comment          string     `json:"comment"`
	PaidAt           *time.Time `json:"paid_at"`
	CreatedAt        *time.Time `json:"created_at"`
	ExpiredAt        *time.Time `json:"expired_at"`
	Session          string     `json:"session"`
	Attempt          int        `json:"attempt"`
}

type withdrawal struct {
	TrackingCode string     `json:"tracking_code"`
	CurrencyName string     `json:"currency_name"`
	NetworkName  string     `json:"network_name"`
	Destination  string     `json:"destination_address"`
	AmountUSD    string     `json:"amount_usd"`
	Status       string     `json:"status"`
	TxID         string     `json:"tx_id"`
	TxURL        string     `json:"tx_explorer_url"`
	CreatedAt    *time.Time `json:"created_at"`
}

// listTransactions is GET /v1/transactions.
func (s *server) listTransactions(w http.ResponseWriter, r *http.Request) error {
	f, err := parseListFilter(r, "pending", "confirmed", "expired", "cancelled")
	if err != nil {
		return err
	}
	page, err := s.Records.TransactionRecords(r.Context(), f)
	if err != nil {
		return web.StorageError(err)
	}
	data := make([]transaction, 0, len(page.Items))
	for _, e := range page.Items {
		data = append(data, transaction{
			OrderID: e.OrderID, Status: e.Status, TrackingCode: e.TrackingCode,
			PaymentURL: e.PaymentURL, CurrencyCode: e.CurrencyCode, CurrencyName: e.CurrencyName,
			NetworkCode: e.NetworkCode, NetworkName: e.NetworkName, PayAmount: e.PayAmount,
			AmountUSD: e.AmountUSD, PlatformShare: e.PlatformShare, MerchantShare: e.MerchantShare,
			FeePercent: e.FeePercent, TolerancePercent: e.TolerancePercent,
			PaidAmount: e.PaidAmount, CancelledByUser: e.CancelledByUser,
			TxID: e.TxID, TxURL: e.TxURL, Email: e.Email, Comment: e.Comment,
			PaidAt: timeOrNull(e.PaidAt), CreatedAt: timeOrNull(e.CreatedAt),
			ExpiredAt: timeOrNull(e.ExpiresAt), Session: e.Session, Attempt: e.Attempt,
		})
	}
	return web.Respond(w, http.StatusOK, newGatewayPage(data, page.Paging, f))
}

// listWithdrawals is GET /v1/withdrawals.
func (s *server) listWithdrawals(w http.ResponseWriter, r *http.Request) error {
	f, err := parseListFilter(r, "pending", "processing", "confirmed")
	if err != nil {
		return err
	}
	page, err := s.Records.Withdrawals(r.Context(), reconcile.WithdrawalQuery(f))
	if err != nil {
		return web.StorageError(err)
	}
	data := make([]withdrawal, 0, len(page.Items))
	for _, e := range page.Items {
		data = append(data, withdrawal{
			TrackingCode: e.TrackingCode, CurrencyName: e.CurrencyName, NetworkName: e.NetworkName,
			Destination: e.Destination, AmountUSD: e.Amount(), Status: e.Status, TxID: e.TxID,
			TxURL: e.TxURL, CreatedAt: timeOrNull(e.CreatedAt),
		})
	}
	return web.Respond(w, http.StatusOK, newGatewayPage(data, page.Paging, f))
}

// newGatewayPage uses the requested page and limit if the gateway names none.
func newGatewayPage(data any, p reconcile.Paging, f payment.ListQuery) gatewayPage {
	return gatewayPage{
		Object: "list", Data: data, Page: cmp.Or(p.Page, f.Page), Limit: cmp.Or(p.Limit, f.Limit),
		Total: p.Total, LastPage: p.LastPage,
	}
}

// timeOrNull is nil for an unknown time.
func timeOrNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

const (
	maxEntries = 50 // source: gateway-api.md, "Limits"
	// defaultEntries is ours: the gateway's own default is not documented.
	defaultEntries = 20
)

// parseListFilter reads the query of such a list and checks it against the gateway's documentation.
func parseListFilter(r *http.Request, statuses ...string) (f payment.ListQuery, err error) {
	q, err := parseQuery(r, "limit", "page", "from_date", "to_date", "status")
	if err != nil {
		return f, err
	}
	if f.Limit, err = parsePositive(q, "limit", defaultEntries, maxEntries); err != nil {
		return f, err
	}
	if f.Page, err = parsePositive(q, "page", 1, 1<<31-1); err != nil {
		return f, err
	}
	if f.Status = q.Get("status"); f.Status != "" && !slices.Contains(statuses, f.Status) {
		return f, web.Refuse(wire.CodeInvalid, "status")
	}
	f.From, f.To, err = reconcile.ListDates(q.Get("from_date"), q.Get("to_date"))
	return f, err
}
