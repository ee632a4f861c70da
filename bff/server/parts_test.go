package server_test

import (
	"encoding/json"
	"strings"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/bff/sandbox"
	"coinslot/bff/server/servertest"
)

// A payment in two transfers: API, view, page and receipt have both transactions, in order.
func TestBothTransfersAreKept(t *testing.T) {
	t.Parallel()
	w := newPolicyRig(t, ownOrigin, []string{shop}, servertest.NoLimits)
	id := w.Open(`{"amount_usd":"25.00"}`)
	w.Choose(id)
	w.Await(id, "pending")
	fortest.OK(t, w.Gateway.Pay(w.code(id), sandbox.KindHalf))
	fortest.Until(t, "half has arrived", func() bool {
		return strings.Contains(w.Do("GET", "/v1/sessions/"+id, "", bearer).Body.String(),
			`"missing_amount":"1`)
	})
	fortest.OK(t, w.Gateway.Pay(w.code(id), sandbox.KindPay))
	w.Await(id, "confirmed")

	var want []string
	for _, transfer := range w.Gateway.Transactions()[0].Transfers {
		want = append(want, transfer.TxID)
	}
	fortest.Equal(t, len(want), 2, "transfers")
	var got struct {
		Attempts []struct {
			TxID         string `json:"tx_id"`
			Transactions []struct {
				TxID string `json:"tx_id"`
			}
		}
	}
	answer := w.Do("GET", "/v1/sessions/"+id, "", bearer)
	fortest.OK(t, json.Unmarshal(answer.Body.Bytes(), &got))
	var ids []string
	for _, tx := range got.Attempts[0].Transactions {
		ids = append(ids, tx.TxID)
	}
	fortest.Diff(t, ids, want, "transactions in the API")
	fortest.Equal(t, got.Attempts[0].TxID, want[1], "the latest one")
	for _, path := range []string{"/checkout/" + id + "/view", "/checkout/" + id,
		"/checkout/" + id + "/receipt"} {
		fortest.Has(t, path, w.Do("GET", path, "").Body.String(), want...)
	}
}
