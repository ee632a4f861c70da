package alert

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
)

// post sends a message to the URL of a target. Errors: of the connection, without the URL, which
// may hold a secret; a status that is not 2xx.
func (s *Service) post(ctx context.Context, t Target, m Message) error {
	request, err := newRequest(ctx, t, m)
	if err != nil {
		return err
	}
	response, err := s.client.Do(request)
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err
	}
	if err != nil {
		return fmt.Errorf("posting the alert: %w", err)
	}

	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, 4<<10)) // for the next request
	if response.StatusCode < 200 || response.StatusCode > 299 {
		return fmt.Errorf("posting the alert: the answer is %d %s", response.StatusCode,
			http.StatusText(response.StatusCode))
	}
	return nil
}

func newRequest(ctx context.Context, t Target, m Message) (*http.Request, error) {
	body := []byte(m.Text)
	if t.form == slack {
		body = slackBody(m)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, t.to, bytes.NewReader(body))
	if err != nil {
		return nil, errors.New("building the request: the target is not a URL")
	}

	request.Header.Set("User-Agent", "Coinslot")
	if t.form == slack {
		request.Header.Set("Content-Type", "application/json")
		return request, nil
	}

	// Source: docs.ntfy.sh/publish. Headers are encoded by RFC 2047, which ntfy decodes.
	request.Header.Set("Content-Type", "text/plain; charset=utf-8")
	request.Header.Set("Title", mime.QEncoding.Encode("utf-8", m.Title))
	request.Header.Set("Click", m.Link)
	request.Header.Set("Tags", "information_source")
	if m.Urgent {
		request.Header.Set("Tags", "warning")
		request.Header.Set("Priority", "high")
	}
	return request, nil
}

// slackBody is the JSON of an incoming webhook. Slack's markup has three special characters.
// Source: docs.slack.dev/messaging/formatting-message-text.
func slackBody(m Message) []byte {
	escaped := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace
	body, err := json.Marshal(struct {
		Text string `json:"text"`
	}{"*" + escaped(m.Title) + "*\n" + escaped(m.Text)})
	if err != nil {
		panic("alert: encoding a text: " + err.Error())
	}
	return body
}
