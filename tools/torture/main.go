// Command torture runs the long form of every torture test and every fuzz
// target, says what is going on while it does, and prints what was proven.
//
//	go run ./tools/torture [-cut 0.1] [-only regexp] [-seed N] [-ledger file] [-list] [-write]
//
// -cut makes that share of the full bounds, -only the parts whose name matches,
// -seed draws what an earlier run has drawn, -ledger keeps the results in a file
// so that the table also has what earlier runs with it have said (of each goal
// the last), -list only names the parts, and -write puts the table into
// docs/reliability.md. The exit code is 1 if anything
// was violated or could not be run.
//
// A part is a test named TestTorture… or a target named Fuzz…, in whatever
// package it is; what it has proven it says itself (package torture/goal).
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"syscall"
	"time"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run is main without the process.
func run(args []string, out, errs io.Writer) int {
	o, list, err := options(args, errs)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err == nil {
		err = torture(o, list, out)
	}
	if err != nil {
		fmt.Fprintln(errs, "torture:", err)
		return 1
	}
	return 0
}

// config is what the flags say.
type config struct {
	cut   float64 // share of the full bounds, above 0 and at most 1
	only  *regexp.Regexp
	seed  string // empty = fresh ones
	write bool
	// resultsFile is the file that results are kept in; empty = one for this run only.
	resultsFile string
	page        string // that the table is written into
}

func options(args []string, errs io.Writer) (c config, list bool, err error) {
	flags := flag.NewFlagSet("torture", flag.ContinueOnError)
	flags.SetOutput(errs)
	flags.Float64Var(&c.cut, "cut", 1, "share of the full bounds to make")
	only := flags.String("only", "", "run only the parts whose package and name match this pattern")
	flags.StringVar(&c.seed, "seed", "", "draw what a run with this seed has drawn")
	flags.StringVar(&c.resultsFile, "ledger", "",
		"keep the results in this file, and make the table of all that it holds")
	flags.BoolVar(&list, "list", false, "only name the parts")
	flags.BoolVar(&c.write, "write", false, "put the table into -page")
	flags.StringVar(&c.page, "page", "docs/reliability.md", "the page that the table is kept in")
	if err := flags.Parse(args); err != nil {
		return c, list, err
	}
	if c.cut <= 0 || c.cut > 1 || flags.NArg() > 0 {
		return c, list, errors.New("want -cut above 0 and at most 1, and no arguments")
	}
	c.only, err = regexp.Compile(*only)
	return c, list, err
}

// torture runs the parts one after another: they all want the whole machine.
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
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, syscall.SIGINT, syscall.SIGTERM)
	began := time.Now()
	failed := r.runAll(parts, interrupted)
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
		if err := writeTable(c.page, text); err != nil {
			return err
		}
	}
	return verdict(results, failed)
}

// verdict returns an error that names what went wrong, or nil.
func verdict(results []result, failed []string) error {
	var errs []error
	for _, r := range results {
		if r.Violations > 0 {
			errs = append(
				errs, fmt.Errorf("%s: %d violations, seed %d", r.Goal, r.Violations, r.Seed),
			)
		}
	}
	for _, name := range failed {
		errs = append(errs, fmt.Errorf("%s failed", name))
	}
	return errors.Join(errs...)
}
