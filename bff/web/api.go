package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"coinslot/app/wire"
	"coinslot/bff/logs"
	"coinslot/bff/order"
	"coinslot/bff/payment"
)

var idempotencyKey = regexp.MustCompile(`^[\x21-\x7e]{1,255}$`)

// createSession is POST /v1/sessions.
func (s *server) createSession(w http.ResponseWriter, r *http.Request) error {
	raw, err := jsonBody(r)
	if err != nil {
		return err
	}
	o, err := order.Decode(raw)
	if err != nil {
		return err
	}
	key, err := keyed(r)
	if err != nil {
		return err
	}
	session, created, err := s.Checkout.Open(r.Context(), o, key)
	if err != nil {
		return stored(err)
	}
	logs.Session(r.Context(), session.ID)
	if !created {
		w.Header().Set("Idempotent-Replayed", "true")
	}
	return s.object(w, http.StatusCreated, session)
}

// keyed reads the Idempotency-Key, "" if there is none.
func keyed(r *http.Request) (string, error) {
	key, err := once(r, "Idempotency-Key", wire.CodeInvalid)
	if err != nil {
		return "", err
	}
	if len(r.Header.Values("Idempotency-Key")) > 0 && !idempotencyKey.MatchString(key) {
		return "", refuse(wire.CodeInvalid, "Idempotency-Key")
	}
	return key, nil
}

// stored marks an error that came from the database as such.
func stored(err error) error {
	var known *wire.Error
	if err == nil || errors.As(err, &known) {
		return err
	}
	return fmt.Errorf("%w: %w", refuse(wire.CodeStorageUnavailable, ""), err)
}

// pageMark is what next_cursor of a list of sessions looks like; the store reads it.
var pageMark = regexp.MustCompile(`^[0-9]{1,19}\.cs_[a-z2-7]{26}$`)

// filters reads the query of a list, which may have each of the named parameters
// once and no others: one that is misspelt or lost on the way would list more
// than was asked for.
func filters(r *http.Request, names ...string) (url.Values, error) {
	q, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, refuse(wire.CodeInvalid, "query")
	}
	for _, name := range slices.Sorted(maps.Keys(q)) {
		if len(q[name]) > 1 || !slices.Contains(names, name) {
			return nil, refuse(wire.CodeInvalid, order.Short(name))
		}
	}
	return q, nil
}

// listSessions is GET /v1/sessions.
func (s *server) listSessions(w http.ResponseWriter, r *http.Request) error {
	q, err := filters(r, "status", "order_ref", "limit", "cursor")
	if err != nil {
		return err
	}
	f := payment.Filter{
		Status: q.Get("status"), OrderRef: q.Get("order_ref"), Cursor: q.Get("cursor"),
	}
	if f.Status != "" && !wire.Status(f.Status).Known() {
		return refuse(wire.CodeInvalid, "status")
	}
	if f.Cursor != "" && !pageMark.MatchString(f.Cursor) {
		return refuse(wire.CodeInvalid, "cursor")
	}
	if f.Limit, err = ordinal(q, "limit", 0, 100); err != nil {
		return err
	}
	page, err := s.Sessions.List(r.Context(), f)
	if err != nil {
		return stored(err)
	}
	data := make([]payment.Object, 0, len(page.Sessions))
	for i := range page.Sessions {
		data = append(data, s.Checkout.Object(page.Sessions[i]))
	}
	return respond(w, http.StatusOK, map[string]any{
		"object": "list", "data": data, "next_cursor": page.Next,
	})
}

// readSession is GET /v1/sessions/{session}.
func (s *server) readSession(w http.ResponseWriter, r *http.Request) error {
	session, err := s.Checkout.Session(r.Context(), r.PathValue("session"))
	if err != nil {
		return stored(err)
	}
	return s.object(w, http.StatusOK, session)
}

// cancelSession is POST /v1/sessions/{session}/cancel; it is for good.
func (s *server) cancelSession(w http.ResponseWriter, r *http.Request) error {
	if err := bare(r); err != nil {
		return err
	}
	session, err := s.calledOff(r, payment.ClosedByMerchant)
	if err != nil {
		return stored(err)
	}
	return s.object(w, http.StatusOK, session)
}

// recheckSession is POST /v1/sessions/{session}/recheck.
func (s *server) recheckSession(w http.ResponseWriter, r *http.Request) error {
	if err := bare(r); err != nil {
		return err
	}
	began := s.Now()
	session, err := s.looked(r)
	if err != nil {
		return stored(err)
	}
	if session.CheckedAt.Before(began) {
		if err := s.Checkout.Nudge(r.Context(), session); err != nil {
			return stored(err)
		}
	}
	return s.object(w, http.StatusOK, session)
}

