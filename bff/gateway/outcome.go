package gateway

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"

	"coinslot/bff/payment"

	"github.com/go-json-experiment/json/jsontext"
)

// judge is the one place that says what an answer proves. It returns the data of a done answer.
//
// Done: HTTP 2xx and an envelope that says 200. Refused: 429 and 401 whatever the body; else a 4xx
// in the envelope, under HTTP 2xx or 4xx. All the rest is unknown, since the gateway documents no
// errors: 5xx, 3xx, 408 and 425 (which servers send for requests they may have taken), a 4xx page
// of some proxy or firewall, anything unreadable.
func (c *Client) judge(k call, a answer) (data jsontext.Value, err error) {
	switch {
	case a.status == http.StatusTooManyRequests,
		a.status == http.StatusUnauthorized:
		e, _ := a.envelope() // for its message only
		return nil, c.refused(k, a, a.status, string(e.Message))
	case !success(a.status) && !refusal(a.status):
		return nil, c.unknown(k, a, fmt.Errorf("HTTP status %d", a.status))
	}

	e, err := a.envelope()
	switch {
	case err != nil && a.status == http.StatusForbidden:
		return nil, c.unknown(k, a, errFirewall)
	case err != nil:
		return nil, c.unknown(k, a, err)
	case a.status == http.StatusForbidden:
		return nil, c.refused(k, a, a.status, string(e.Message))
	case success(a.status) && e.Status.code == 200:
		return e.Data, nil
	case refusal(e.Status.code) && !e.Status.quoted:
		return nil, c.refused(k, a, e.Status.code, string(e.Message))
	}

	return nil, c.unknown(k, a,
		fmt.Errorf("HTTP status %d with envelope status %d", a.status, e.Status.code))
}

// errFirewall is why a 403 page is unknown. It may be about one request, for
// example because of the shopper's comment in it.
var errFirewall = errors.New("HTTP status 403 without the gateway's envelope: " +
	"probably from a firewall or proxy in front of it; allow this server's requests there")

func success(status int) bool { return status/100 == 2 }

// refusal reports whether a status, of HTTP or an envelope, is a 4xx that says no for good.
func refusal(status int) bool {
	return status/100 == 4 && status != http.StatusRequestTimeout && status != http.StatusTooEarly
}

// refused makes the error of a proven no; status is what said so.
func (c *Client) refused(k call, a answer, status int, message string) error {
	return &payment.RefusedError{
		Reason:     reason(k, a.status, status),
		Status:     status,
		Message:    shorten(clean(c.hide(message)), 200),
		RetryAfter: a.retryAfter,
	}
}

// reason sorts a refusal by its statuses.
func reason(k call, http, envelope int) payment.Reason {
	switch {
	case envelope == 429:
		return payment.ReasonBusy
	case envelope == 401, envelope == 403:
		return payment.ReasonKey
	case k.single && (gone(envelope) || gone(http)):
		return payment.ReasonAbsent
	}
	return payment.ReasonRefused
}

func gone(status int) bool { return status == http.StatusNotFound || status == http.StatusGone }

// envelope is what every answer of the gateway is wrapped in.
// Source: gateway-api.md, "What the service does".
type envelope struct {
	Status  *envelopeStatus `json:"status"` // nil only in the zero envelope
	Message envelopeMessage `json:"message"`
	Data    jsontext.Value  `json:"data"` // empty if absent
}

// envelope reads the body. Its errors quote nothing of it.
func (a answer) envelope() (envelope, error) {
	if a.bodyErr != nil {
		return envelope{}, a.bodyErr
	}
	if err := checkDocument(a.body); err != nil {
		return envelope{}, fmt.Errorf("reading envelope: %w", err)
	}

	var e envelope
	err := decode(a.body, &e)
	if err == nil && e.Status == nil {
		err = errNoStatus
	}
	if err != nil {
		return envelope{}, fmt.Errorf("reading envelope: %w", err)
	}

	return e, nil
}

// envelopeStatus is the status of an envelope, of three digits: 200, not 200.0, 2e2 or "0200".
type envelopeStatus struct {
	code   int
	quoted bool // it was a string; tolerated for 200 alone
}

var errNoStatus = errors.New("no integer status")

// UnmarshalJSON reads a number, or a string of one.
func (s *envelopeStatus) UnmarshalJSON(raw []byte) error {
	status, ok := readScalar(raw)
	if !ok || len(status.text) != 3 || !digits(status.text, 3) {
		return errNoStatus
	}
	code, err := strconv.Atoi(status.text)
	*s = envelopeStatus{code: code, quoted: !status.number}
	return err
}

// envelopeMessage is the message of an envelope; "" if it is no string.
type envelopeMessage string

// UnmarshalJSON reads any value.
func (m *envelopeMessage) UnmarshalJSON(raw []byte) error {
	if s, _ := readScalar(raw); !s.number {
		*m = envelopeMessage(s.text)
	}
	return nil
}

// Bounds of what a gateway can make us wait.
const (
	minRetryAfter = time.Second
	maxRetryAfter = 5 * time.Minute
)

// clean returns untrusted text for one line: what cannot be printed becomes a space.
func clean(s string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, s))
}

func shorten(s string, n int) string {
	if runes := []rune(s); len(runes) > n {
		return string(runes[:n])
	}
	return s
}
