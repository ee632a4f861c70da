package gateway

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"time"

	"coinslot/bff/internal/retryafter"
	"coinslot/bff/payment"

	"github.com/go-json-experiment/json/jsontext"
)

// maxBody bounds an answer, counted after decompression.
const maxBody = 1 << 20

type call struct {
	name   string // in errors and logs: "status"
	method string
	path   string // from the base URL on, with a slash
	query  url.Values
	body   []byte // JSON; nil = none
	effect bool   // does something at the gateway: must not be sent twice
	single bool   // about one transaction: "not found" means that one
}

// answer is what came back before it is judged.
type answer struct {
	status     int
	retryAfter time.Duration
	body       []byte
	bodyErr    error // why body is not whole; nil if it is
}

// do sends k and gives the data of a done answer to read, whose error makes the outcome unknown. It
// returns nil, a *payment.RefusedError or a *payment.UnknownError.
func (c *Client) do(ctx context.Context, k call, read func(data jsontext.Value) error) error {
	ctx, ended := c.began(ctx, k.name)
	start := c.now()
	status, err := c.exchange(ctx, k, read)
	c.report(ctx, k, status, err, c.now().Sub(start))
	ended(outcomeOf(err), status)
	return err
}

// fetch is do with what read makes of the data.
func fetch[T any](
	ctx context.Context, c *Client, k call, read func(data jsontext.Value) (T, error),
) (result T, err error) {
	err = c.do(ctx, k, func(data jsontext.Value) (err error) {
		result, err = read(data)
		return err
	})
	return result, err
}

// exchange is do without the log line; it returns the HTTP status too, zero if none was read.
func (c *Client) exchange(
	caller context.Context, k call, read func(jsontext.Value) error,
) (int, error) {
	ctx, cancel := context.WithTimeout(caller, c.timeout)
	defer cancel()
	report, err := c.acquire(ctx, k)
	if err != nil {
		return 0, c.unsent(k, err)
	}

	a, data, err := c.ask(ctx, caller, k, report)
	if err != nil {
		return a.status, err
	}
	if err := read(data); err != nil {
		return a.status, c.unknown(k, a, fmt.Errorf("reading data: %w", err))
	}

	return a.status, nil
}

// errCut is the outcome of a call that panicked.
var errCut = errors.New("call was cut short")

// ask sends k, judges the answer and reports the outcome to the limiter. caller is the
// context without the client's own deadline.
func (c *Client) ask(
	ctx, caller context.Context, k call, report func(error),
) (a answer, data jsontext.Value, err error) {
	outcome := errCut
	defer func() { report(outcome) }()

	a, err = c.send(ctx, k)
	if err == nil {
		data, err = c.judge(k, a)
	}

	outcome = err
	switch {
	case caller.Err() != nil && !said(err):
		outcome = caller.Err()
	case k.effect && errors.Is(err, errFirewall):
		outcome = errFirewall // of this request; reads find out whether all are blocked
	}
	return a, data, err
}

// said reports whether err, which may be nil, is a reliable answer of the gateway.
func said(err error) bool {
	refused, ok := errors.AsType[*payment.RefusedError](err)
	return err == nil || ok && refused.Status != 0
}

// send makes the request of k. Errors: *[payment.RefusedError] if nothing was sent, else
// *[payment.UnknownError].
func (c *Client) send(ctx context.Context, k call) (answer, error) {
	var t connTrace
	req, err := c.request(httptrace.WithClientTrace(ctx, t.hooks()), k)
	if err != nil {
		return answer{}, c.unsent(k, err)
	}

	client := c.links.reads
	if k.effect {
		client = c.links.effects
	}

	res, err := client.Do(req)
	switch {
	case err == nil:
	case t.unsent():
		return answer{}, c.unsent(k, err)
	default:
		return answer{}, c.unknown(k, answer{}, err)
	}

	defer res.Body.Close()
	header := res.Header.Get("Retry-After")
	a := answer{
		status:     res.StatusCode,
		retryAfter: retryafter.Parse(header, c.now(), minRetryAfter, maxRetryAfter),
	}
	a.body, a.bodyErr = readBody(res.Body)
	return a, nil
}

// request builds k's HTTP request. The key is in one header, for one host, and
// no Idempotency-Key is ever there: it would make net/http repeat POSTs.
func (c *Client) request(ctx context.Context, k call) (*http.Request, error) {
	target := c.base + k.path
	if len(k.query) > 0 {
		target += "?" + k.query.Encode()
	}

	req, err := http.NewRequestWithContext(ctx, k.method, target, nil)
	if err != nil {
		return nil, err
	}

	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "coinslot")
	c.authorize(req.Header)
	req.Close = k.effect
	if k.body != nil {
		req.Header.Set("Content-Type", "application/json")
		req.ContentLength = int64(len(k.body))
		// A body without GetBody cannot be sent again.
		req.Body = io.NopCloser(bytes.NewReader(k.body))
	}

	return req, nil
}

func readBody(r io.Reader) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(r, maxBody+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("reading body: %w", err)
	case len(body) > maxBody:
		return nil, fmt.Errorf("reading body: more than %d bytes", maxBody)
	}
	return body, nil
}

// unknown is the outcome of everything that proves nothing.
func (c *Client) unknown(k call, a answer, cause error) error {
	return &payment.UnknownError{Status: a.status, RetryAfter: a.retryAfter, Err: c.cause(k, cause)}
}

// cause wraps err once for the outside. net/http's outer error is left out: it quotes the URL with
// all parameters. If a server managed to get the key into the text (net/http quotes broken
// answers), the chain is given up for a text without it.
func (c *Client) cause(k call, err error) error {
	if outer, ok := errors.AsType[*url.Error](err); ok {
		err = outer.Err
	}
	if text := err.Error(); c.hide(text) != text {
		err = errors.New(c.hide(text))
	}
	return fmt.Errorf("calling gateway %s: %w", k.name, err)
}

// report writes the one log line of a call. It holds nothing that came from
// the gateway or the payer. Of calls that the admission refused there may be
// many, for one reason that is its own to tell: they are lines for debugging.
func (c *Client) report(ctx context.Context, k call, status int, err error, took time.Duration) {
	level := slog.LevelInfo
	what := outcomeOf(err)
	if what == "done" || what == "held" {
		level = slog.LevelDebug
	}
	if refused, ok := errors.AsType[*payment.RefusedError](err); ok {
		what = "refused: " + string(refused.Reason)
	}
	c.log.LogAttrs(ctx, level, "gateway call", slog.String("endpoint", k.name),
		slog.String("outcome", what), slog.Int("status", status), slog.Duration("took", took))
}

// outcomeOf names the outcome of a call, as [Config.Began] has it.
func outcomeOf(err error) string {
	refused, ok := errors.AsType[*payment.RefusedError](err)
	switch {
	case err == nil:
		return "done"
	case !ok:
		return "unknown"
	case isLimited(refused):
		return "held"
	}
	return "refused"
}
