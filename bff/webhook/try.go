package webhook

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"

	"coinslot/bff/internal/retryafter"
)

// maxNoteBytes is the outbox's limit of a note.
const maxNoteBytes = 1 << 10

type answer struct {
	status int           // HTTP status; zero = none was read
	after  time.Duration // earliest next try asked for by a 429 or 503; zero = not asked
	note   string        // printable, on one line
	err    error         // why there is no status; nil if there is one
}

func (a answer) delivered() bool { return a.status >= 200 && a.status < 300 }

// post makes one try. If nothing could be sent, the answer has status zero.
//
// A 2xx counts as soon as its header is read: the endpoint has accepted the event, even if
// the rest of the answer is lost.
func (s *Sender) post(ctx context.Context, d Delivery) answer {
	ctx, cancel := context.WithTimeout(ctx, s.config.Timeout)
	defer cancel()
	req, err := s.request(ctx, d)
	if err != nil {
		return answer{note: clean(err.Error()), err: err}
	}

	res, err := s.client.Do(req)
	if err != nil {
		return answer{note: clean(s.describe(err)), err: err}
	}

	defer res.Body.Close()
	// a part is enough for a note
	body, _ := io.ReadAll(io.LimitReader(res.Body, maxAnswerBytes))
	a := answer{status: res.StatusCode, note: clean(string(body))}
	if a.status == http.StatusTooManyRequests || a.status == http.StatusServiceUnavailable {
		header := res.Header.Get("Retry-After")
		a.after = retryafter.Parse(header, s.config.Now(), 0, maxRetryAfter)
	}

	return a
}

// request signs d again for each try, with the current time and keys.
func (s *Sender) request(ctx context.Context, d Delivery) (*http.Request, error) {
	at := s.config.Now()
	signature, err := s.keys.Sign(d.EventID, at, d.Body)
	if err != nil {
		return nil, err
	}

	req, err := http.NewRequestWithContext(ctx, http.MethodPost, d.Endpoint,
		bytes.NewReader(d.Body))
	if err != nil {
		return nil, errors.New("building the request: endpoint is not a URL")
	}

	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "Coinslot")
	req.Header.Set("Webhook-Id", d.EventID)
	req.Header.Set("Webhook-Timestamp", strconv.FormatInt(at.Unix(), 10))
	req.Header.Set("Webhook-Signature", signature)
	return req, nil
}

// describe returns the text of a client error without the endpoint's URL, whose query can
// hold a secret.
func (s *Sender) describe(err error) string {
	if errors.Is(err, errPrivate) {
		return "refused to connect: " + errPrivate.Error()
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Sprintf("no answer within %v", s.config.Timeout)
	}
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err
	}
	return err.Error()
}

// decide returns what to record of an answer; it is pure. now is the end of the try, draw in
// [0, 1) decides the jitter.
func decide(d Delivery, a answer, now time.Time, draw float64) DeliveryResult {
	r := DeliveryResult{Status: a.status, Note: a.note}
	r.Delivered = a.delivered()
	if r.Delivered {
		return r
	}

	wait, ok := Next(d.Tries+1, now.Sub(d.CreatedAt))
	r.Abandoned = a.status == http.StatusGone || !ok
	if r.Abandoned {
		return r
	}

	wait = jitter(wait, draw)
	if a.after > wait {
		wait = a.after + max(jitter(a.after, draw)-a.after, 0) // never sooner than was asked for
	}

	r.NextAt = now.Add(wait)
	return r
}

// clean returns untrusted text as valid UTF-8 on one line, without control characters, of at
// most 1 KiB.
func clean(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "?"))
	text = strings.TrimSpace(text)
	if len(text) > maxNoteBytes {
		// the cut may have halved a letter
		text = strings.TrimSpace(strings.ToValidUTF8(text[:maxNoteBytes], ""))
	}

	return text
}

// maxAnswerBytes is how much of an answer's body is read.
const maxAnswerBytes = 1 << 10

// NewClient returns a client for URLs that [CheckEndpoint] accepts. It follows no redirect, knows no
// proxy and keeps no cookies; the deadline of a try is its context's.
func NewClient(allowPrivate bool) *http.Client {
	dialer := net.Dialer{Timeout: 10 * time.Second, KeepAlive: 15 * time.Second}
	if !allowPrivate {
		dialer.Control = newGuard().control
	}

	// HTTP/1.1 only: a connection carries one try, so that a connection that hangs
	// takes no other try with it.
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	return &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		},
		Transport: &http.Transport{
			// not even from the environment: it would connect in our place, unguarded
			Proxy:                  nil,
			DialContext:            dialer.DialContext,
			TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
			TLSHandshakeTimeout:    10 * time.Second,
			Protocols:              &protocols,
			DisableCompression:     true, // 1 KiB stays 1 KiB
			MaxResponseHeaderBytes: 16 << 10,
			MaxIdleConnsPerHost:    inFlight,
			IdleConnTimeout:        30 * time.Second,
		},
	}
}
