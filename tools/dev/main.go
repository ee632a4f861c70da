// Command dev runs Coinslot for development, with live reload: make dev.
//
// It runs the demo (checkout, sandbox gateway, shop) and the gallery of all screens, watches the
// sources, builds what has changed and restarts both; open pages reload by themselves. The demo's
// data is kept in .cache/dev/data.
//
// With -gallery it runs the gallery alone: make gallery-serve.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"coinslot/tools/progress"
)

// pollInterval is the pause between two scans of the sources: some 1,100 files take 5 ms.
const pollInterval = 200 * time.Millisecond

func main() {
	galleryOnly := flag.Bool("gallery", false, "run the gallery alone")
	port := flag.Int("port", 8080,
		"port of the checkout; shop, gateway and gallery take the next three")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *galleryOnly, *port); err != nil {
		fmt.Fprintln(os.Stderr, "dev:", err)
		os.Exit(1)
	}
}

// run builds and serves until ctx ends. Errors: the first build fails, or a port is taken.
func run(ctx context.Context, galleryOnly bool, port int) error {
	root, err := filepath.Abs(".")
	if err != nil {
		return fmt.Errorf("finding the module: %w", err)
	}

	l := &loop{
		root:        root,
		progress:    progress.New(os.Stderr),
		galleryOnly: galleryOnly,
		port:        port,
	}
	if err := l.checkPorts(); err != nil {
		return err
	}

	before := snapshot(root)
	if err := l.build(everything); err != nil {
		return err
	}

	defer l.stop()
	if err := l.start(); err != nil {
		return err
	}

	l.progress.Line("dev",
		"watching app, bff, static: pages reload by themselves. Press Ctrl-C to stop.")
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		now := snapshot(root)
		if changed := differences(before, now); len(changed) > 0 {
			before = now
			l.update(changed)
		}
	}
}

// update builds what changed files need, and restarts the programs. After a failed build the old
// ones keep running.
func (l *loop) update(changed []string) {
	started := time.Now()
	more := ""
	if len(changed) > 1 {
		more = fmt.Sprintf(" and %d more", len(changed)-1)
	}

	l.progress.Line("dev", changed[0]+more+" changed")
	err := l.build(workFor(changed))
	if err == nil {
		l.stop()
		err = l.start()
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "\n%v\n\n", err)
		l.progress.Line("dev", "the previous build keeps running; waiting for the next change")
		return
	}

	l.progress.Line("dev", fmt.Sprintf("✓ reloading pages, %.1f s", time.Since(started).Seconds()))
}

// address is where a program listens; the checkout is at offset 0. The port is fixed, so that open
// pages find the demo after a restart.
func (l *loop) address(offset int) string {
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(l.port+offset))
}

// Offsets of the other programs' ports.
const (
	shopOffset = iota + 1
	gatewayOffset
	galleryOffset
)

// checkPorts returns an error if a port is in use.
func (l *loop) checkPorts() error {
	offsets := []int{galleryOffset}
	if !l.galleryOnly {
		offsets = append(offsets, 0, shopOffset, gatewayOffset)
	}

	var errs []error
	for _, offset := range offsets {
		listener, err := net.Listen("tcp", l.address(offset))
		if err == nil {
			err = listener.Close()
		} else {
			err = fmt.Errorf("%w: is another demo running? Choose other ports with -port", err)
		}
		errs = append(errs, err)
	}

	return errors.Join(errs...)
}

// watched are the sources of the demo and the gallery. They are polled, because the systems'
// notifications differ and lose changes.
var watched = []string{
	"app", "bff", "client", "docs", "e2e/gallery", "static", "tools/assets", "tools/bundle",
	"tools/reference",
	"go.mod", "go.sum",
}

// file is what changes when a file is written.
type file struct {
	changed time.Time
	size    int64
}

// snapshot returns the watched files by name. It skips unreadable files, which an editor may be
// replacing.
func snapshot(root string) map[string]file {
	files := map[string]file{}
	for _, name := range watched {
		visit := func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return nil
			}

			name, err := filepath.Rel(root, path)
			name = filepath.ToSlash(name)
			switch {
			case err != nil:
				return nil
			case entry.IsDir() && (entry.Name() == "testdata" || name == "static/dist"):
				return filepath.SkipDir
			case entry.IsDir() || ignored(name):
				return nil
			}
			if info, err := entry.Info(); err == nil {
				files[name] = file{info.ModTime(), info.Size()}
			}

			return nil
		}
		_ = filepath.WalkDir(filepath.Join(root, name), visit) // returns no errors
	}

	return files
}

// ignored reports whether a file is a test, documentation, or an editor's temporary file.
func ignored(name string) bool {
	base := filepath.Base(name)
	return strings.HasPrefix(base, ".") || strings.HasPrefix(base, "#") ||
		strings.HasSuffix(base, "~") || strings.HasSuffix(base, ".md") ||
		strings.HasSuffix(base, ".png") || strings.HasSuffix(base, "_test.go")
}

// differences returns the sorted names of new, changed and deleted files.
func differences(before, now map[string]file) []string {
	changed := maps.Clone(before)
	maps.Copy(changed, now)
	maps.DeleteFunc(changed, func(name string, _ file) bool { return before[name] == now[name] })
	return slices.Sorted(maps.Keys(changed))
}
