package load

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"testing"

	"coinslot/bff/config"
	"coinslot/bff/realtime"
	"coinslot/bff/server"
	"coinslot/e2e/built"
	"coinslot/e2e/need"

	"golang.org/x/sync/errgroup"
)

// role is the variable that makes the test binary a server: naive or wide.
const role = "LOAD_ROLE"

// manySocketsSetting is in the environment of a world whose sessions may have any number of
// sockets.
const manySocketsSetting = role + "=wide"

func TestMain(m *testing.M) {
	switch os.Getenv(role) {
	case "naive":
		os.Exit(naiveMain())
	case "wide":
		os.Exit(runManySockets())
	}
	os.Exit(need.Main(m, "it measures the program under load", linux(), func() int {
		if err := built.Build(); err != nil {
			fmt.Fprintln(os.Stderr, "load:", err)
			return 1
		}
		return m.Run()
	}))
}

// linux is nil where /proc has the memory and processor time of a process.
func linux() error {
	if _, err := os.Stat("/proc/self/statm"); err != nil {
		return errors.New("/proc is missing: measure on Linux")
	}
	return nil
}

// runManySockets is the command's serve with one limit lifted: a session may have any
// number of sockets.
func runManySockets() int {
	if err := serveManySockets(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func serveManySockets(ctx context.Context) error {
	c, err := config.Load(os.Environ(), nil)
	if err != nil {
		return err
	}
	srv, err := server.New(ctx, c, server.Options{Hub: realtime.HubConfig{PerSession: 1 << 20}})
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", c.Listen)
	if err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	server.Serve(ctx, group, l, srv.Handler)
	group.Go(func() error { return srv.Run(ctx) })
	return group.Wait()
}
