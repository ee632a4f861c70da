package gateway

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"testing"

	"coinslot/bff/payment"
)

// refuser lets nothing out.
type refuser struct{}

func (refuser) Acquire(context.Context, bool) (func(error), error) {
	return nil, &payment.RefusedError{Reason: payment.ReasonUnsent, Err: errors.New("no")}
}

// TestBegan: an observer is called once for each call, with its outcome.
func TestBegan(t *testing.T) {
	for name, c := range map[string]struct {
		h      http.HandlerFunc
		change func(*Config)
		want   string
	}{
		"done":    {answering(200, done(recordJSON)), nil, "status done 200"},
		"refused": {answering(200, `{"status":404}`), nil, "status refused 200"},
		"unknown": {answering(503, ""), nil, "status unknown 503"},
		"broken":  {raw("HTTP/1.1 2"), nil, "status unknown 0"},
		"held":    {answering(200, ""), func(c *Config) { c.Limiter = refuser{} }, "status held 0"},
	} {
		var reported []string
		client := serve(t, c.h, func(config *Config) {
			if c.change != nil {
				c.change(config)
			}
			config.Began = func(ctx context.Context, endpoint string) (context.Context, func(string, int)) {
				return ctx, func(outcome string, status int) {
					reported = append(reported, fmt.Sprint(endpoint, " ", outcome, " ", status))
				}
			}
		})
		_, _ = client.Status(t.Context(), "TRK1")
		if !slices.Equal(reported, []string{c.want}) {
			t.Errorf("%s: reported %q; want %q", name, reported, c.want)
		}
	}
}
