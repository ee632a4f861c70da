package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/bff/sandbox/sandboxtest"
	"coinslot/bff/server"
	"coinslot/bff/server/servertest"
	"coinslot/bff/store"

	"github.com/shopspring/decimal"
)

// recordList is what the merchant's program reads of one of the gateway's lists.
type recordList struct {
	Object                       string
	Data                         []map[string]any
	Page, Limit, Total, LastPage int
}

func (r *rig) records(path string) (list recordList) {
	r.T.Helper()
	answer := r.Do("GET", path, "", bearer)
	fortest.Answer(r.T, "GET "+path, answer, http.StatusOK)
	body := strings.ReplaceAll(answer.Body.String(), `"last_page"`, `"LastPage"`)
	fortest.OK(r.T, json.Unmarshal([]byte(body), &list))
	return list
}

// The gateway's lists are unchanged, with their session, and without secrets.
func TestGatewayLists(t *testing.T) {
	gateway, c := servertest.NewGateway(t)
	r, _ := start(t, gateway, c)
	session := r.Open(`{"amount_usd":"25.00","email":"ann@shop.example"}`)
	r.Choose(session)
	r.Await(session, "pending")
	r.CreateUnrelated(c.GatewayURL)

	list := r.records("/v1/transactions")
	if list.Object != "list" || list.Total != 2 || list.Page != 1 || list.Limit != 20 ||
		list.LastPage != 1 {
		t.Errorf("the list is %+v", list)
	}
	ours := slices.IndexFunc(list.Data,
		func(e map[string]any) bool { return e["session"] == session })
	if len(list.Data) != 2 || ours < 0 {
		t.Fatalf("%d transactions, ours is at %d: %v", len(list.Data), ours, list.Data)
	}
	mine, other := list.Data[ours], list.Data[1-ours]
	for name, want := range map[string]any{
		"amount_usd":    "25.00000000",
		"status":        "pending",
		"attempt":       1.0,
		"email":         "ann@shop.example",
		"paid_at":       nil,
		"currency_code": "usdt_trc20",
		"paid_amount":   "",
	} {
		if mine[name] != want {
			t.Errorf("%s of our transaction = %v; want %v", name, mine[name], want)
		}
	}
	if at, err := time.Parse(time.RFC3339,
		fmt.Sprint(mine["created_at"])); err != nil || time.Since(at).Abs() > time.Minute {
		t.Errorf("created_at = %v, %v", mine["created_at"], err)
	}
	if _, err := decimal.NewFromString(fmt.Sprint(mine["merchant_share"])); err != nil ||
		mine["payment_url"] == "" {
		t.Errorf("merchant_share %v, payment_url %v", mine["merchant_share"], mine["payment_url"])
	}
	if other["session"] != "" || other["attempt"] != 0.0 ||
		other["comment"] != "the point of sale [key]" {
		t.Errorf("what is not ours = %v", other)
	}
	today := time.Now().UTC().Format(time.DateOnly)
	second := r.records("/v1/transactions?status=pending&limit=1&page=2&from_date=" + today +
		"&to_date=" + today)
	if len(second.Data) != 1 || second.Page != 2 || second.Limit != 1 || second.LastPage != 2 {
		t.Errorf("the second page of one is %+v", second)
	}
	none := r.records("/v1/transactions?status=expired&page=9")
	if none.Data == nil || len(none.Data) > 0 {
		t.Errorf("nothing is %v", none.Data)
	}
	t.Run("withdrawals", func(t *testing.T) { r.withdrawals(t) })
	t.Run("odd answers", func(t *testing.T) { r.oddLists(t) })
}

func (r *rig) withdrawals(t *testing.T) {
	list := r.records("/v1/withdrawals?status=confirmed&limit=50")
	if len(list.Data) != 1 || list.Limit != 50 || list.Data[0]["amount_usd"] != "1250.00" ||
		list.Data[0]["status"] != "confirmed" || list.Data[0]["tx_explorer_url"] == "" {
		t.Errorf("withdrawals = %+v", list)
	}
}

