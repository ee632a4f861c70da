package background

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"
)

// Server is a server of net/http, or one for HTTP/3.
type Server interface {
	// Shutdown lets requests finish until ctx ends.
	Shutdown(ctx context.Context) error
	// Close ends requests.
	Close() error
}

// toFinish is how long requests may take after the end.
const toFinish = 5 * time.Second

// Serve calls serve, which returns http.ErrServerClosed after the server has ended, in the group
// until ctx ends. Then requests have five seconds to finish. address is for errors, which end the
// group. It does not block.
func Serve(
	ctx context.Context, group *errgroup.Group, address string, server Server, serve func() error,
) {
	group.Go(func() error {
		err := serve()
		if !errors.Is(err, http.ErrServerClosed) {
			return fmt.Errorf("serving on %s: %w", address, err)
		}
		return nil
	})
	group.Go(func() error {
		<-ctx.Done()
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), toFinish)
		defer cancel()
		if err := server.Shutdown(last); err != nil {
			return server.Close()
		}
		return nil
	})
}
