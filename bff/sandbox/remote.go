package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Remote is a Server in another process, by its controls. The zero value is of
// no use; URL is needed.
type Remote struct {
	URL string // where the Server listens, "http://127.0.0.1:8082"
}

// remote uses no proxy: a sandbox is on this machine.
var remote = &http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{Proxy: nil}}

// Pay is [Server.Pay] there. It blocks for five seconds at most.
//
// Errors: no answer, or those of the Server.
func (r Remote) Pay(ctx context.Context, code string, kind Kind) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("asking the sandbox for %q: %w", kind, err)
		}
	}()
	address := strings.TrimRight(r.URL, "/") + "/sandbox/transactions/" + url.PathEscape(code) +
		"/" + url.PathEscape(string(kind))
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, nil)
	if err != nil {
		return err
	}

	request.Header.Set("Accept", "application/json")
	answer, err := remote.Do(request)
	if err != nil {
		return err
	}

	defer answer.Body.Close()
	if answer.StatusCode == http.StatusOK {
		return nil
	}

	return errors.New(errorText(answer))
}

// errorText is the error that a control answered with, or the status line.
func errorText(answer *http.Response) string {
	var problem struct {
		Error string `json:"error"`
	}
	err := json.NewDecoder(io.LimitReader(answer.Body, 4096)).Decode(&problem)
	if err != nil ||
		problem.Error == "" {
		return answer.Status
	}
	return problem.Error
}
