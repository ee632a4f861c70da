package check

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"coinslot/bff/diagnose"
)

// Failed returns the number of findings that are reasons not to go live.
func (r Report) Failed() int { return diagnose.Count(r.Findings, diagnose.Fail) }

func (r Report) warned() int { return diagnose.Count(r.Findings, diagnose.Warn) }

// JSON writes the report for programs. Errors: w's.
func (r Report) JSON(w io.Writer) error {
	type finding struct {
		ID      string            `json:"id"`
		Level   diagnose.Severity `json:"level"`
		Text    string            `json:"text"`
		Fix     string            `json:"way,omitempty"`
		Details []string          `json:"details,omitempty"`
	}
	list := make([]finding, 0, len(r.Findings))
	for _, f := range r.Findings {
		list = append(list, finding{f.ID, f.Severity, f.Text, f.Fix, f.Details})
	}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(struct {
		Version  string    `json:"version"`
		Failed   int       `json:"failed"`
		Warned   int       `json:"warned"`
		Findings []finding `json:"findings"`
	}{r.Version, r.Failed(), r.warned(), list})
}

// Text writes the report for people. Errors of w are ignored.
func (r Report) Text(w io.Writer, s diagnose.Style) {
	fmt.Fprintf(w, "Coinslot %s\n\n", r.Version)
	list := slices.Clone(r.Findings)
	for i := range list {
		if list[i].Severity == diagnose.OK && !r.Verbose && list[i].Details != nil {
			list[i].Text, list[i].Details = list[i].Text+" (-v lists them)", nil
		}
	}
	diagnose.Print(w, list, s)
	fmt.Fprintf(w, "\n%s.\n", r.summary())
}

func (r Report) summary() string {
	failed, warned := r.Failed(), r.warned()
	switch {
	case failed > 0:
		return fmt.Sprintf("Not ready: %d of %d checks failed, %s", failed, len(r.Findings),
			plural(warned, "warning"))
	case warned > 0:
		return "Ready, with " + plural(warned, "warning")
	}
	return fmt.Sprintf("Ready: all %d checks passed", len(r.Findings))
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if stem, y := strings.CutSuffix(noun, "y"); y {
		return fmt.Sprintf("%d %sies", n, stem)
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
