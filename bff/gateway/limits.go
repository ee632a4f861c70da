package gateway

import (
	"errors"
	"net/mail"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"coinslot/bff/payment"

	"github.com/shopspring/decimal"
)

// Limits of our own where the gateway's page gives none, so that a create, which carries everything
// in its URL too, stays below the 8 KiB that servers take.
const (
	maxNameBytes     = 32
	maxTrackingBytes = 128
	maxEmailBytes    = 254
	maxCommentBytes  = 1000
	maxCallbackBytes = 1000
)

var errTracking = errors.New("tracking_code must be 1 to 128 of A-Z a-z 0-9 _ -")

// invalid is the refusal of a request that breaks a documented limit and was not sent.
func invalid(err error) error {
	return &payment.RefusedError{Reason: payment.ReasonInvalid, Message: err.Error(), Err: err}
}

// checkCreate holds r to what the gateway documents. Bounds that depend on the network (amount,
// ttl) are for the caller, who has the list. Errors quote nothing that a payer wrote.
func checkCreate(r payment.CreateRequest) error {
	switch {
	case !validName(r.CurrencySymbol):
		return errors.New("currency_symbol must be 1 to 32 of A-Z a-z 0-9 . _ -")
	case !validName(r.NetworkCode):
		return errors.New("network_code must be 1 to 32 of A-Z a-z 0-9 . _ -")
	case !validAmount(r.AmountUSD):
		return errors.New(
			"amount_usd must be positive, with at most 18 digits on each side of the point",
		)
	case r.TTL < 1:
		return errors.New("ttl must be at least 1 minute")
	case r.OrderID != 0 && (r.OrderID < 100000 || r.OrderID > 999999):
		return errors.New("order_id must have 6 digits")
	case len(r.Comment) > maxCommentBytes || !utf8.ValidString(r.Comment):
		return errors.New("comment must be UTF-8 of at most 1000 bytes")
	case r.CallbackURL != "" && !ValidCallback(r.CallbackURL):
		return errors.New("callback_url must be a public https URL of at most 1000 bytes")
	}

	return nil
}

func validName(s string) bool { return consistsOf(s, maxNameBytes, "._-") }

func validTracking(s string) bool { return consistsOf(s, maxTrackingBytes, "_-") }

// consistsOf reports whether s has 1 to most bytes, all of them letters, digits or in extra.
func consistsOf(s string, most int, extra string) bool {
	for _, b := range []byte(s) {
		letter := 'a' <= b|0x20 && b|0x20 <= 'z'
		if !letter && (b < '0' || b > '9') && strings.IndexByte(extra, b) < 0 {
			return false
		}
	}
	return s != "" && len(s) <= most
}

// validAmount bounds the digits too: a decimal such as 1e1000000 is short in
// memory and a megabyte when written.
func validAmount(d decimal.Decimal) bool {
	return d.IsPositive() && d.Exponent() >= -18 && d.Exponent() <= 18 &&
		d.LessThan(decimal.New(1, 18))
}

// isStrictEmail reports whether s is an address by RFC 5322. The gateway does not say which rule it
// has, and an address that it refuses would stop the sale.
func isStrictEmail(s string) bool {
	a, err := mail.ParseAddress(s)
	if err != nil || a.Address != s || len(s) > maxEmailBytes {
		return false
	}
	_, domain, _ := strings.Cut(s, "@")
	return strings.Contains(strings.Trim(domain, "."), ".") && !strings.ContainsAny(s, "\" \\")
}

// ValidCallback reports whether the gateway accepts s as callback_url: a public https URL.
// Source: gateway-api.md, "Limits".
func ValidCallback(s string) bool {
	u, err := url.Parse(s)
	if err != nil || len(s) > maxCallbackBytes || strings.ContainsFunc(s, isControl) {
		return false
	}
	return u.Scheme == "https" && u.User == nil && publicHost(u.Hostname())
}

// publicHost reports whether host is a global address, or a name with a dot
// that is not reserved for private use. It resolves nothing.
func publicHost(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if ip, err := netip.ParseAddr(host); err == nil {
		ip = ip.Unmap()
		return ip.IsGlobalUnicast() && !ip.IsPrivate() && ip.Zone() == ""
	}

	labels := strings.Split(host, ".")
	last := labels[len(labels)-1]
	private := []string{"localhost", "local", "internal", "localdomain", "lan", "home", "arpa"}
	switch {
	case len(labels) < 2, slices.Contains(labels, ""), slices.Contains(private, last):
		return false
	case last[0] >= '0' && last[0] <= '9': // "127.1" and "10.0x1" are addresses to browsers
		return false
	}

	return true
}

// maxRange is how far apart the dates of a list may be.
const maxRange = 30 * 24 * time.Hour

// checkList holds q to the documented limits; statuses are those it may ask for.
func checkList(q payment.ListQuery, statuses ...string) error {
	switch {
	case q.Limit < 0 || q.Limit > 50:
		return errors.New("limit must be 1 to 50")
	case q.Page < 0:
		return errors.New("page must be at least 1")
	case q.From.IsZero() != q.To.IsZero():
		return errors.New("from_date and to_date must be given together")
	case date(q.To).Before(date(q.From)):
		return errors.New("from_date must not be after to_date")
	case date(q.To).Sub(date(q.From)) > maxRange:
		return errors.New("from_date and to_date must be at most 30 days apart")
	case q.Status != "" && !slices.Contains(statuses, q.Status):
		return errors.New("status must be one of " + strings.Join(statuses, ", "))
	}

	return nil
}

// date is t's calendar date in its own location, as a time that can be compared.
func date(t time.Time) time.Time {
	y, m, d := t.Date()
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
}
