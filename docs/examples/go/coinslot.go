package main

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// checkout is the Coinslot server.
type checkout struct {
	URL        string // its origin
	Key        string // COINSLOT_SECRET_KEY; never leaves this server
	HookSecret string // whsec_...
}

// client follows no redirects, so that the key reaches only the checkout.
var client = &http.Client{
	Timeout:       10 * time.Second,
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// openSession creates the session of an order and returns its id. The order number is the
// idempotency key, so a repeated call returns the same session.
func (c checkout) openSession(ctx context.Context, o order, thanks string) (id string, err error) {
	body, err := json.Marshal(map[string]string{
		"amount_usd": dollars(o.Cents), "order_ref": o.ID, "title": o.Title, "success_url": thanks,
	})
	if err != nil {
		return "", err
	}
	sessions := c.URL + "/v1/sessions"
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, sessions, bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	req.Header.Set("Authorization", "Bearer "+c.Key)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Idempotency-Key", o.ID)
	resp, err := client.Do(req)
	if err != nil {
		return "", fmt.Errorf("creating a session: %w", err)
	}
	defer resp.Body.Close()
	var session struct{ ID, Code string }
	if err := json.NewDecoder(resp.Body).Decode(&session); err != nil || session.ID == "" {
		return "", fmt.Errorf("creating a session: status %d %s", resp.StatusCode, session.Code)
	}
	return session.ID, nil
}

// verify reports whether the checkout signed body within five minutes of now.
func (c checkout) verify(h http.Header, body []byte) bool {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(c.HookSecret, "whsec_"))
	if err != nil || len(key) < 24 {
		return false
	}
	id, stamp := h.Get("webhook-id"), h.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if id == "" || err != nil || time.Since(time.Unix(seconds, 0)).Abs() > 5*time.Minute {
		return false
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", id, stamp, body)
	want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	// there are several while the secret is rotated
	for _, got := range strings.Fields(h.Get("webhook-signature")) {
		if hmac.Equal([]byte(got), []byte(want)) {
			return true
		}
	}
	return false
}

// event has the members of a webhook that this shop reads.
type event struct {
	Type string
	Data struct {
		OrderRef  string `json:"order_ref"`
		AmountUSD string `json:"amount_usd"`
		Test      bool   // no real money has moved
	}
}

// receiveWebhook handles a webhook. If the status is not 2xx, the checkout sends it again.
func (s *shop) receiveWebhook(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	if err != nil || !s.checkout.verify(r.Header, body) {
		http.Error(w, "not signed by the checkout", http.StatusUnauthorized)
		return
	}
	var e event
	if err := json.Unmarshal(body, &e); err != nil {
		http.Error(w, "not an event", http.StatusBadRequest)
		return
	}
	if e.Type != "checkout.confirmed" { // docs/webhooks.md lists the other types
		w.WriteHeader(http.StatusNoContent)
		return
	}
	w.WriteHeader(s.recordPayment(r.Header.Get("webhook-id"), e))
}

// recordPayment marks the order as paid and returns the status of the response. Money that fits
// no order is logged for an operator.
func (s *shop) recordPayment(id string, e event) int {
	payment := fmt.Sprintf("shop: order %q, amount %q", e.Data.OrderRef, e.Data.AmountUSD)
	if e.Data.Test && !s.test {
		log.Print(payment + ": rejected play money; SHOP_TEST=1 accepts it")
		return http.StatusNoContent
	}
	first, err := s.orders.pay(id, e.Data.OrderRef, e.Data.AmountUSD)
	if first {
		log.Printf("shop: order %s is paid: ship it", e.Data.OrderRef)
	}
	if err != nil {
		log.Printf("%s: %v: needs review", payment, err)
	}
	// it may not be stored yet; an order of a catalog item has no order_ref
	if errors.Is(err, errUnknown) && e.Data.OrderRef != "" {
		return http.StatusServiceUnavailable
	}
	return http.StatusNoContent
}
