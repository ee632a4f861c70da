package api

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"coinslot/app/wire"
	"coinslot/bff/order"
	"coinslot/bff/web"
)

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
