package sandbox

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
)

// Fault is a failure of the network or the gateway for requests to the merchant API. The first
// armed fault that matches a request is used for it, alone.
//
// A request that is answered with Status or cut by CutBefore is not processed; with CutAfter or
// nothing but Latency it is. Of several ways to answer the first of CutBefore, CutAfter and Status
// counts.
type Fault struct {
	// Path is the name of an endpoint: currencies, list, create, status, recheck, cancel or
	// withdrawals. Empty matches every request.
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
	// CutBefore closes the connection without an answer; nothing has happened.
	CutBefore bool `json:"cut_before,omitzero"`
	// CutAfter closes the connection without an answer; the request has been processed.
	CutAfter bool `json:"cut_after,omitzero"`
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
	return nil
}

// check returns why f cannot be used. Errors: an endpoint or a status that does not exist; a
// duration of more than an hour; a fault that does nothing.
func (s *Server) check(f Fault) error {
	isEndpoint := func(e endpoint) bool { return e.name == f.Path }
	if f.Path != "" && !slices.ContainsFunc(s.endpoints(), isEndpoint) {
		return fmt.Errorf("path %q is not the name of an endpoint", f.Path)
	}
	if f.Status != 0 && (f.Status < 200 || f.Status > 599) {
		return fmt.Errorf("status %d is not between 200 and 599", f.Status)
	}
	for _, d := range []time.Duration{f.Latency, f.RetryAfter} {
		if d < 0 || d > time.Hour {
			return fmt.Errorf("duration %s is not between 0 and 1h", d)
		}
	}
	if f.String() == "nothing" {
		return errors.New("the fault does nothing")
	}
	return nil
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
	add(f.Status != 0, "status %d", f.Status)
	add(f.RetryAfter > 0, "retry after %s", f.RetryAfter)
	return cmp.Or(strings.Join(parts, ", "), "nothing")
}

// Inject arms f for the next requests that match. It panics if f does nothing
// or has an impossible status, since that is a mistake of the test.
func (s *Server) Inject(f Fault) {
	if err := s.check(f); err != nil {
		panic("sandbox: " + err.Error())
	}
	if f.Times == 0 {
		f.Times = 1
	}
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

// takeFault returns the first armed fault for an endpoint and counts it; false = there is none.
func (s *Server) takeFault(endpoint string) (Fault, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()

	i := slices.IndexFunc(s.faults, func(f Fault) bool {
		return f.Path == "" || f.Path == endpoint
	})
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

// processes reports whether the request has its effect.
func (f Fault) processes() bool {
	return !f.CutBefore && (f.CutAfter || f.Status == 0)
}

// deliver answers, or cuts the connection, after the latency. answer is that of the processed
// request.
func (f Fault) deliver(w http.ResponseWriter, r *http.Request, answer envelope) {
	select {
	case <-time.After(f.Latency):
	case <-r.Context().Done():
	}
	if f.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int((f.RetryAfter+time.Second-1)/time.Second)))
	}
	switch {
	case f.CutBefore, f.CutAfter:
		cut(w)
	case f.Status != 0:
		writeJSON(w, f.Status, envelope{Status: f.Status, Message: http.StatusText(f.Status)})
	default:
		writeJSON(w, answer.Status, answer)
	}
}

func cut(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler) // HTTP/2 cannot be taken over, but aborted
	}
	conn.Close()
}
