package main

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// page is where -write puts the table: between its two marks.
const (
	page  = "docs/performance.md"
	begin = "<!-- make bench: begin -->\n"
	end   = "<!-- make bench: end -->\n"
)

// machine says what machine the figures are of, and when.
func machine(ctx context.Context) string {
	return fmt.Sprintf("Measured on %s: %d cores of %s, %s, load %s, %s.",
		time.Now().UTC().Format(time.DateOnly), runtime.NumCPU(), processor(), runtime.Version(),
		load(), version(ctx))
}

func processor() string {
	text, _ := os.ReadFile("/proc/cpuinfo") // absent on other systems
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(line, ":"); ok &&
			strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}

// load is the machine's load of the last quarter of an hour: what else was going on.
func load() string {
	text, _ := os.ReadFile("/proc/loadavg")
	if fields := strings.Fields(string(text)); len(fields) > 2 {
		return fields[2]
	}
	return "unknown"
}

// version is the commit that was measured.
func version(ctx context.Context) string {
	text, err := exec.CommandContext(ctx, "git", "describe", "--always", "--dirty").Output()
	if err != nil {
		return "no commit"
	}
	return "commit " + strings.TrimSpace(string(text))
}

// formatTable writes the rows as a table of Markdown that is as readable in a terminal.
func formatTable(where string, wanted []row, found map[figure]float64) string {
	lines := [][]string{
		{"what", "measured", "goal", "reached", "plain way", "ratio", "peers, measured elsewhere"},
	}
	for _, r := range wanted {
		lines = append(lines, r.cells(found))
	}
	return where + "\n\n" + align(lines)
}

// cells is a row's line.
func (r row) cells(found map[figure]float64) []string {
	value, measured := found[figure{r.pkg, r.benchmark, r.unit}]
	other, compared := found[figure{r.pkg, r.baseline, r.unit}]
	line := []string{r.name, "not measured", r.goalText(), "", "", "", r.peers}
	if measured {
		line[1], line[3] = number(value)+" "+r.unit, r.verdict(value)
	}
	if compared {
		line[4] = number(other)
	}
	if measured && compared && value != 0 && other != 0 {
		line[5] = ratio(value/other) + " times"
	}
	return line
}

// goalText is the goal in words; a row without one is only told.
func (r row) goalText() string {
	switch {
	case r.goal == 0 && r.baseline != "":
		return ""
	case r.higherIsBetter:
		return "at least " + number(r.goal)
	case r.goal == 0:
		return "none"
	}
	return "at most " + number(r.goal)
}

func (r row) verdict(value float64) string {
	switch {
	case r.goalText() == "":
		return ""
	case r.higherIsBetter && value >= r.goal, !r.higherIsBetter && value <= r.goal:
		return "yes"
	}
	return "no"
}

// number writes three digits or all whole ones, with commas between thousands.
func number(v float64) string {
	if math.Abs(v) < 100 {
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	text := strconv.FormatFloat(math.Round(v), 'f', 0, 64)
	for at := len(text) - 3; at > 0 && text[at-1] != '-'; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

func ratio(v float64) string { return strconv.FormatFloat(v, 'g', 2, 64) }

// align writes a table of Markdown with columns of one width each.
func align(lines [][]string) string {
	widths := make([]int, len(lines[0]))
	for _, line := range lines {
		for i, cell := range line {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var out strings.Builder
	for n, line := range lines {
		for i, cell := range line {
			fmt.Fprintf(
				&out, "| %s%s ", cell, strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)),
			)
		}
		out.WriteString("|\n")
		if n == 0 {
			for _, width := range widths {
				out.WriteString("|" + strings.Repeat("-", width+2))
			}
			out.WriteString("|\n")
		}
	}
	return out.String()
}

// writeTable puts the table between the marks of a page.
func writeTable(file, table string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("reading the page: %w", err)
	}
	before, rest, ok := bytes.Cut(text, []byte(begin))
	_, after, closed := bytes.Cut(rest, []byte(end))
	if !ok || !closed {
		return fmt.Errorf(
			"writing into %s: the marks %q and %q are missing", file, strings.TrimSpace(begin),
			strings.TrimSpace(end),
		)
	}
	whole := string(before) + begin + table + end + string(after)
	if err := os.WriteFile(file, []byte(whole), 0o644); err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	return nil
}
