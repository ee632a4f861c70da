// Package api is the merchant's side of HTTP: /v1 and its documentation. Package checkout decides
// about sessions.
package api

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"coinslot/app/wire"
	"coinslot/bff/checkout"
	"coinslot/bff/gatewaylist"
	"coinslot/bff/order"
	"coinslot/bff/payment"
	"coinslot/bff/rates"
	"coinslot/bff/web"
	"coinslot/bff/webhook"
)

// Config has what the merchant's endpoints need.
type Config struct {
	Checkout *checkout.Service
	Rates    *rates.Exchange         // nil = prices in dollars only
	Records  *gatewaylist.Reconciler // the gateway's records
	Events   *webhook.Replayer       // the event log
	// TestWebhooks sends a test message to the merchant's endpoints; nil = none are set.
	TestWebhooks func(ctx context.Context, key string) (webhook.TestResult, error)
	// SecretKeys are the keys for /v1; none = closed.
	SecretKeys []string
	// KeySet is the JWK Set of receipts; empty = a set without keys.
	KeySet []byte
}

type server struct {
	*web.Server
	Config
	keys [][sha256.Size]byte // hashes of SecretKeys
}

// Routes returns the endpoints of the merchant.
func Routes(site *web.Server, c Config) []web.Route {
	s := &server{Server: site, Config: c, keys: hashKeys(c.SecretKeys)}
	if s.TestWebhooks == nil {
		s.TestWebhooks = func(context.Context, string) (webhook.TestResult, error) {
			return webhook.TestResult{}, web.Refuse(wire.CodeWebhookUnset, "")
		}
	}
	if len(s.KeySet) == 0 {
		s.KeySet = []byte(`{"keys":[]}`)
	}

	return append([]web.Route{
		s.merchantRoute("POST /v1/sessions", s.createSession),
		s.merchantRoute("GET /v1/sessions", s.listSessions),
		s.merchantRoute("GET /v1/sessions/{session}", s.readSession),
		s.merchantRoute("POST /v1/sessions/{session}/cancel", s.cancelSession),
		s.merchantRoute("POST /v1/sessions/{session}/recheck", s.recheckSession),
		s.merchantRoute("POST /v1/sessions/{session}/resolve", s.resolveSession),
		s.merchantRoute("POST /v1/sessions/{session}/refunds", s.recordRefund),
		s.merchantRoute("GET /v1/currencies", s.listCurrencies),
		s.merchantRoute("GET /v1/rates", s.listRates),
		s.merchantRoute("GET /v1/transactions", s.listTransactions),
		s.merchantRoute("GET /v1/withdrawals", s.listWithdrawals),
		s.merchantRoute("GET /v1/events", s.listEvents),
		s.merchantRoute("POST /v1/events/replay", s.replayEvents),
		s.merchantRoute("POST /v1/webhooks/test", s.testWebhooks),
		{Pattern: "/v1/", Undocumented: true, Handle: s.requireKey(notFound)},
		{
			Pattern: "GET /.well-known/jwks.json",
			Kind:    web.KindPublished,
			Limit:   web.LimitReads,
			Handle:  s.keySet,
		},
	}, s.docRoutes()...)
}

func (s *server) merchantRoute(pattern string, h web.Handler) web.Route {
	return web.Route{Pattern: pattern, Handle: s.requireKey(h)}
}

func notFound(http.ResponseWriter, *http.Request) error {
	return web.Refuse(wire.CodeNotFound, "")
}

// requireKey wraps a handler that needs a bearer key.
func (s *server) requireKey(h web.Handler) web.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		value, err := web.SingleHeader(r, "Authorization", wire.CodeUnauthorized)
		if err != nil {
			return err
		}
		scheme, key, _ := strings.Cut(value, " ")
		if !s.isKey(strings.TrimSpace(key)) || !payment.SameName(scheme, "Bearer") {
			return s.CountGuess(w, r, web.Refuse(wire.CodeUnauthorized, "Authorization"))
		}
		return h(w, r)
	}
}

// isKey reports whether key is one of the secret keys, in constant time.
func (s *server) isKey(key string) bool {
	got := sha256.Sum256([]byte(key))
	same := 0
	for i := range s.keys {
		same |= subtle.ConstantTimeCompare(got[:], s.keys[i][:])
	}
	return key != "" && same == 1
}

// hashKeys returns hashes, which have equal length for a constant-time comparison.
func hashKeys(keys []string) (list [][sha256.Size]byte) {
	for _, key := range keys {
		list = append(list, sha256.Sum256([]byte(key)))
	}
	return list
}

// idempotencyKey returns the Idempotency-Key, "" if absent.
func idempotencyKey(r *http.Request) (string, error) {
	key, err := web.SingleHeader(r, "Idempotency-Key", wire.CodeInvalid)
	if err != nil {
		return "", err
	}
	if len(r.Header.Values("Idempotency-Key")) > 0 && !web.ValidIdempotencyKey(key) {
		return "", web.Refuse(wire.CodeInvalid, "Idempotency-Key")
	}
	return key, nil
}

// parseQuery reads the query of a list, which may have each named parameter once and no others: a
// misspelled filter would return too much.
func parseQuery(r *http.Request, names ...string) (url.Values, error) {
	q, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, web.Refuse(wire.CodeInvalid, "query")
	}
	for _, name := range slices.Sorted(maps.Keys(q)) {
		if len(q[name]) > 1 || !slices.Contains(names, name) {
			return nil, web.Refuse(wire.CodeInvalid, order.ShortenName(name))
		}
	}
	return q, nil
}

// parsePositive reads a whole number from 1 to most; without = if absent.
func parsePositive(q url.Values, name string, without, most int) (int, error) {
	text := q.Get(name)
	if text == "" {
		return without, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > most || strconv.Itoa(n) != text {
		return 0, web.Refuse(wire.CodeInvalid, name)
	}
	return n, nil
}
