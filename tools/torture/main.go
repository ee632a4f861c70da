// Command torture runs the long form of every torture test and every fuzz target, and prints the
// results.
//
//	go run ./tools/torture [-cut 0.1] [-only regexp] [-seed N] [-ledger file] [-list] [-write]
//
// The exit code is 1 if an invariant was violated or a part could not run. A part is a test named
// TestTorture… or a target named Fuzz… in any package; tests report their results through package
// torture/goal.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"strings"
	"syscall"
	"time"

	"coinslot/tools/report"
)

func main() {
	c, list, err := options(os.Args[1:], os.Stderr)
	if err == nil {
		err = torture(c, list, os.Stdout)
	}
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "torture:", err)
		os.Exit(1)
	}
}

// config has the values of the flags.
type config struct {
	cut         float64 // share of the full bounds, above 0 and at most 1
	only        *regexp.Regexp
	seed        string // empty = random
	write       bool
	resultsFile string // that parts append their results to; empty = a temporary one
	page        string // for the table
}

func options(args []string, errs io.Writer) (c config, list bool, err error) {
	flags := flag.NewFlagSet("torture", flag.ContinueOnError)
	flags.SetOutput(errs)
	flags.Float64Var(&c.cut, "cut", 1, "share of the full number of rounds")
	only := flags.String("only", "", "run only parts whose package and name match this pattern")
	flags.StringVar(&c.seed, "seed", "", "repeat the random choices of a run with this seed")
	flags.StringVar(&c.resultsFile, "ledger", "",
		"append the results to this file, and print the table of all its results")
	flags.BoolVar(&list, "list", false, "list the parts and exit")
	flags.BoolVar(&c.write, "write", false, "write the table into -page")
	flags.StringVar(&c.page, "page", "torture/README.md", "page for the table")
	if err := flags.Parse(args); err != nil {
		return c, list, err
	}
	if c.cut <= 0 || c.cut > 1 || flags.NArg() > 0 {
		return c, list, errors.New("-cut must be above 0 and at most 1, and there are no arguments")
	}

	c.only, err = regexp.Compile(*only)
	return c, list, err
}

// torture runs the parts one after another, because each needs the whole machine.
func torture(c config, listing bool, out io.Writer) error {
	parts, err := findParts(".", c.only)
	if err != nil {
		return err
	}
	if listing {
		for _, p := range parts {
			fmt.Fprintln(out, p)
		}
		return nil
	}

	r, err := newRunner(c, out)
	if err != nil {
		return err
	}

	defer r.close()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	began := time.Now()
	failed := r.runAll(ctx, parts)
	results, err := r.results()
	if err != nil {
		return err
	}

	took := time.Duration(0)
	for _, r := range results {
		took += r.Took
	}

	text := table(results, machine(), began, took, c.cut)
	fmt.Fprintf(out, "\n%s\n", text)
	if c.write {
		text = "\n\n" + strings.TrimSpace(text) + "\n\n"
		if err := report.Replace(c.page, tableBegins, tableEnds, text); err != nil {
			return err
		}
	}

	return verdict(results, failed)
}

// verdict returns an error that names all violations and failed parts.
func verdict(results []result, failed []string) error {
	var errs []error
	for _, r := range results {
		if r.Violations > 0 {
			errs = append(errs,
				fmt.Errorf("%s: %d violations, seed %d", r.Goal, r.Violations, r.Seed))
		}
	}
	for _, name := range failed {
		errs = append(errs, fmt.Errorf("%s failed", name))
	}
	return errors.Join(errs...)
}
