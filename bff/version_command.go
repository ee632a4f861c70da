package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"coinslot/bff/licenses"
)

// stamp is set by tools/compile through the linker: version, commit, time of the commit, and
// "changed" if the sources differ from it, separated by spaces. Unknown parts at the end are
// missing; all are in a plain go build.
var stamp string

type build struct {
	version string // v1.2.3; (devel) = unknown
	commit  string // empty = unknown
	time    string // when the commit was made, RFC 3339; empty = unknown
	dirty   bool   // the sources differ from the commit
}

// readBuild reads the stamp, or else what the Go command recorded.
func readBuild() build {
	if part := strings.Fields(stamp); len(part) > 0 {
		part = append(part, "", "", "")
		return build{
			version: part[0],
			commit:  part[1],
			time:    part[2],
			dirty:   part[3] != "",
		}
	}

	b := build{version: "(devel)"}
	if info, ok := debug.ReadBuildInfo(); ok { // without a tag it has the commit's time and hash
		b.version = cmp.Or(info.Main.Version, b.version)
	}

	return b
}

func release() string { return readBuild().version }

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

// printLicenses prints the notices of all third-party software in the program.
func printLicenses(_ context.Context, args []string, s streams) error {
	if err := parse(flag.NewFlagSet("licenses", flag.ContinueOnError), args, s); err != nil {
		return err
	}
	return licenses.Write(s.out)
}
