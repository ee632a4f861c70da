package check

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// JSON writes the report for programs. Errors: w's.
func (r Report) JSON(w io.Writer) error {
	if r.Findings == nil {
		r.Findings = []Finding{}
	}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(r)
}

// Look is how a report is shown to people.
type Look struct {
	Color bool
	// Width breaks lines at so many characters; 0 = each finding is one line.
	Width int
}

// Text writes the report for people.
func (r Report) Text(w io.Writer, l Look) {
	fmt.Fprintf(w, "Coinslot %s\n\n", r.Version)
	for _, f := range r.Findings {
		l.finding(w, f)
	}
	fmt.Fprintf(w, "\n%s.\n", r.sum())
}

// sum is the outcome in a few words.
func (r Report) sum() string {
	good := len(r.Findings) - r.Failed - r.Warned
	switch {
	case r.Failed > 0:
		return fmt.Sprintf("%d FAIL, %d warn, %d ok", r.Failed, r.Warned, good)
	case r.Warned > 0:
		return fmt.Sprintf("Ready: %d ok, %d to think about", good, r.Warned)
	}
	return fmt.Sprintf("Ready: all %d are ok", good)
}

// margin is how far the text stands from the left: level and what was looked at.
const margin = 2 + 6 + 11

func (l Look) finding(w io.Writer, f Finding) {
	text := f.Text
	if f.Way != "" {
		text += " → " + f.Way
	}
	fmt.Fprintf(w, "  %s%-11s%s\n", l.level(f.Level), f.ID, l.broken(text))
	for _, d := range f.Details {
		fmt.Fprintf(w, "%s%s\n", strings.Repeat(" ", margin), d)
	}
}

// level is the word for one, six characters wide.
func (l Look) level(level Level) string {
	word, color := map[Level]string{OK: "ok", Warn: "warn", Fail: "FAIL"}[level], map[Level]string{
		OK: "32", Warn: "33", Fail: "1;31",
	}[level]
	padding := strings.Repeat(" ", 6-len(word))
	if !l.Color {
		return word + padding
	}
	return "\x1b[" + color + "m" + word + "\x1b[0m" + padding
}

// broken is text in lines that fit beside the margin; the way on has a line of
// its own.
func (l Look) broken(text string) string {
	if l.Width == 0 {
		return text
	}
	var b strings.Builder
	column := margin
	for i, word := range strings.Fields(text) {
		length := len([]rune(word))
		switch {
		case i > 0 && (word == "→" || column+1+length > l.Width):
			b.WriteString("\n" + strings.Repeat(" ", margin))
			column = margin
		case i > 0:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += length
	}
	return b.String()
}
