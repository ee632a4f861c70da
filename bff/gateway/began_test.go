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

// TestBegan: whoever watches calls is told of each once, with what came of it.
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
		var told []string
		client := serve(t, c.h, func(config *Config) {
			if c.change != nil {
				c.change(config)
			}
			config.Began = func(ctx context.Context, endpoint string) (context.Context, func(string, int)) {
				return ctx, func(outcome string, status int) {
					told = append(told, fmt.Sprint(endpoint, " ", outcome, " ", status))
				}
			}
		})
		_, _ = client.Status(t.Context(), "TRK1")
		if !slices.Equal(told, []string{c.want}) {
			t.Errorf("%s: told %q; want %q", name, told, c.want)
		}
	}
}
