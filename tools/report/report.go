// Package report writes tables of measurements into Markdown pages.
package report

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Table formats rows, of which the first is the header, as a Markdown table that is readable in a
// terminal. Columns from rightFrom on are aligned to the right.
func Table(rows [][]string, rightFrom int) string {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	for n, row := range rows {
		for i, cell := range row {
			space := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i >= rightFrom {
				cell, space = space, cell
			}
			fmt.Fprintf(&b, "| %s%s ", cell, space)
		}
		b.WriteString("|\n")
		if n > 0 {
			continue
		}
		for i, width := range widths {
			end := "-"
			if i >= rightFrom {
				end = ":"
			}
			b.WriteString("|" + strings.Repeat("-", width+1) + end)
		}
		b.WriteString("|\n")
	}
	return b.String()
}

// Thousands formats n with commas: 1,000,000.
func Thousands(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// Replace writes text between two markers of a file, in place of what is there. Errors: the file
// cannot be read or written, or lacks a marker.
func Replace(file, begin, end, text string) error {
	old, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("reading the page: %w", err)
	}
	before, rest, hasBegin := bytes.Cut(old, []byte(begin))
	_, after, hasEnd := bytes.Cut(rest, []byte(end))
	if !hasBegin || !hasEnd {
		return fmt.Errorf("writing into %s: the markers %q and %q are missing", file, begin, end)
	}
	whole := string(before) + begin + text + end + string(after)
	if err := os.WriteFile(file, []byte(whole), 0o644); err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	return nil
}

// Field returns the first value of a name in a file of "name: value" lines, such as /proc/cpuinfo;
// empty if there is none.
func Field(file, name string) string {
	text, _ := os.ReadFile(file) // absent on other systems
	for line := range strings.Lines(string(text)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
