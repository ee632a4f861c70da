package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"coinslot/bff/check"
	"coinslot/bff/config"
	"coinslot/bff/store"

	"golang.org/x/term"
)

// runCheck validates the setup; it is read-only, but for the tests that -webhook and -test-alerts
// send.
// Errors: a check failed.
func runCheck(ctx context.Context, args []string, s streams) error {
	var asJSON, hook, alerts, verbose bool
	overrides, err := parseSettings("check", args, s, func(flags *flag.FlagSet) {
		flags.BoolVar(&asJSON, "json", false, "print JSON")
		flags.BoolVar(&verbose, "v", false, "list every coin and network")
		flags.BoolVar(&hook, "webhook", false, "send a test webhook")
		flags.BoolVar(&alerts, "test-alerts", false, "send a test alert to each target")
	})
	if err != nil {
		return err
	}

	c, problem := config.Load(s.env, overrides)
	b := readBuild()
	at, _ := time.Parse(time.RFC3339, b.time) // zero = unknown
	setup := check.Setup{
		Env:      s.env,
		File:     s.file,
		Settings: c,
		Problem:  problem,
		Inspect:  store.Inspect,
		Webhook:  hook,
		Alerts:   alerts,
		Built:    at,
	}
	found := setup.Findings(ctx)
	if asJSON {
		err = writeFindings(s.out, b.version, found)
	} else {
		printFindings(s.out, b.version, found, verbose, terminalStyle(s.out))
	}

	failed := check.Count(found, check.Fail)
	if err == nil && failed > 0 {
		err = fmt.Errorf("%d of %d checks failed", failed, len(found))
	}

	return err
}

// writeFindings writes findings as JSON. Errors: w's.
func writeFindings(w io.Writer, version string, found []check.Finding) error {
	type finding struct {
		ID      string       `json:"id"`
		Status  check.Status `json:"level"`
		Text    string       `json:"text"`
		Fix     string       `json:"way,omitempty"`
		Details []string     `json:"details,omitempty"`
	}
	list := make([]finding, 0, len(found))
	for _, f := range found {
		list = append(list, finding{f.ID, f.Status, f.Text, f.Fix, f.Details})
	}

	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(struct {
		Version  string    `json:"version"`
		Failed   int       `json:"failed"`
		Warned   int       `json:"warned"`
		Findings []finding `json:"findings"`
	}{version, check.Count(found, check.Fail), check.Count(found, check.Warn), list})
}

// printFindings writes findings as text. If verbose, it has the details of what is right, too.
// Errors of w are ignored.
func printFindings(
	w io.Writer, version string, found []check.Finding, verbose bool, style check.Style,
) {
	list := slices.Clone(found)
	for i, f := range list {
		if f.Status == check.OK && f.Details != nil && !verbose {
			list[i].Text += " (-v lists them)"
			list[i].Details = nil
		}
	}
	fmt.Fprintf(w, "Coinslot %s\n\n", version)
	check.Print(w, list, style)
	fmt.Fprintf(w, "\n%s.\n", verdict(found))
}

// verdict says whether the setup is ready to go live.
func verdict(found []check.Finding) string {
	failed := check.Count(found, check.Fail)
	warnings := "1 warning"
	warned := check.Count(found, check.Warn)
	if warned != 1 {
		warnings = fmt.Sprintf("%d warnings", warned)
	}

	switch {
	case failed > 0:
		return fmt.Sprintf("Not ready: %d of %d checks failed, %s", failed, len(found), warnings)
	case warned > 0:
		return "Ready, with " + warnings
	}

	return fmt.Sprintf("Ready: all %d checks passed", len(found))
}

// terminalStyle has colors and short lines for a terminal, and one line each elsewhere.
// Source: no-color.org.
func terminalStyle(w io.Writer) check.Style {
	file, isFile := w.(*os.File)
	if !isFile {
		return check.Style{}
	}
	width, _, err := term.GetSize(int(file.Fd()))
	if err != nil {
		return check.Style{}
	}
	color := os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	return check.Style{Color: color, Width: min(width, 100)}
}
