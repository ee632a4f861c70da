package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"time"

	"coinslot/tools/report"
)

// page is where -write puts the table, between two markers.
const (
	page  = "docs/performance.md"
	begin = "<!-- make bench: begin -->\n"
	end   = "<!-- make bench: end -->\n"
)

// machine describes the machine, the commit and the day.
func machine(ctx context.Context) string {
	processor := cmp.Or(report.Field("/proc/cpuinfo", "model name"), runtime.GOARCH)
	return fmt.Sprintf("Measured on %s: %d cores of %s, %s, load %s, %s.",
		time.Now().UTC().Format(time.DateOnly), runtime.NumCPU(), processor, runtime.Version(),
		load(), version(ctx))
}

// load is the machine's load average of the last 15 minutes.
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

// formatTable formats the rows as a Markdown table.
func formatTable(where string, wanted []row, found map[figure]float64) string {
	lines := [][]string{
		{"what", "measured", "goal", "reached", "plain way", "ratio", "peers, measured elsewhere"},
	}
	for _, r := range wanted {
		lines = append(lines, r.cells(found))
	}
	return where + "\n\n" + report.Table(lines, len(lines[0]))
}

// cells returns a row of the table.
func (r row) cells(found map[figure]float64) []string {
	value, measured := found[figure{r.pkg, r.benchmark, r.unit}]
	other, compared := found[figure{r.pkg, r.baseline, r.unit}]
	line := []string{r.name, "not measured", r.goalText(), "", "", "", r.peers}
	if measured {
		line[1] = number(value) + " " + r.unit
		line[3] = r.verdict(value)
	}
	if compared {
		line[4] = number(other)
	}
	if measured && compared && value != 0 && other != 0 {
		line[5] = strconv.FormatFloat(value/other, 'g', 2, 64) + " times"
	}

	return line
}

// goalText is the goal in words; empty = none.
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

// number formats three digits, or all digits of a larger number with commas.
func number(v float64) string {
	if math.Abs(v) < 100 {
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	return report.Thousands(int(math.Round(v)))
}
