package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"coinslot/tools/report"
)

// table formats the results as Markdown.
func table(
	results []result, machine string, began time.Time, took time.Duration, cut float64,
) string {
	var b strings.Builder
	day := began.UTC().Format("2 January 2006")
	fmt.Fprintf(&b, "Measured on %s, in %s, on %s", day, formatDuration(took), machine)
	if cut < 1 { // some rows have fewer rounds than wanted
		fmt.Fprintf(&b, "; cut to %g of the full bounds", cut)
	}

	b.WriteString(".\n\n")
	rows := [][]string{
		{"goal", "figure", "rounds", "wanted", "violations", "bound", "seed", "took"},
	}
	for _, r := range results {
		rows = append(rows, row(r))
	}

	return b.String() + report.Table(rows, 2)
}

func row(r result) []string {
	seed := ""
	if r.Seed != 0 {
		seed = strconv.FormatUint(r.Seed, 10)
	}
	return []string{
		r.Goal, shorten(strings.ReplaceAll(r.Figure, "|", "/")), report.Thousands(r.Rounds),
		report.Thousands(r.Wanted), report.Thousands(r.Violations), r.Bound(), seed,
		formatDuration(r.Took),
	}
}

// maxFigure is the longest figure in the table, in bytes.
const maxFigure = 150

// shorten leaves the details after a semicolon or colon out of a long figure; the
// test's own output has them.
func shorten(figure string) string {
	if len(figure) <= maxFigure {
		return figure
	}
	head, _, _ := strings.Cut(figure, ";")
	if len(head) > maxFigure {
		head, _, _ = strings.Cut(head, ":")
	}
	return head
}

// formatDuration rounds a duration.
func formatDuration(d time.Duration) string {
	if d < time.Minute {
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}

// machine describes processors, memory and kernel, as far as they are known.
func machine() string {
	text := fmt.Sprintf("%d cores", runtime.NumCPU())
	model := report.Field("/proc/cpuinfo", "model name")
	if model != "" {
		text += " of " + model
	}

	total, err := strconv.Atoi(strings.TrimSuffix(report.Field("/proc/meminfo", "MemTotal"), " kB"))
	if err == nil {
		text += fmt.Sprintf(", %d GiB of memory", (total+1<<19)>>20)
	}
	if kernel, err := os.ReadFile("/proc/sys/kernel/osrelease"); err == nil {
		text += ", Linux " + strings.TrimSpace(string(kernel))
	}

	return text + ", " + runtime.Version()
}

// The markers in the page between which the table is kept.
const (
	tableBegins = "<!-- measured by make torture: begin -->"
	tableEnds   = "<!-- measured by make torture: end -->"
)
