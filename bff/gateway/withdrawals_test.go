package gateway

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"coinslot/bff/reconcile"

	"github.com/google/go-cmp/cmp"
)

const withdrawalJSON = `{"tracking_code":"W1","currency_name":"Tether","network_name":"Tron",
	"destination_address":"TQn9","amount_usd":"$1,250.50","status":"Processing","tx_id":"","tx_explorer_url":null,
	"created_at":1760000000}`

func TestWithdrawals(t *testing.T) {
	c, seen := record(t, done(`{"items":[`+withdrawalJSON+`],"pagination":{"page":1,"limit":10,"total":1,"last_page":1}}`))
	got, err := c.Withdrawals(t.Context(), reconcile.WithdrawalQuery{Limit: 10, Page: 1, From: day(8, 1), To: day(8, 2), Status: "processing"})
	want := reconcile.WithdrawalPage{Paging: reconcile.Paging{Page: 1, Limit: 10, LastPage: 1, Total: 1}, Items: []reconcile.Withdrawal{{
		TrackingCode: "W1", CurrencyName: "Tether", NetworkName: "Tron", Destination: "TQn9",
		AmountText: "$1,250.50", AmountUSD: dec("1250.5"), AmountKnown: true,
		Status: "processing", CreatedAt: time.Unix(1760000000, 0).UTC(),
	}}}
	if d := diff(want, got); err != nil || d != "" {
		t.Errorf("Withdrawals: %v (-want +got):\n%s", err, d)
	}
	wantSent := sent{method: "GET", path: "/api/v1/merchant/withdrawals/list", query: url.Values{
		"limit": {"10"}, "page": {"1"}, "from_date": {"2026-08-01"}, "to_date": {"2026-08-02"}, "status": {"processing"},
	}}
	if d := cmp.Diff(wantSent, <-seen, cmp.AllowUnexported(sent{})); d != "" {
		t.Errorf("request (-want +got):\n%s", d)
	}
}

func TestWithdrawalLimitsAndAnswers(t *testing.T) {
	c := serveText(t, done(`{"items":[`+strings.Replace(withdrawalJSON, `"$1,250.50"`, `[]`, 1)+`],"pagination":{"last_page":1}}`))
	got, err := c.Withdrawals(t.Context(), reconcile.WithdrawalQuery{})
	if err != nil || got.Items[0].AmountKnown {
		t.Errorf("Withdrawals = %+v, %v; want an unknown amount", got, err)
	}
	_, err = c.Withdrawals(t.Context(), reconcile.WithdrawalQuery{Status: "expired"})
	if o := outcome(t, err); o != "invalid" {
		t.Errorf("Withdrawals of status expired: %s; want invalid", o)
	}
	_, err = serveText(t, done(`{"items":[7],"pagination":{"last_page":1}}`)).Withdrawals(t.Context(), reconcile.WithdrawalQuery{})
	if o := outcome(t, err); o != "unknown" {
		t.Errorf("Withdrawals of a number: %s; want unknown", o)
	}
}

func TestParseDollars(t *testing.T) {
	for in, want := range map[string]string{
		"$12.50": "12.5", "$1,250.00": "1250", "$1,234,567.89": "1234567.89", "1250": "1250", "1250.5": "1250.5", "$0.00": "0",
		"": "", "$": "", "$$1": "", "-$1.00": "", "$-1": "", "$12,50": "", "$1,2345": "", "$,123": "", "$1,": "", "$1.2.3": "",
		"1234,567": "", "12.50 USD": "", "€12.50": "", "$1e3": "", "$1,234.": "", "$.5": "",
	} {
		got, ok := parseDollars(in)
		if ok != (want != "") || ok && !got.Equal(dec(want)) {
			t.Errorf("parseDollars(%q) = %s, %t; want %q", in, got, ok, want)
		}
	}
}
