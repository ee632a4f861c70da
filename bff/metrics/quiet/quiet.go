// Package quiet keeps a line of the metrics library off the terminal. Where the
// kernel tells no pressure (cgroup v1, RHEL without psi=1) the library says so
// before main runs, so that each health check of a container and each coinslot
// version would print it.
//
// Packages are initialized in the order of their paths as soon as what they import
// is. This one imports hardly anything and comes before github.com/…, so its init
// is the earlier one. Source: go.dev/ref/spec#Program_initialization.
package quiet

import (
	"bytes"
	"io"
	"log"
	"os"
)

func init() { log.SetOutput(lines{os.Stderr}) }

// lines passes on what is logged, but for that one line.
type lines struct{ to io.Writer }

func (l lines) Write(line []byte) (int, error) {
	if bytes.Contains(line, []byte("disable exposing PSI metrics")) {
		return len(line), nil
	}
	return l.to.Write(line)
}
