package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"coinslot/bff/console"
	"coinslot/bff/server"
	"coinslot/bff/statement"
)

// runStatement writes a month for the accountant. It is read-only and can run beside a server. How the
// month stands goes to the errors, so that the output is the file alone. Errors: the month is over
// and not closed; an invalid argument or setting; the database's.
func runStatement(ctx context.Context, args []string, s streams) error {
	var format, output, locale string
	text, args := cutMonth(args)
	c, err := loadSettings("statement", args, s, func(flags *flag.FlagSet) {
		flags.StringVar(&format, "format", "csv", "html to print; csv for programs; excel for "+
			"spreadsheets; journal for hledger and Ledger; beancount")
		flags.StringVar(&locale, "locale", statement.DefaultRegion, "region of the spreadsheet: "+
			strings.Join(statement.Regions(), ", "))
		flags.StringVar(&output, "output", "", "file to write; unset = standard output")
	})
	if err != nil {
		return err
	}

	month, err := statement.ParseMonth(text)
	if err != nil {
		return fmt.Errorf("name a month: coinslot statement 2026-11: %w", err)
	}
	write, err := statementWriter(format, locale)
	if err != nil {
		return err
	}

	st, err := server.Statement(ctx, c, month)
	if err != nil {
		return err
	}
	var file bytes.Buffer // a file that is written is whole
	if err := write(st, &file); err != nil {
		return fmt.Errorf("writing the statement: %w", err)
	}
	if output == "" {
		_, err = s.out.Write(file.Bytes())
	} else {
		err = os.WriteFile(output, file.Bytes(), 0o600)
	}
	if err != nil {
		return fmt.Errorf("-output: %w", err)
	}

	return reportStatement(s.errors, st)
}

// cutMonth takes the month, the first argument or the last, from the others.
func cutMonth(args []string) (month string, rest []string) {
	if len(args) == 0 {
		return "", nil
	}
	last := len(args) - 1
	if strings.HasPrefix(args[0], "-") {
		if _, err := statement.ParseMonth(args[last]); err != nil {
			return "", args
		}
		return args[last], args[:last]
	}
	return args[0], args[1:]
}

// statementWriter returns what writes a format. Errors: the format or the locale is not known.
func statementWriter(
	format, locale string,
) (func(st statement.Statement, w io.Writer) error, error) {
	region, err := statement.FindRegion(locale)
	if err != nil {
		return nil, fmt.Errorf("-locale: %w", err)
	}
	switch format {
	case "html":
		return func(st statement.Statement, w io.Writer) error {
			return console.WriteStatement(w, st)
		}, nil
	case "csv":
		return statement.Statement.WriteCSV, nil
	case "excel":
		return func(st statement.Statement, w io.Writer) error {
			return st.WriteExcel(w, region)
		}, nil
	case "journal":
		return func(st statement.Statement, w io.Writer) error {
			return st.WriteJournal(w, statement.HLedger)
		}, nil
	case "beancount":
		return func(st statement.Statement, w io.Writer) error {
			return st.WriteJournal(w, statement.Beancount)
		}, nil
	}
	return nil, fmt.Errorf("-format %q: must be html, csv, excel, journal or beancount", format)
}

// reportStatement prints how a month stands. Errors: it is over and not closed.
func reportStatement(w io.Writer, st statement.Statement) error {
	fmt.Fprintln(w, st.Sentence())
	why := ""
	for _, f := range st.Findings {
		if f.Why != why {
			why = f.Why
			fmt.Fprintf(w, "\n%s\n", why)
		}
		fmt.Fprintf(w, " %s %s %s gateway: %s here: %s\n", f.OrderRef, f.Session, f.TrackingCode,
			f.Gateway, f.Here)
	}
	if st.State == statement.Open || st.State == statement.Closed {
		return nil
	}
	return errors.New("the month is not closed")
}
