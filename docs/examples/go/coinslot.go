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

// client follows no redirect: the key is for the checkout alone.
var client = &http.Client{
	Timeout:       10 * time.Second,
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// open opens the session of an order, or finds the one that is open already: the
// order's number is the idempotency key.
func (c checkout) open(ctx context.Context, o order, thanks string) (id string, err error) {
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
		return "", fmt.Errorf("opening a session: %w", err)
	}
	defer resp.Body.Close()
	var session struct{ ID, Code string }
	if err := json.NewDecoder(resp.Body).Decode(&session); err != nil || session.ID == "" {
		return "", fmt.Errorf("opening a session: status %d %s", resp.StatusCode, session.Code)
	}
	return session.ID, nil
}

// verify reports whether a body was signed by the checkout within five minutes of now.
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
	// several while the secret is changed
	for _, got := range strings.Fields(h.Get("webhook-signature")) {
		if hmac.Equal([]byte(got), []byte(want)) {
			return true
		}
	}
	return false
}

// event is what the checkout tells, as far as this shop reads it.
type event struct {
	Type string
	Data struct {
		OrderRef  string `json:"order_ref"`
		AmountUSD string `json:"amount_usd"`
		Test      bool   // no real money has moved
	}
}

// hear takes what the checkout tells. An answer other than 2xx means: send it again.
func (s *shop) hear(w http.ResponseWriter, r *http.Request) {
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
	if e.Type != "checkout.confirmed" { // others tell how it goes on; docs/webhooks.md lists them
		w.WriteHeader(http.StatusNoContent)
		return
	}
	w.WriteHeader(s.book(r.Header.Get("webhook-id"), e))
}

// book books a payment and returns the status to answer. Money that fits no
// order is logged, for a person has to look.
func (s *shop) book(id string, e event) int {
	payment := fmt.Sprintf("shop: order %q, amount %q", e.Data.OrderRef, e.Data.AmountUSD)
	if e.Data.Test && !s.test {
		log.Print(payment + ": refused, it is play money; SHOP_TEST=1 takes it")
		return http.StatusNoContent
	}
	first, err := s.orders.pay(id, e.Data.OrderRef, e.Data.AmountUSD)
	if first {
		log.Printf("shop: order %s is paid: send it off", e.Data.OrderRef)
	}
	if err != nil {
		log.Printf("%s: %v: a person has to look", payment, err)
	}
	// it may not be stored yet; an item of the catalogue never is
	if errors.Is(err, errUnknown) && e.Data.OrderRef != "" {
		return http.StatusServiceUnavailable
	}
	return http.StatusNoContent
}
