package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/fortest"
	"coinslot/bff/payment"
	"coinslot/bff/server"
	"coinslot/bff/server/servertest"
	"coinslot/bff/store"
)

// reopenRig is a server whose sessions can be made to end.
type reopenRig struct {
	*servertest.Rig
	db *store.DB
}

func newReopenRig(t *testing.T) *reopenRig {
	t.Helper()
	gateway, c := servertest.NewGateway(t)
	r, _ := servertest.Start(t, gateway, c, server.Options{})
	db, err := store.OpenBeside(t.Context(), store.Config{DSN: c.Database})
	fortest.OK(t, err)
	t.Cleanup(func() { db.Close() })
	return &reopenRig{Rig: r, db: db}
}

// timeOut ends a session in which no coin was chosen.
func (r *reopenRig) timeOut(id string) {
	r.T.Helper()
	_, err := r.db.Update(r.T.Context(), id, 0, func(s *payment.Session) ([]payment.Event, error) {
		s.ExpiresAt = time.Now().Add(-time.Hour)
		s.ClosedBy = payment.ClosedByTime
		s.Status = wire.Expired
		return nil, nil
	})
	fortest.OK(r.T, err)
}

// A shop asks again for an unpaid order whose session has ended, and gets the same one, open.
func TestSessionAskedForAgain(t *testing.T) {
	t.Parallel()
	r := newReopenRig(t)
	body := `{"amount_usd":"25.00","order_ref":"1001"}`
	id := r.Open(body)
	r.timeOut(id)
	page := r.Do("GET", "/checkout/"+id, "").Body.String()
	fortest.Has(t, "the page of the ended session", page, `data-status="expired"`)

	answer := r.Do("POST", "/v1/sessions", body, servertest.Bearer, servertest.IsJSON)
	fortest.Answer(t, "asked again", answer, http.StatusCreated)
	var got struct {
		ID, Status string
		ExpiresAt  time.Time `json:"expires_at"`
	}
	fortest.OK(t, json.Unmarshal(answer.Body.Bytes(), &got))
	if got.ID != id || got.Status != "open" || time.Until(got.ExpiresAt) < 23*time.Hour ||
		answer.Header().Get("Idempotent-Replayed") != "true" {
		t.Errorf("asked again: %+v, %v", got, answer.Header())
	}
	r.Choose(id)
	r.Await(id, "pending")

	other := `{"amount_usd":"26.00","order_ref":"1001"}`
	answer = r.Do("POST", "/v1/sessions", other, servertest.Bearer, servertest.IsJSON)
	fortest.Answer(t, "another price", answer, http.StatusConflict)

	answer = r.Do("POST", "/v1/sessions/"+id+"/cancel", "", servertest.Bearer)
	fortest.Answer(t, "cancel", answer, http.StatusOK)
	answer = r.Do("POST", "/v1/sessions", body, servertest.Bearer, servertest.IsJSON)
	fortest.Has(t, "asked again after a cancellation", answer.Body.String(), `"status":"cancelled"`)
}

// A valid order token leads to a page that can be paid, though its session has ended.
func TestTokenOfAnEndedSession(t *testing.T) {
	t.Parallel()
	r := newReopenRig(t)
	token := mintedFor(t, "1001", "25.00")
	choice := fmt.Sprintf(`{"order":%q,"currency_symbol":"USDT","network_code":"trc20"}`, token)
	id := r.Open(`{"amount_usd":"25.00","order_ref":"1001"}`)

	read := func() (status int, body string) {
		answer := r.Do("GET", "/checkout?order="+token, "")
		return answer.Code, answer.Body.String()
	}
	status, _ := read()
	fortest.Equal(t, status, http.StatusSeeOther, "the session is open: status")

	r.timeOut(id)
	status, page := read()
	fortest.Equal(t, status, http.StatusOK, "the session has ended: status")
	fortest.Has(t, "its page", page, `data-status="open"`, `data-part="continue"`)
	answer := r.Do("POST", "/checkout", choice, servertest.IsJSON)
	fortest.Answer(t, "a choice", answer, http.StatusOK)
	fortest.Has(t, "the view", answer.Body.String(), id)
	r.Await(id, "pending")

	r.Do("POST", "/v1/sessions/"+id+"/cancel", "", servertest.Bearer)
	problem(t, r.Do("POST", "/checkout", choice, servertest.IsJSON), "session_expired")
}