// resolveSession is POST /v1/sessions/{session}/resolve.
func (s *server) resolveSession(w http.ResponseWriter, r *http.Request) error {
	raw, err := jsonBody(r)
	if err != nil {
		return err
	}
	var body struct {
		As     wire.Status `json:"as"`
		Reason string      `json:"reason"`
	}
	if err := order.Strict(raw, &body); err != nil {
		return err
	}
	session, err := s.Checkout.Resolve(r.Context(), r.PathValue("session"), body.As, body.Reason)
	if err != nil {
		return stored(err)
	}
	return s.object(w, http.StatusOK, session)
}

// listCurrencies is GET /v1/currencies: what can be paid with now, whatever the amount.
func (s *server) listCurrencies(w http.ResponseWriter, r *http.Request) error {
	if _, err := filters(r); err != nil {
		return err
	}
	list, err := s.Checkout.Currencies(r.Context())
	if err != nil {
		return refuse(wire.CodeGatewayUnavailable, "")
	}
	data := make([]map[string]any, 0, len(list))
	for _, c := range list {
		networks := make([]map[string]any, 0, len(c.Networks))
		for _, n := range c.Networks {
			networks = append(networks, map[string]any{
				"code": n.Code, "name": n.Name, "fee": n.Fee.String(),
				"minimum_usd": n.MinimumUSD.String(), "maximum_usd": n.MaximumUSD.String(),
				"max_ttl_minutes": n.MaxTTL,
			})
		}
		data = append(data, map[string]any{
			"symbol": c.Symbol, "name": c.Name, "type": c.Type,
			"price_usdt": c.PriceInUSDT.String(), "networks": networks,
		})
	}
	return respond(w, http.StatusOK, map[string]any{"object": "list", "data": data})
}

// nothing answers what is not there.
func (s *server) nothing(http.ResponseWriter, *http.Request) error {
	return refuse(wire.CodeNotFound, "")
}

// elsewhere answers addresses at which nothing is: browsers in words, programs
// like everywhere.
func (s *server) elsewhere() http.Handler {
	page, data := s.page(s.nothing), s.api(s.nothing)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.Header.Get("Accept"), "text/html") {
			page.ServeHTTP(w, r)
			return
		}
		data.ServeHTTP(w, r)
	})
}

func (s *server) object(w http.ResponseWriter, status int, session payment.Session) error {
	return respond(w, status, s.Checkout.Object(session))
}

// respond writes v as JSON.
func respond(w http.ResponseWriter, status int, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encoding an answer: %w", err)
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(body)+1))
	w.WriteHeader(status)
	w.Write(append(body, '\n'))
	return nil
}

// jsonBody reads a body that must be declared as JSON and be neither encoded
// nor too large.
func jsonBody(r *http.Request) ([]byte, error) {
	kind, err := declared(r)
	if err != nil {
		return nil, err
	}
	if kind != "application/json" {
		return nil, refuse(wire.CodeMediaType, "Content-Type")
	}
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		var tooLarge *http.MaxBytesError
		if errors.As(err, &tooLarge) {
			return nil, refuse(wire.CodeTooLarge, "")
		}
		return nil, refuse(wire.CodeBadJSON, "")
	}
	return raw, nil
}

// bare reads the body of a request that has nothing to say: none, an empty JSON
// object, or a form that says at most how its page is shown.
func bare(r *http.Request) error {
	if r.ContentLength == 0 {
		_, err := declared(r)
		return err
	}
	if r.PostForm == nil {
		raw, err := jsonBody(r)
		if err != nil {
			return err
		}
		return order.Strict(raw, &struct{}{})
	}
	for _, name := range slices.Sorted(maps.Keys(r.PostForm)) {
		if !slices.Contains(
			[]string{"embed", "origin", "theme", "lang", "from", "qr", "open"}, name,
		) {
			return refuse(wire.CodeUnknownField, order.Short(name))
		}
	}
	return nil
}

// declared returns the media type that a request says its body is of, "" if it
// says none that can be read. A body that is encoded is of no type we take.
func declared(r *http.Request) (string, error) {
	kind, err := once(r, "Content-Type", wire.CodeMediaType)
	if err != nil {
		return "", err
	}
	coding, err := once(r, "Content-Encoding", wire.CodeMediaType)
	if err != nil {
		return "", err
	}
	if coding != "" {
		return "", refuse(wire.CodeMediaType, "Content-Type")
	}
	return mediaType(kind), nil
}

// mediaType returns a Content-Type without parameters, "" if it cannot be read.
func mediaType(header string) string {
	kind, _, err := mime.ParseMediaType(header)
	if err != nil {
		return ""
	}
	return kind
}
