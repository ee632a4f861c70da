// Package quiet keeps a line of the metrics library off the terminal. Where the
// kernel does not report pressure (cgroup v1, RHEL without psi=1), the library
// logs that before main runs, so each health check of a container and each
// coinslot version would print it.
//
// It changes the process-wide logger while the program is initialized, so it is
// for the command alone: only package main imports it, and main calls Restore
// first. A program that embeds the server keeps its logger.
//
// Packages are initialized in the order of their paths as soon as what they import
// is. This one imports hardly anything and comes before github.com/…, so its init
// is the earlier one. Source: go.dev/ref/spec#Program_initialization.
package quiet

import (
	"bytes"
	"io"
	"log"
)

var original = log.Writer()

func init() { log.SetOutput(lines{original}) }

// Restore gives the process-wide logger its output back.
func Restore() { log.SetOutput(original) }

// lines passes on what is logged, but for that one line.
type lines struct{ to io.Writer }

func (l lines) Write(line []byte) (int, error) {
	if bytes.Contains(line, []byte("disable exposing PSI metrics")) {
		return len(line), nil
	}
	return l.to.Write(line)
}
