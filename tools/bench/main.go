// Command bench measures everything that docs/performance.md promises and prints one table: the
// figure, the goal, and what a simple implementation reaches on the same machine.
//
//	go run ./tools/bench [-only regexp] [-write] [-list]
//
// The exit code is 1 if something could not be measured. A missed goal is no failure, because a
// busy machine misses many.
//
// A figure is a metric of a benchmark, which lives beside the code that it measures; rows.go lists
// them.
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
	"syscall"

	"coinslot/tools/report"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run is main without the process.
func run(args []string, out, errs io.Writer) int {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(errs)
	only := flags.String("only", "",
		"measure only rows whose name or benchmark matches this regular expression")
	write := flags.Bool("write", false, "write the table into "+page)
	list := flags.Bool("list", false, "list the rows and exit")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return 0
		}
		return 1
	}
	if err := bench(*only, *write, *list, out, errs); err != nil {
		fmt.Fprintln(errs, "bench:", err)
		return 1
	}
	return 0
}

func bench(only string, write, list bool, out, progress io.Writer) error {
	wanted, err := selectRows(only)
	if err != nil {
		return err
	}
	if list {
		for _, r := range wanted {
			fmt.Fprintf(out, "%-34s %s.%s\n", r.name, r.pkg, r.benchmark)
		}
		return nil
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	found, failed := measure(ctx, wanted, progress)
	table := formatTable(machine(ctx), wanted, found)
	fmt.Fprint(out, table)
	if write {
		failed = errors.Join(failed, report.Replace(page, begin, end, table))
	}
	return failed
}

// selectRows returns the rows whose name or benchmark matches.
func selectRows(only string) ([]row, error) {
	match, err := regexp.Compile(only)
	if err != nil {
		return nil, fmt.Errorf("reading -only: %w", err)
	}
	var wanted []row
	for _, r := range rows {
		if match.MatchString(r.name) || match.MatchString(r.benchmark) {
			wanted = append(wanted, r)
		}
	}
	if len(wanted) == 0 {
		return nil, fmt.Errorf("no row matches -only %q", only)
	}
	return wanted, nil
}
