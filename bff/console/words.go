package console

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"sync"

	"coinslot/app/wire"
	"coinslot/bff/gatewaylist"
	"coinslot/bff/payment"
	"coinslot/bff/rates"
)

//go:embed words.json
var wordsFile []byte

// wordList is words.json: the texts of pages, by code.
type wordList struct {
	// AttemptStates has two more than payment has: see stateOf.
	AttemptStates map[string]attemptState `json:"attempt_states"`
	Reviews       map[string]reviewReason `json:"reviews"` // by the reason's code
	// Events are the texts of timeline entries; the detail is appended.
	Events map[string]string `json:"events"`
	// Audit are the texts of the audit log, by its codes. A change has two: requested and done.
	Audit map[string]string `json:"audit"`
	// Notices are shown after an action; see auth.Authenticator.SignNotice.
	Notices  map[string]note       `json:"notices"`
	Failures map[wire.Code]failure `json:"failures"` // by error code
	// Findings are the names of the kinds of differences; what becomes of it is the
	// kind's own word.
	Findings      map[gatewaylist.FindingKind]badge `json:"findings"`
	Confirmations map[string]question               `json:"confirmations"`
	// Rates say whether a rate can be used: "usable", or by why not. RateSources are the names of
	// sources.
	Rates       map[rates.Reason]badge `json:"rates"`
	RateSources map[string]string      `json:"rate_sources"`
}

type (
	// attemptState is a badge and a sentence.
	attemptState struct {
		badge
		Means string
	}
	// reviewReason is why a payment is not proven, and what to do.
	reviewReason struct{ What, Todo string }
	failure      struct {
		Status int // HTTP
		Text   string
	}
	// question is the text of a confirmation page.
	question struct {
		Name          string // of the button that leads here
		Title, Button string
		About         string   // a paragraph; empty = none
		Will, Never   []string // what will happen, what cannot be undone
	}
)

// words returns words.json. It panics if the file cannot be read, so that a console without
// words does not start.
var words = sync.OnceValue(func() (list wordList) {
	decoder := json.NewDecoder(bytes.NewReader(wordsFile))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&list); err != nil {
		panic("console: words.json: " + err.Error())
	}
	return list
})

// statusBadge is how a session stands.
func statusBadge(s wire.Status) badge {
	title, kind := s.Label()
	return badge{Kind: kind, Word: title, Status: string(s)}
}

// stateOf is the state of an attempt.
func stateOf(a payment.Attempt) attemptState {
	state := string(a.State)
	switch {
	case a.State == payment.InReview && a.Reason == "transaction_absent":
		state = "transaction_absent"
	case a.ConfirmedByOperator():
		state = "resolved_by_hand"
	}
	return words().AttemptStates[state]
}

// explainReview explains the reason of a review.
func explainReview(code string) reviewReason {
	if r, ok := words().Reviews[code]; ok {
		return r
	}
	return reviewReason{
		"This payment is not proven",
		"Look it up in the gateway's own panel and in the explorer before you resolve it.",
	}
}

// describeEvent is the text of a timeline entry.
func describeEvent(e payment.TimelineEntry) string {
	if e.What == "attempt.confirmed" && e.By != "gateway" {
		return "Confirmed by an operator. Tracking code"
	}
	return cmp.Or(words().Events[e.What], e.What)
}

// describeAction is what an action was, in words.
func describeAction(what string) string { return cmp.Or(words().Audit[what], what) }
