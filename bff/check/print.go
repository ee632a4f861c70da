package check

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// Style is how findings are printed; the zero Style is for programs that read lines.
type Style struct {
	Color bool
	// Width wraps lines; 0 = one line per finding.
	Width int
}

// Print writes findings as text, with the lines to add below each. Errors of w are ignored.
func Print(w io.Writer, list []Finding, s Style) {
	word, column := len("FAIL"), 10
	for _, f := range list {
		word, column = max(word, len(f.Status)), max(column, len(f.ID))
	}
	margin := strings.Repeat(" ", 2+word+2+column+1)
	for _, f := range list {
		text := f.Text
		if f.Title != "" {
			text = f.Title + ". " + text
		}
		if f.Fix != "" {
			text += " → " + f.Fix
		}
		fmt.Fprintf(w, "  %s%-*s %s\n",
			s.label(f.Status, word+2), column, f.ID, s.wrap(text, margin))
		for _, line := range slices.Concat(f.Details, f.Add) {
			fmt.Fprintf(w, "%s%s\n", margin, line)
		}
	}
}

// label is the status, padded to width.
func (s Style) label(status Status, width int) string {
	word := string(status)
	if status == Fail {
		word = "FAIL"
	}
	padding := strings.Repeat(" ", width-len(word))
	color := map[Status]string{OK: "32", Warn: "33", Fail: "1;31", Unknown: "36"}[status]
	if !s.Color {
		return word + padding
	}
	return "\x1b[" + color + "m" + word + "\x1b[0m" + padding
}

// wrap breaks text into lines that fit beside the margin; the fix starts a new line.
func (s Style) wrap(text, margin string) string {
	if s.Width == 0 {
		return text
	}
	var b strings.Builder
	column := len(margin)
	for i, word := range strings.Fields(text) {
		length := len([]rune(word))
		switch {
		case i > 0 && (word == "→" || column+1+length > s.Width):
			b.WriteString("\n" + margin)
			column = len(margin)
		case i > 0:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += length
	}
	return b.String()
}
