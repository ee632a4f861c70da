// Package client calls a Coinslot server's API for merchants, and verifies its webhooks.
//
// Amounts are exact decimal text, such as "25.00". Release goods only when a session's Status is
// [Confirmed] and, in production, Test is false. docs/clients.md has a whole program.
package client

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Client calls a Coinslot server. It is safe for concurrent use. It retries nothing: repeat a
// CreateSession with the same IdempotencyKey or OrderRef, and any other call as it is.
//
// Its methods return an [*Error] if the server refuses the request, and those of net/http if no
// answer arrives.
type Client struct {
	URL string // the server's COINSLOT_PUBLIC_URL; https, see [CheckURL]
	Key string // the server's COINSLOT_SECRET_KEY; keep it out of browsers
	// HTTP sends the requests; nil = a client that waits for 30 seconds and follows no redirects,
	// so that the key reaches URL only.
	HTTP *http.Client
}

// Error is why the server refused a request (RFC 9457).
type Error struct {
	Status    int    `json:"-"`    // of HTTP
	Code      string `json:"code"` // see docs/errors.md; empty = not Coinslot's answer
	Detail    string `json:"detail"`
	Param     string `json:"param"` // the member, parameter or header that is wrong; may be empty
	RequestID string `json:"request_id"`
}

// Temporary reports whether the same request can succeed later.
func (e *Error) Temporary() bool {
	return e.Status >= 500 || e.Status == http.StatusTooManyRequests
}

// Error returns the code, sentence, parameter and request id.
func (e *Error) Error() string {
	if e.Code == "" {
		return fmt.Sprintf("status %d, which is not an answer of Coinslot", e.Status)
	}
	text := e.Code + ": " + e.Detail
	if e.Param != "" {
		text += ": " + e.Param
	}
	return text + " (" + e.RequestID + ")"
}

// CreateSession opens a session for an order, or returns the existing one of its OrderRef or
// IdempotencyKey.
func (c *Client) CreateSession(ctx context.Context, order NewSession) (s Session, err error) {
	err = c.send(ctx, http.MethodPost, "/v1/sessions", order.IdempotencyKey, order, &s)
	return s, err
}

// Session returns a session.
func (c *Client) Session(ctx context.Context, id string) (s Session, err error) {
	err = c.Do(ctx, http.MethodGet, sessionPath(id), nil, &s)
	return s, err
}

// Cancel cancels a session for good. It is refused once money is on its way.
func (c *Client) Cancel(ctx context.Context, id string) (s Session, err error) {
	err = c.Do(ctx, http.MethodPost, sessionPath(id)+"/cancel", nil, &s)
	return s, err
}

// Recheck checks a session's payments at the gateway now.
func (c *Client) Recheck(ctx context.Context, id string) (s Session, err error) {
	err = c.Do(ctx, http.MethodPost, sessionPath(id)+"/recheck", nil, &s)
	return s, err
}

// Refund records a refund of a session that you have paid from a wallet of your own. Repeat it as
// it is: the same TxID is the same refund.
func (c *Client) Refund(ctx context.Context, id string, r NewRefund) (s Session, err error) {
	err = c.Do(ctx, http.MethodPost, sessionPath(id)+"/refunds", r, &s)
	return s, err
}

func sessionPath(id string) string { return "/v1/sessions/" + url.PathEscape(id) }

// Sessions returns the sessions that q selects, newest first. An error is the last element.
func (c *Client) Sessions(ctx context.Context, q SessionQuery) iter.Seq2[Session, error] {
	return func(yield func(Session, error) bool) {
		values := url.Values{
			"status": {string(q.Status)}, "order_ref": {q.OrderRef}, "limit": {"100"},
		}
		for {
			var page struct {
				Data []Session `json:"data"`
				Next string    `json:"next_cursor"`
			}
			err := c.Do(ctx, http.MethodGet, "/v1/sessions?"+values.Encode(), nil, &page)
			if err != nil {
				yield(Session{}, err)
				return
			}
			for i := range page.Data {
				if !yield(page.Data[i], nil) {
					return
				}
			}
			if page.Next == "" {
				return
			}
			values.Set("cursor", page.Next)
		}
	}
}

// Events returns the pages of the event log that q selects, oldest first, up to the present end.
// Store a page's Next in the transaction of its effects, and continue from there: then no event is
// missed or repeated. The first page can be empty. An error is the last element; with the code
// cursor_gone, read from the beginning.
func (c *Client) Events(ctx context.Context, q EventQuery) iter.Seq2[EventPage, error] {
	return func(yield func(EventPage, error) bool) {
		values := url.Values{"after": {q.After}, "session": {q.Session}, "limit": {"100"}}
		for {
			var page EventPage
			err := c.Do(ctx, http.MethodGet, "/v1/events?"+values.Encode(), nil, &page)
			if !yield(page, err) || err != nil || !page.More {
				return
			}
			values.Set("after", page.Next)
		}
	}
}

// Rates returns what prices in other currencies than dollars are converted at now, by currency. It
// is empty if the server's prices are in dollars only.
func (c *Client) Rates(ctx context.Context) ([]ListedRate, error) {
	var list struct {
		Data []ListedRate `json:"data"`
	}
	err := c.Do(ctx, http.MethodGet, "/v1/rates", nil, &list)
	return list.Data, err
}

// Do sends a request that has no method of its own, such as GET /v1/currencies. It encodes body as
// JSON and decodes the answer into result, unless these are nil.
func (c *Client) Do(ctx context.Context, method, path string, body, result any) error {
	return c.send(ctx, method, path, "", body, result)
}

func (c *Client) send(
	ctx context.Context, method, path, idempotencyKey string, body, result any,
) error {
	err := errors.Join(CheckURL(c.URL), checkPath(path))
	if err != nil {
		return err // before anything is sent
	}
	var text []byte
	if body != nil {
		if text, err = json.Marshal(body); err != nil {
			return fmt.Errorf("encoding the body of %s %s: %w", method, path, err)
		}
	}
	req, err := http.NewRequestWithContext(ctx, method, strings.TrimRight(c.URL, "/")+path,
		bytes.NewReader(text))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+c.Key)
	req.Header.Set("Accept", "application/json")
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if idempotencyKey != "" {
		req.Header.Set("Idempotency-Key", idempotencyKey)
	}
	resp, err := cmp.Or(c.HTTP, standard).Do(req)
	if err != nil {
		return err // names the method and the URL
	}
	defer resp.Body.Close()
	path, _, _ = strings.Cut(path, "?")
	if resp.StatusCode >= 300 {
		refused := &Error{Status: resp.StatusCode}
		// a proxy may answer with anything
		if json.NewDecoder(resp.Body).Decode(refused) != nil {
			refused.Code = ""
		}
		return fmt.Errorf("%s %s: %w", method, path, refused)
	}
	if result == nil {
		return nil
	}
	if err := json.NewDecoder(resp.Body).Decode(result); err != nil {
		return fmt.Errorf("reading the answer of %s %s: %w", method, path, err)
	}
	return nil
}

var standard = &http.Client{
	Timeout:       30 * time.Second,
	Transport:     transport(),
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// transport is net/http's, with errors that do not repeat a proxy's URL.
func transport() http.RoundTripper {
	standard, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return http.DefaultTransport // the program has replaced it
	}
	own := standard.Clone()
	own.Proxy = proxy
	return own
}

// IsCode reports whether err is an [*Error] with that code.
func IsCode(err error, code string) bool {
	refused, ok := errors.AsType[*Error](err)
	return ok && refused.Code == code
}
