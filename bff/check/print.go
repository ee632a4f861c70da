package check

import (
	"encoding/json"
	"fmt"
	"io"

	"coinslot/bff/diagnose"
)

// Failed returns how many findings are reasons not to go live, and warned how many are to
// think about.
func (r Report) Failed() int { return diagnose.Count(r.Findings, diagnose.Fail) }

func (r Report) warned() int { return diagnose.Count(r.Findings, diagnose.Warn) }

// JSON writes the report for programs. Errors: w's.
func (r Report) JSON(w io.Writer) error {
	type finding struct {
		ID      string            `json:"id"`
		Level   diagnose.Severity `json:"level"`
		Text    string            `json:"text"`
		Way     string            `json:"way,omitempty"`
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
	diagnose.Print(w, r.Findings, s)
	fmt.Fprintf(w, "\n%s.\n", r.summary())
}

// summary is the outcome in a few words.
func (r Report) summary() string {
	failed, warned := r.Failed(), r.warned()
	good := len(r.Findings) - failed - warned
	switch {
	case failed > 0:
		return fmt.Sprintf("%d FAIL, %d warn, %d ok", failed, warned, good)
	case warned > 0:
		return fmt.Sprintf("Ready: %d ok, %d to think about", good, warned)
	}
	return fmt.Sprintf("Ready: all %d are ok", good)
}
