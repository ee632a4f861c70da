package server_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/bff/payment"
	"coinslot/bff/sandbox"
	"coinslot/bff/server/servertest"
)

// A refund is recorded once, however often it is sent; its transaction is its key. It is an event
// after that of the payment, and the session stays confirmed.
func TestRefunds(t *testing.T) {
	t.Parallel()
	w := newPolicyRig(t, ownOrigin, []string{shop}, servertest.NoLimits)
	id := w.OpenAndPay(`{"amount_usd":"25.00"}`, sandbox.KindOver, "confirmed")

	const route = "POST /v1/sessions/{session}/refunds"
	record := func(body string, status int) {
		t.Helper()
		fortest.Answer(t, body, w.asked("192.0.2.1", route, id, body, isJSON, bearer), status)
	}
	read := func() (s payment.Object) {
		answer := w.Do("GET", "/v1/sessions/"+id, "", bearer)
		fortest.OK(t, json.Unmarshal(answer.Body.Bytes(), &s))
		return s
	}
	excess := read().OverpaidAmount
	record(refundBody(excess, "d"), 201)
	record(refundBody(excess+"0", "D"), 200)
	problem(t, w.asked("192.0.2.1", route, id, refundBody("1", "d"), isJSON, bearer),
		"refund_conflict")
	tooMuch := refundBody("1000", "e")
	problem(t, w.asked("192.0.2.1", route, id, tooMuch, isJSON, bearer), "refund_exceeds")
	record(strings.Replace(tooMuch, "{", `{"confirm_excess":true,`, 1), 201)

	s := read()
	fortest.Equal(t, string(s.Status), "confirmed", "status")
	fortest.Equal(t, len(s.Refunds), 2, "refunds")
	link := "https://tronscan.org/#/transaction/" + strings.Repeat("d", 64)
	fortest.Equal(t, s.Refunds[0].TxURL, link, "link")

	var types []string
	for _, e := range w.Events("?session=" + id).Data {
		types = append(types, string(e.Type))
	}
	fortest.Diff(t, types, []string{
		string(payment.EventPending), string(payment.EventConfirmed),
		string(payment.EventRefund), string(payment.EventRefund),
	}, "events")
}

// The example of docs/refunds.md is recorded as it is there.
func TestRefundOfTheDocumentation(t *testing.T) {
	t.Parallel()
	page := string(fortest.Must(os.ReadFile("../../docs/refunds.md"))(t))
	_, after, _ := strings.Cut(page, "```json\n")
	example, _, _ := strings.Cut(after, "```")

	w := newPolicyRig(t, ownOrigin, []string{shop}, servertest.NoLimits)
	id := w.OpenAndPay(`{"amount_usd":"25.00"}`, sandbox.KindOver, "confirmed")
	answer := w.asked("192.0.2.1", "POST /v1/sessions/{session}/refunds", id, example,
		isJSON, bearer)
	fortest.Answer(t, example, answer, 201)
}
