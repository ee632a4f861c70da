package sandbox

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
)

// Fault is something that goes wrong with requests to the merchant API. The
// first armed fault that matches a request is used for it, alone.
//
// A request is processed as usual, and only its answer is spoiled, if CutAfter, Set or Processed
// says so, or if the fault is nothing but Latency. With CutBefore, Status, HTML and Raw nothing is
// processed unless Processed is set. Of several ways to answer the first of CutBefore, CutAfter,
// Raw, HTML, Status and Set counts; Status is also the HTTP status of Raw and HTML.
type Fault struct {
	// Path is the name of an endpoint: currencies, list, create, status, recheck, cancel or
	// withdrawals. Anything else is a part of the URL's path. Empty matches every request.
	Path string `json:"path,omitempty"`
	// Times is how many requests are hit. Zero means 1; negative means all
	// until the faults are cleared.
	Times int `json:"times,omitzero"`
	// Latency is how long the answer, or the cut, is held back after the
	// processing. It ends early when the client goes away.
	Latency time.Duration `json:"latency,omitzero,format:units"`
	// Status answers with this status in HTTP and in the envelope.
	Status int `json:"status,omitzero"`
	// RetryAfter is sent as the Retry-After header, in whole seconds rounded up. Zero means none.
	RetryAfter time.Duration `json:"retry_after,omitzero,format:units"`
	// HTML answers with an HTML page as a proxy would, with status 200.
	HTML bool `json:"html,omitzero"`
	// CutBefore closes the connection without an answer; nothing has happened.
	CutBefore bool `json:"cut_before,omitzero"`
	// CutAfter closes the connection without an answer; the request has been processed.
	CutAfter bool `json:"cut_after,omitzero"`
	// Set overwrites fields of data in the answer; nil removes one. In a list,
	// every item is meant; "pagination.total" names a field further inside.
	Set map[string]any `json:"set,omitempty"`
	// Raw is the whole body of the answer, sent as application/json. Empty means none.
	Raw string `json:"raw,omitempty"`
	// Processed lets the request be processed although the answer is Status, HTML or Raw.
	Processed bool `json:"processed,omitzero"`
}

// plainFault is a Fault without methods.
type plainFault Fault

// MarshalJSON writes f with durations as Go writes them ("1.5s") and without what is zero.
func (f Fault) MarshalJSON() ([]byte, error) { return jsonv2.Marshal(plainFault(f)) }

// UnmarshalJSON reads what MarshalJSON writes. Unknown names are errors, since
// a fault that does nothing makes a test that proves nothing.
func (f *Fault) UnmarshalJSON(data []byte) error {
	var read plainFault
	if err := jsonv2.Unmarshal(data, &read, jsonv2.RejectUnknownMembers(true)); err != nil {
		return fmt.Errorf("reading fault: %w", err)
	}
	*f = Fault(read)
	return f.checkDurations()
}

func (f Fault) checkDurations() error {
	for _, d := range []time.Duration{f.Latency, f.RetryAfter} {
		if d < 0 || d > time.Hour {
			return fmt.Errorf("duration %s is not between 0 and 1h", d)
		}
	}
	return nil
}

// check returns why f cannot be used. Errors: a status that HTTP does not have,
// or a fault that does nothing.
func (f Fault) check() error {
	if f.Status != 0 && (f.Status < 200 || f.Status > 599) {
		return fmt.Errorf("status %d is not between 200 and 599", f.Status)
	}
	if f.String() == "nothing" {
		return fmt.Errorf("the fault does nothing")
	}
	return f.checkDurations()
}

// String names what f does: "latency 2s, cut after processing".
func (f Fault) String() string {
	var parts []string
	add := func(is bool, format string, args ...any) {
		if is {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	add(f.Latency > 0, "latency %s", f.Latency)
	add(f.CutBefore, "cut before processing")
	add(f.CutAfter, "cut after processing")
	add(f.Raw != "", "raw body")
	add(f.HTML, "HTML page")
	add(f.Status != 0, "status %d", f.Status)
	add(f.RetryAfter > 0, "retry after %s", f.RetryAfter)
	add(len(f.Set) > 0, "set %s", strings.Join(slices.Sorted(maps.Keys(f.Set)), ", "))
	add(f.Processed, "processed")
	return cmp.Or(strings.Join(parts, ", "), "nothing")
}

// Inject arms f for the next requests that match. It panics if f does nothing
// or has an impossible status, since that is a mistake of the test.
func (s *Server) Inject(f Fault) {
	if err := f.check(); err != nil {
		panic("sandbox: " + err.Error())
	}
	if f.Times == 0 {
		f.Times = 1
	}
	f.Set = maps.Clone(f.Set)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, f)
}

// ClearFaults disarms every fault. A request that is being held back stays so.
func (s *Server) ClearFaults() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = nil
}

// Faults returns the armed faults in their order, Times being what is left.
func (s *Server) Faults() []Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.faults)
}

func (s *Server) takeFault(endpoint, path string) (Fault, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.faults, func(f Fault) bool { return s.matches(f, endpoint, path) })
	if i < 0 {
		return Fault{}, false
	}
	f := s.faults[i]
	if f.Times > 0 {
		s.faults[i].Times--
	}
	if s.faults[i].Times == 0 {
		s.faults = slices.Delete(s.faults, i, i+1)
	}
	return f, true
}

// matches reports whether f is meant for a request. The name of an endpoint
// means that one alone: "list" is a part of three paths.
func (s *Server) matches(f Fault, name, path string) bool {
	if slices.ContainsFunc(s.endpoints(), func(e endpoint) bool { return e.name == f.Path }) {
		return f.Path == name
	}
	return strings.Contains(path, f.Path)
}
