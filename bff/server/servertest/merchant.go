package servertest

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"coinslot/bff/config"
)

// HookKey signs webhooks here.
const HookKey = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="

// Merchant is a merchant's server that answers with a status and keeps the webhooks that it got.
type Merchant struct {
	URL      string
	Status   atomic.Int32
	Received chan HookMessage
}

// HookMessage is one message.
type HookMessage struct{ ID, Signature, Body string }

// NewMerchant starts one, which ends with t.
func NewMerchant(t *testing.T) *Merchant {
	t.Helper()
	s := &Merchant{Received: make(chan HookMessage, 100)}
	s.Status.Store(http.StatusNoContent)
	at := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.Received <- HookMessage{r.Header.Get("webhook-id"), r.Header.Get("webhook-signature"), string(body)}
		w.WriteHeader(int(s.Status.Load()))
		if s.Status.Load() != http.StatusNoContent {
			fmt.Fprint(w, "=<b>no</b>", strings.Repeat("é", 300))
		}
	}))
	t.Cleanup(at.Close)
	s.URL = at.URL + "/in?key=canary-of-the-endpoint"
	return s
}

// Configure points a server's webhooks at it.
func (s *Merchant) Configure(c *config.Config) {
	c.WebhookURLs, c.AllowPrivateWebhooks, c.WebhookSecrets = []string{s.URL}, true, []config.Secret{config.NewSecret(HookKey)}
}
