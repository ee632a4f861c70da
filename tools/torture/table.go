package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// table is the results for people, in Markdown that can be read as it is.
func table(
	results []result, machine string, began time.Time, took time.Duration, cut float64,
) string {
	var b strings.Builder
	fmt.Fprintf(
		&b, "Measured on %s, in %s, on %s", began.UTC().Format("2 January 2006"), formatDuration(took),
		machine,
	)
	if cut < 1 { // then some rows have fewer rounds than wanted
		fmt.Fprintf(&b, "; cut to %g of the full bounds", cut)
	}
	b.WriteString(".\n\n")
	rows := [][]string{
		{"goal", "figure", "rounds", "wanted", "violations", "bound", "seed", "took"},
	}
	for _, r := range results {
		rows = append(rows, row(r))
	}
	align(&b, rows)
	return b.String()
}

func row(r result) []string {
	seed := ""
	if r.Seed != 0 {
		seed = strconv.FormatUint(r.Seed, 10)
	}
	return []string{r.Goal, shorten(strings.ReplaceAll(r.Figure, "|", "/")), thousands(r.Rounds),
		thousands(r.Wanted),
		thousands(r.Violations), r.Bound(), seed, formatDuration(r.Took)}
}

// maxFigure is how long a figure may be in the table.
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

// align writes rows as a Markdown table, numbers to the right.
func align(b *strings.Builder, rows [][]string) {
	width := make([]int, len(rows[0]))
	for _, cells := range rows {
		for i, cell := range cells {
			width[i] = max(width[i], len([]rune(cell)))
		}
	}
	for n, cells := range rows {
		for i, cell := range cells {
			space := strings.Repeat(" ", width[i]-len([]rune(cell)))
			if i >= 2 {
				fmt.Fprintf(b, "| %s%s ", space, cell)
			} else {
				fmt.Fprintf(b, "| %s%s ", cell, space)
			}
		}
		b.WriteString("|\n")
		if n == 0 {
			rule(b, width)
		}
	}
}

func rule(b *strings.Builder, width []int) {
	for i, w := range width {
		mark := "-"
		if i >= 2 {
			mark = ":"
		}
		fmt.Fprintf(b, "|%s%s", strings.Repeat("-", w+1), mark)
	}
	b.WriteString("|\n")
}

// thousands writes n as people read it: 1,000,000.
func thousands(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// formatDuration writes a duration to what matters of it.
func formatDuration(d time.Duration) string {
	if d < time.Minute {
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}

// machine describes the machine: processors, memory, kernel, as far as it can be
// told.
func machine() string {
	text := fmt.Sprintf("%d cores", runtime.NumCPU())
	if model := field("/proc/cpuinfo", "model name"); model != "" {
		text += " of " + model
	}
	total, err := strconv.Atoi(strings.TrimSuffix(field("/proc/meminfo", "MemTotal"), " kB"))
	if err == nil {
		text += fmt.Sprintf(", %d GiB of memory", (total+1<<19)>>20)
	}
	if kernel, err := os.ReadFile("/proc/sys/kernel/osrelease"); err == nil {
		text += ", Linux " + strings.TrimSpace(string(kernel))
	}
	return text + ", " + runtime.Version()
}

// field returns the first value of a name in a file of "name : value" lines,
// "" if there is none.
func field(file, name string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// The comments in the page between which the table is kept.
const (
	tableBegins = "<!-- measured by make torture: begin -->"
	tableEnds   = "<!-- measured by make torture: end -->"
)

// writeTable writes text between the comments of a page.
func writeTable(page, text string) error {
	old, err := os.ReadFile(page)
	if err != nil {
		return fmt.Errorf("keeping the table: %w", err)
	}
	updated, err := replaceTable(old, text)
	if err != nil {
		return fmt.Errorf("keeping the table in %s: %w", page, err)
	}
	return os.WriteFile(page, updated, 0o644)
}

// replaceTable replaces what is between the comments by text.
func replaceTable(page []byte, text string) ([]byte, error) {
	before, rest, ok := bytes.Cut(page, []byte(tableBegins))
	_, after, closed := bytes.Cut(rest, []byte(tableEnds))
	if !ok || !closed {
		return nil, errors.New("its two comments are missing")
	}
	middle := tableBegins + "\n\n" + strings.TrimSpace(text) + "\n\n" + tableEnds
	return bytes.Join([][]byte{before, after}, []byte(middle)), nil
}
