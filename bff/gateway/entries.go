package gateway

import (
	"context"
	"fmt"

	"coinslot/bff/payment"
	"coinslot/bff/reconcile"
)

// TransactionRecords is Transactions for display: every member of each item, as the gateway
// writes it. What cannot be read is left out.
//
// Errors: those of Transactions, except about single members.
//
// Source: gateway-api.md, "GET /api/v1/merchant/transaction/list".
func (c *Client) TransactionRecords(
	ctx context.Context, q payment.ListQuery,
) (reconcile.GatewayRecordPage, error) {
	k, err := listCall(q)
	if err != nil {
		return reconcile.GatewayRecordPage{}, err
	}
	var result reconcile.GatewayRecordPage
	err = c.do(ctx, k, func(data any) (err error) {
		result.Items, result.Paging, err = readLenient(data, c.readEntry)
		return err
	})
	if err != nil {
		return reconcile.GatewayRecordPage{}, err
	}
	return result, nil
}

func (c *Client) readEntry(f *fields) reconcile.GatewayRecord {
	text := c.printable(f)
	return reconcile.GatewayRecord{
		TrackingCode: text("tracking_code"), Status: lower(text("status")),
		OrderID: text("order_id"), PaymentURL: text("payment_url"),
		CurrencyCode: text("currency_code"), CurrencyName: text("currency_name"),
		NetworkCode: text("network_code"), NetworkName: text("network_name"),
		AmountUSD: text("amount_usd"), PayAmount: text("pay_amount"),
		PaidAmount: text("paid_amount"), PlatformShare: text("platform_share"),
		MerchantShare: text("merchant_share"), FeePercent: text("payment_fee_percent"),
		TolerancePercent: text("payment_tolerance_percent"),
		CancelledByUser:  f.boolean("is_canceled_by_user"), TxID: text("tx_id"),
		TxURL: text("tx_explorer_url"), Email: text("email"), Comment: text("comment"),
		PaidAt: f.timestamp("paid_at"), CreatedAt: f.timestamp("created_at"),
		ExpiresAt: f.timestamp("expired_at"),
	}
}

// maxShown bounds a text that is only shown, in characters.
const maxShown = 1000

// printable reads texts of f that are only shown: on one line, not without end, and
// without the key, should the gateway repeat it. Numbers are in plain notation.
func (c *Client) printable(f *fields) func(name string) string {
	return func(name string) string {
		text, _ := numeral(f.object[name])
		return shorten(c.hide(clean(text)), maxShown)
	}
}

// readLenient reads the data of a list answer that is only shown. Where a page
// stands may be missing.
func readLenient[T any](data any, read func(*fields) T) ([]T, reconcile.Paging, error) {
	rows, err := list(open(data).object["items"])
	if err != nil {
		return nil, reconcile.Paging{}, fmt.Errorf("reading items: %w", err)
	}
	items := make([]T, 0, len(rows))
	for i, row := range rows {
		f := open(row)
		if f.err != nil {
			return nil, reconcile.Paging{}, fmt.Errorf("reading item %d: %w", i, f.err)
		}
		items = append(items, read(f))
	}
	object, _ := open(data).object["pagination"].(map[string]any)
	at := func(name string) int { return (&fields{object: object}).integer(name) }
	return items, reconcile.Paging{
		Page: at("page"), Limit: at("limit"), Total: at("total"), LastPage: at("last_page"),
	}, nil
}
