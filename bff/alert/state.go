package alert

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"coinslot/bff/attention"
)

// State is what all instances know of alerts; it is stored as one document. The zero State knows
// nothing.
type State struct {
	// Alarms are the conditions that were found, by key, and those that have ended and were
	// announced.
	Alarms map[string]Alarm `json:"alarms,omitempty"`
	// ReportedAt is when the last message about alarms was written.
	ReportedAt time.Time `json:"reported_at,omitzero"`
	// Summarized is the day of the last daily summary; empty = there was none.
	Summarized string `json:"summarized,omitempty"`
	// Messages have not reached all targets, the oldest first.
	Messages []Message `json:"messages,omitempty"`
	// Holder is the instance that may change the state until Until.
	Holder string    `json:"holder,omitempty"`
	Until  time.Time `json:"until,omitzero"`
}

// Alarm is a condition, or one item of it: a state of the shop that begins and ends.
type Alarm struct {
	Kind  attention.Kind `json:"kind"`
	Since time.Time      `json:"since"`
	// Said is the Kind that a message has announced; empty = none has.
	Said attention.Kind `json:"said,omitempty"`
	// Line says which one it is, in words.
	Line string `json:"line,omitempty"`
	// EndedAt is when it was over; zero = it is not. An end is forgotten once it was announced.
	EndedAt time.Time `json:"ended_at,omitzero"`
}

// Message is one that targets get. All receive the same.
type Message struct {
	ID     string    `json:"id"`
	At     time.Time `json:"at"` // when it was written
	Title  string    `json:"title"`
	Text   string    `json:"text"` // lines; ASCII except for names
	Link   string    `json:"link"` // to the console
	Urgent bool      `json:"urgent,omitempty"`
	// Deliveries are to the targets that have not accepted it.
	Deliveries []Delivery `json:"deliveries"`
}

// Delivery is a message on its way to one target.
type Delivery struct {
	Target string    `json:"target"` // its key
	Tries  int       `json:"tries,omitempty"`
	NextAt time.Time `json:"next_at"`
	Error  string    `json:"error,omitempty"` // of the last try
}

// quietFor is the least time between two messages about alarms.
const quietFor = 15 * time.Minute

// report is what a message reports.
type report struct {
	begun, ended []Alarm
}

func (r report) isEmpty() bool { return len(r.begun)+len(r.ended) == 0 }

// next returns the state after conditions were found at now, and what is due to be reported.
//
// An alarm is reported once it has lasted for the patience of its kind, and its end only if its
// begin was. For a quarter of an hour after a message all waits, and is then reported together;
// what was over by then is not reported at all.
func (s State) next(found []attention.Condition, now time.Time) (State, report) {
	s.Alarms = observe(s.Alarms, found, now)
	if now.Sub(s.ReportedAt) < quietFor && !s.ReportedAt.After(now) {
		return s, report{}
	}

	var due report
	for _, key := range s.keys() {
		a := s.Alarms[key]
		switch {
		case !a.EndedAt.IsZero():
			due.ended = append(due.ended, a)
			delete(s.Alarms, key)
		case a.Said != a.Kind && now.Sub(a.Since) >= patience(a.Kind):
			due.begun = append(due.begun, a)
			a.Said = a.Kind
			s.Alarms[key] = a
		}
	}
	if !due.isEmpty() {
		s.ReportedAt = now
	}
	return s, due
}

// keys returns those of the alarms, the gravest kinds first, then the oldest.
func (s State) keys() []string {
	return slices.SortedFunc(maps.Keys(s.Alarms), func(a, b string) int {
		return cmp.Or(
			rank(s.Alarms[a].Kind)-rank(s.Alarms[b].Kind),
			s.Alarms[a].Since.Compare(s.Alarms[b].Since),
			cmp.Compare(a, b),
		)
	})
}

// observe returns the alarms after conditions were found. It does not change those before.
func observe(before map[string]Alarm, found []attention.Condition, now time.Time) map[string]Alarm {
	after := map[string]Alarm{}
	partly := map[attention.Kind]bool{} // not all items are listed
	for _, c := range found {
		partly[c.Kind] = partly[c.Kind] || len(c.Items) > 0 && !c.Complete()
		for key, a := range alarms(c, now) {
			known, isKnown := before[key]
			if isKnown {
				a.Since = known.Since
				a.Said = known.Said
			}
			after[key] = a
		}
	}

	for key, a := range before {
		_, still := after[key]
		switch {
		case still:
		case partly[a.Kind]:
			after[key] = a
		case a.Said != "":
			if a.EndedAt.IsZero() {
				a.EndedAt = now
			}
			after[key] = a
		}
	}
	return after
}

// alarms returns those of a condition by key: one for each item, or one.
func alarms(c attention.Condition, now time.Time) map[string]Alarm {
	if _, isReported := textOf[c.Kind]; !isReported {
		return nil
	}
	since := now
	if !c.Since.IsZero() && c.Since.Before(now) {
		since = c.Since
	}
	if len(c.Items) == 0 {
		return map[string]Alarm{topic(c): {Kind: c.Kind, Since: since, Line: describe(c)}}
	}

	all := map[string]Alarm{}
	for _, item := range c.Items {
		line := describeItem(c.Kind, item)
		all[topic(c)+" "+item.ID] = Alarm{Kind: c.Kind, Since: since, Line: line}
	}
	return all
}

// topic is what alarms of a condition are about. What is wrong with an endpoint may change its
// kind, and is still about the same endpoint.
func topic(c attention.Condition) string {
	if c.Endpoint != "" {
		return "endpoint " + (Target{form: plain, to: c.Endpoint}).key()
	}
	return string(c.Kind)
}

// patience is how long a condition has to last before it is reported: most pass by themselves.
func patience(kind attention.Kind) time.Duration {
	switch kind {
	case attention.Gateway, database:
		return 10 * time.Minute
	case attention.Waiting, attention.Rates, attention.Certificate:
		return time.Hour
	}
	return 0
}

// retryAfter returns how long to wait after so many tries have failed; ok is false if there is no
// further one, after three days.
func retryAfter(tries int) (wait time.Duration, ok bool) {
	steps := [...]time.Duration{
		30 * time.Second, 2 * time.Minute, 10 * time.Minute, 30 * time.Minute, time.Hour,
	}
	return steps[min(tries-1, len(steps)-1)], tries < 4+3*24
}

// maxMessages bounds those that wait; the oldest are given up.
const maxMessages = 50

// send adds a message for all targets. It returns the state, and what was given up for it.
func (s State) send(m Message, targets []Target, now time.Time) (after State, dropped []Message) {
	for _, t := range targets {
		m.Deliveries = append(m.Deliveries, Delivery{Target: t.key(), NextAt: now})
	}
	s.Messages = append(slices.Clip(s.Messages), m)
	extra := max(0, len(s.Messages)-maxMessages)
	return s.from(extra), s.Messages[:extra]
}

func (s State) from(n int) State {
	s.Messages = s.Messages[n:]
	return s
}

// held reports whether another instance holds the state.
func (s State) held(by string, now time.Time) bool {
	return s.Holder != by && now.Before(s.Until)
}
