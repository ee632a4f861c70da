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
	"os"
	"os/signal"
	"regexp"
	"slices"
	"syscall"

	"coinslot/tools/report"
)

func main() {
	only := flag.String("only", "",
		"measure only rows whose name or benchmark matches this regular expression")
	write := flag.Bool("write", false, "write the table into "+page)
	list := flag.Bool("list", false, "list the rows and exit")
	flag.Parse()
	if err := bench(*only, *write, *list); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func bench(only string, write, list bool) error {
	wanted, err := selectRows(only)
	if err != nil {
		return err
	}
	if list {
		for _, r := range wanted {
			fmt.Printf("%-34s %s.%s\n", r.name, r.pkg, r.benchmark)
		}
		return nil
	}

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	found, failed := measure(ctx, wanted, os.Stderr)
	table := formatTable(machine(ctx), wanted, found)
	fmt.Print(table)
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
	wanted := slices.DeleteFunc(slices.Clone(rows), func(r row) bool {
		return !match.MatchString(r.name) && !match.MatchString(r.benchmark)
	})
	if len(wanted) == 0 {
		return nil, fmt.Errorf("no row matches -only %q", only)
	}
	return wanted, nil
}
