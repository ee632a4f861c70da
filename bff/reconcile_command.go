package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"coinslot/bff/gatewaylist"
	"coinslot/bff/server"
)

// runReconcile prints where gateway and database disagree. Without -cancel-unknown it is read-only.
// It can run beside a server. Errors: there are findings; an invalid range; the gateway's; the
// database's.
func runReconcile(ctx context.Context, args []string, s streams) error {
	var from, to string
	var asJSON, cancelUnknown bool
	c, err := loadSettings("reconcile", args, s, func(flags *flag.FlagSet) {
		today := time.Now().UTC()
		flags.StringVar(&from, "from", today.AddDate(0, 0, -2).Format(time.DateOnly),
			"first day, like 2026-11-01")
		flags.StringVar(&to, "to", today.Format(time.DateOnly), "last day")
		flags.BoolVar(&asJSON, "json", false, "print JSON")
		flags.BoolVar(&cancelUnknown, "cancel-unknown", false,
			"after a restore: cancel unpaid transactions that the database does not know")
	})
	if err != nil {
		return err
	}

	first, last, err := parseDays(from, to)
	if err != nil {
		return err
	}

	result, err := server.Reconcile(ctx, c, first, last)
	if err != nil {
		return err
	}
	if asJSON {
		err = printJSON(s.out, result)
	} else {
		err = printReport(s.out, result)
	}
	if err == nil && cancelUnknown {
		var n int
		n, err = server.CancelUnknown(ctx, c, result)
		fmt.Fprintf(s.errors, "%d unpaid transactions canceled.\n", n)
	}

	n := len(result.Findings)
	if err == nil && n > 0 {
		err = fmt.Errorf("reconciling: gateway and database differ in %d cases", n)
	}

	return err
}

// parseDays reads an inclusive range of days.
func parseDays(from, to string) (first, last time.Time, err error) {
	first, err = time.Parse(time.DateOnly, from)
	if err != nil {
		return first, last, fmt.Errorf("-from %q: must be a date like 2026-11-01", from)
	}

	last, err = time.Parse(time.DateOnly, to)
	if err != nil {
		return first, last, fmt.Errorf("-to %q: must be a date like 2026-11-01", to)
	}

	switch {
	case last.Before(first):
		return first, last, errors.New("-to is before -from")
	case last.Sub(first) > 366*24*time.Hour:
		return first, last, errors.New("-from and -to are more than a year apart")
	}

	return first, last, nil
}

func printJSON(w io.Writer, c gatewaylist.Result) error {
	type finding struct {
		gatewaylist.Finding
		Why string `json:"why"`
	}
	findings := []finding{}
	for _, f := range c.Findings {
		findings = append(findings, finding{f, f.Kind.Explanation()})
	}

	encoder := json.NewEncoder(w)
	encoder.SetIndent("", " ")
	return encoder.Encode(map[string]any{
		"from":         c.From.Format(time.DateOnly),
		"to":           c.To.Format(time.DateOnly),
		"transactions": c.Transactions,
		"foreign":      c.NotOurs,
		"attempts":     c.Attempts,
		"findings":     findings,
	})
}

// printReport prints each kind of finding once, with its explanation, then its cases.
func printReport(w io.Writer, c gatewaylist.Result) error {
	fmt.Fprintf(w, "%s to %s: the gateway lists %d transactions with a day on each side, %d of "+
		"them not from this checkout; the database has %d attempts.\n",
		c.From.Format(time.DateOnly), c.To.Format(time.DateOnly), c.Transactions, c.NotOurs,
		c.Attempts)
	if len(c.Findings) == 0 {
		text := "No differences."
		if c.Attempts == 0 && c.Transactions == c.NotOurs {
			text = "Nothing was compared: there are no payments in these days."
		}
		fmt.Fprintln(w, text)
		return nil
	}

	kind := gatewaylist.FindingKind("")
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, f := range c.Findings {
		if f.Kind != kind {
			kind = f.Kind
			if err := table.Flush(); err != nil {
				return err
			}
			fmt.Fprintf(w, "\n%s: %s\n", kind, kind.Explanation())
		}

		session := f.Session
		if session != "" {
			session += fmt.Sprintf(" #%d", f.Attempt)
		}

		fmt.Fprintf(table, " %s\t%s\t%s\tgateway: %s\tdatabase: %s\n", f.TrackingCode, session,
			f.OrderRef, cmp.Or(f.AtGateway, "none"), cmp.Or(f.InDatabase, "none"))
	}

	return table.Flush()
}
