package api

import (
	"cmp"
	"math"
	"net/http"
	"slices"

	"coinslot/app/wire"
	"coinslot/bff/gatewaylist"
	"coinslot/bff/payment"
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

// transaction is one of the gateway's, and withdrawal a payout, with times in the form of the API or
// null.
type transaction struct {
	gatewaylist.GatewayRecord
	PaidAt    *payment.Timestamp `json:"paid_at"`
	CreatedAt *payment.Timestamp `json:"created_at"`
	ExpiredAt *payment.Timestamp `json:"expired_at"`
}

type withdrawal struct {
	gatewaylist.Withdrawal
	AmountUSD string             `json:"amount_usd"`
	CreatedAt *payment.Timestamp `json:"created_at"`
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
			GatewayRecord: e,
			PaidAt:        payment.TimestampOrNil(e.PaidAt),
			CreatedAt:     payment.TimestampOrNil(e.CreatedAt),
			ExpiredAt:     payment.TimestampOrNil(e.ExpiresAt),
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

	page, err := s.Records.Withdrawals(r.Context(), f)
	if err != nil {
		return web.StorageError(err)
	}

	data := make([]withdrawal, 0, len(page.Items))
	for _, e := range page.Items {
		data = append(data, withdrawal{e, e.Amount(), payment.TimestampOrNil(e.CreatedAt)})
	}

	return web.Respond(w, http.StatusOK, newGatewayPage(data, page.Paging, f))
}

// newGatewayPage uses the requested page and limit if the gateway names none.
func newGatewayPage(data any, p gatewaylist.Paging, f payment.ListQuery) gatewayPage {
	return gatewayPage{
		Object:   "list",
		Data:     data,
		Page:     cmp.Or(p.Page, f.Page),
		Limit:    cmp.Or(p.Limit, f.Limit),
		Total:    p.Total,
		LastPage: p.LastPage,
	}
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

	f.Limit, err = parsePositive(q, "limit", defaultEntries, maxEntries)
	if err != nil {
		return f, err
	}

	f.Page, err = parsePositive(q, "page", 1, math.MaxInt32)
	if err != nil {
		return f, err
	}

	f.Status = q.Get("status")
	if f.Status != "" && !slices.Contains(statuses, f.Status) {
		return f, web.Refuse(wire.CodeInvalid, "status")
	}

	f.From, f.To, err = gatewaylist.ListDates(q.Get("from_date"), q.Get("to_date"))
	return f, err
}
