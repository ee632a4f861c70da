package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"coinslot/bff/check"
	"coinslot/bff/config"
	"coinslot/bff/diagnose"

	"golang.org/x/term"
)

// runCheck validates the setup; it is read-only, but for the test that -webhook sends.
// Errors: a check failed.
func runCheck(ctx context.Context, args []string, s streams) error {
	var asJSON, hook, verbose bool
	overrides, err := parseSettings("check", args, s, func(flags *flag.FlagSet) {
		flags.BoolVar(&asJSON, "json", false, "print JSON")
		flags.BoolVar(&verbose, "v", false, "list every coin and network")
		flags.BoolVar(&hook, "webhook", false, "send a test webhook")
	})
	if err != nil {
		return err
	}
	c, problem := config.Load(s.env, overrides)
	b := readBuild()
	at, _ := time.Parse(time.RFC3339, b.time) // zero = unknown
	report := check.Run(ctx, check.Config{
		Version: b.version, Env: s.env, Settings: c, Problem: problem, Webhook: hook, Built: at,
	})
	report.Verbose = verbose
	if asJSON {
		err = report.JSON(s.out)
	} else {
		report.Text(s.out, terminalStyle(s.out))
	}
	if err == nil && report.Failed() > 0 {
		err = fmt.Errorf("%d of %d checks failed", report.Failed(), len(report.Findings))
	}
	return err
}

// terminalStyle has colors and short lines for a terminal, and one line each elsewhere.
// Source: no-color.org.
func terminalStyle(w io.Writer) diagnose.Style {
	file, isFile := w.(*os.File)
	if !isFile {
		return diagnose.Style{}
	}
	width, _, err := term.GetSize(int(file.Fd()))
	if err != nil {
		return diagnose.Style{}
	}
	color := os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	return diagnose.Style{Color: color, Width: min(width, 100)}
}
