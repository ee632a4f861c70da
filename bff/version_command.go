package main

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
)

// stamp is what tools/compile writes into a build: version, commit and the time of the
// commit, with a space between, and "changed" if the sources differ from that commit;
// what is unknown is missing at the end. It is empty in a build by go build alone. The
// linker sets it, so it has to be a variable.
var stamp string

// build is what is known of this program.
type build struct {
	version string // v1.2.3; (devel) if nobody has said
	commit  string // empty = not known
	time    string // of the commit, RFC 3339; empty = not known
	dirty   bool   // built from something else than that commit
}

// readBuild reads the stamp, and without one what the Go command has recorded.
func readBuild() build {
	b := build{version: "(devel)"}
	if part := strings.Fields(stamp); len(part) > 0 {
		part = append(part, "", "", "")
		return build{version: part[0], commit: part[1], time: part[2], dirty: part[3] != ""}
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if info.Main.Version != "" {
		b.version = info.Main.Version
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.commit = s.Value
		case "vcs.time":
			b.time = s.Value
		case "vcs.modified":
			b.dirty = s.Value == "true"
		}
	}
	return b
}

// release is the version alone.
func release() string { return readBuild().version }

// printVersion prints the version, the commit, the Go release and the platform.
func printVersion(_ context.Context, _ []string, s streams) error {
	b := readBuild()
	fmt.Fprintln(s.out, "coinslot", b.version)
	if b.commit != "" {
		more := ""
		if b.time != "" {
			more = " of " + b.time
		}
		if b.dirty {
			more += ", with changes"
		}
		fmt.Fprintf(s.out, "commit   %s%s\n", b.commit, more)
	}
	fmt.Fprintf(s.out, "go       %s\nplatform %s/%s\n", strings.TrimPrefix(runtime.Version(), "go"),
		runtime.GOOS, runtime.GOARCH)
	return nil
}