// Unusual formats of the gateway are read; an unreachable one is reported.
func (r *rig) oddLists(t *testing.T) {
	r.Gateway.Falsify(sandboxtest.Answer{Path: "transaction/list", Set: map[string]any{
		"pagination":          nil,
		"amount_usd":          25.5,
		"paid_amount":         map[string]any{"x": 1},
		"order_id":            "n/a",
		"created_at":          "2026-11-20T10:00:00+01:00",
		"tx_explorer_url":     "javascript:alert(1)",
		"payment_url":         "http://evil.example/x",
		"comment":             "a\u202eb\n" + strings.Repeat("x", 5000),
		"status":              "PAID\n",
		"is_canceled_by_user": "1",
	}})
	list := r.records("/v1/transactions?limit=7")
	if list.Page != 1 || list.Limit != 7 || list.Total != 0 || len(list.Data) != 2 {
		t.Fatalf("a list without pagination = %+v", list)
	}
	for name, want := range map[string]any{
		"amount_usd":          "25.5",
		"paid_amount":         "",
		"order_id":            "n/a",
		"created_at":          "2026-11-20T09:00:00.000Z",
		"tx_explorer_url":     "",
		"payment_url":         "",
		"status":              "paid",
		"is_canceled_by_user": true,
	} {
		if got := list.Data[0][name]; got != want {
			t.Errorf("%s = %v; want %v", name, got, want)
		}
	}
	comment := fmt.Sprint(list.Data[0]["comment"])
	if len(comment) > 1100 || strings.ContainsAny(comment, "\n\u202e") {
		t.Errorf("the comment is %d long: %.40q", len(comment), comment)
	}
	for path, wrong := range map[string]sandboxtest.Answer{
		"/v1/transactions": {
			Path: "transaction/list",
			Body: `{"status":200,"data":{"items":7}}`,
		},
		"/v1/transactions?page=2": {Path: "transaction/list", Status: 500},
		"/v1/withdrawals":         {Path: "withdrawals/list", Status: 401},
		"/v1/withdrawals?page=2":  {Path: "withdrawals/list", Body: sandboxtest.BadGateway},
	} {
		r.Gateway.Falsify(wrong)
		answer := r.Do("GET", path, "", bearer)
		if answer.Code != http.StatusServiceUnavailable ||
			!strings.Contains(answer.Body.String(), `"gateway_unavailable"`) ||
			answer.Header().Get("Retry-After") == "" {
			t.Errorf("GET %s of a gateway in trouble = %d %s", path, answer.Code, answer.Body)
		}
	}
}

// Pages outside COINSLOT_ORIGINS that show the checkout are recorded, once each.
func TestRefusedOrigins(t *testing.T) {
	c := servertest.Settings(t, "http://127.0.0.1:9")
	srv := fortest.Must(server.New(t.Context(), c, server.Options{}))(t)
	for _, path := range []string{
		"/checkout/embed.js?origin=https://forgotten.example",
		"/checkout?item=coffee&embed=inline&origin=https://Forgotten.example:443",
		"/checkout/embed.js?origin=" + shop, "/checkout/embed.js?origin=" + c.PublicURL,
		"/checkout/embed.js", "/checkout/embed.js?origin=null",
		"/checkout/embed.js?origin=https://x.example/path",
		"/checkout/embed.js?origin=https://<script>",
	} {
		srv.Handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", path, nil))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := errors.Join(srv.Run(ctx),
		srv.Close()); err != nil { // what is counted is written at the end
		t.Fatal(err)
	}
	db := fortest.Must(store.OpenReader(t.Context(), store.Config{DSN: c.Database}))(t)
	defer db.Close()
	list, err := db.RefusedOrigins(t.Context())
	if err != nil || len(list) != 1 || list[0].Origin != "https://forgotten.example" ||
		list[0].Times != 2 || list[0].Sessions != 0 {
		t.Errorf("RefusedOrigins = %+v, %v; want the forgotten one, twice", list, err)
	}
}
