// Command install provides what the tests need besides Go:
//
//	go run ./tools/install [-all] [-report]
//
// make test needs few programs, make test-all (-all) many. What is missing comes from Debian with
// one apt-get install, from the npm registry, and from Go modules. A line announces each; what they
// print is in .cache/install.log, and is shown if they fail. No service is started or enabled.
//
// Where nothing can be installed (no apt-get, no right to use it, no network), the tests that need
// a missing tool skip themselves. -report lists these tools after the tests, with the command that
// installs them. With CI=true, a tool that is missing at the end is an error.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	all := flag.Bool("all", false, "also what make test-all needs")
	report := flag.Bool("report", false, "install nothing: list what is missing and what was not tested")
	flag.Parse()

	err := os.MkdirAll(".cache", 0o755)
	switch {
	case err != nil:
	case *report:
		printMissing(os.Stdout, missing(tools, *all))
	default:
		err = install(os.Stdout, *all)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "install:", err)
		os.Exit(1)
	}
}

// logPath is the file with everything that the installing commands print.
var logPath = filepath.Join(".cache", "install.log")

// install provides all missing tools. A failure is an error in CI alone: elsewhere it is printed,
// and the tests that need the tool skip themselves.
func install(out io.Writer, all bool) error {
	var failures []error
	failures = append(failures, installPackages(out, missing(tools, all)))
	if all {
		failures = append(failures, installDownloads(out))
	}

	err := errors.Join(failures...)
	left := missing(tools, all)
	if os.Getenv("CI") == "true" {
		for _, tool := range left {
			err = errors.Join(err, fmt.Errorf("%s is missing: %s", tool.name, tool.command()))
		}
		return err
	}
	if err != nil {
		fmt.Fprintf(out, "  install   not everything could be installed: %v\n", err)
	}

	return nil
}

// missing returns those of list that are needed and not there.
func missing(list []tool, all bool) (left []tool) {
	for _, tool := range list {
		if (all || tool.always) && !tool.found() {
			left = append(left, tool)
		}
	}
	return left
}

// printMissing lists what was not tested. It prints nothing if nothing is missing.
func printMissing(out io.Writer, left []tool) {
	if len(left) == 0 {
		return
	}
	fmt.Fprintln(out, "\nNot tested here, because a program is missing:")
	for _, tool := range left {
		fmt.Fprintf(out, "  %-40s %s: %s\n", tool.use, tool.name, tool.command())
	}
}

// names joins the names of tools, as in "gcc, Chromium and PostgreSQL".
func names(list []tool) string {
	var words []string
	for _, tool := range list {
		words = append(words, tool.name)
	}
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " and " + words[last]
}
