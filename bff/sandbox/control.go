package sandbox

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"
)

type controlPage struct {
	Transactions []Transaction // the last hundred
	Faults       []Fault
	Requests     []Request // the last twenty
	Key          string
}

func (s *Server) serveControl(w http.ResponseWriter, _ *http.Request) {
	s.render(w, "control.html", controlPage{
		Transactions: newest(s.Transactions(), 100),
		Requests:     newest(s.Requests(), 20),
		Faults:       s.Faults(),
		Key:          s.key,
	})
}

// newest returns the last n of all at most, in reverse. It changes all.
func newest[T any](all []T, n int) []T {
	slices.Reverse(all)
	return all[:min(n, len(all))]
}

// possible returns the kinds that Pay would not refuse for t now.
func (t Transaction) possible() []Kind {
	missing := t.PayAmount.GreaterThan(t.arrived())
	switch {
	case t.Status == Pending:
		return Kinds()
	case t.Status == Confirmed || !missing:
		return nil
	}
	return []Kind{KindPay, KindHalf, KindParts, KindOver, KindTenfold, KindTolerated}
}

// serveList answers with what list returns, as a JSON array.
func serveList[T any](list func() []T) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusOK, append([]T{}, list()...))
	}
}

// serveAction makes a kind happen; the kind "amount" lets the parameter amount arrive.
func (s *Server) serveAction(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxBodyBytes)
	code := r.PathValue("code")
	kind := r.PathValue("kind")
	var err error
	if kind != "amount" {
		err = s.Pay(code, Kind(kind))
	} else if amount, ok := parseDecimal(r.FormValue("amount")); ok {
		err = s.PayAmount(code, amount)
	} else {
		err = fmt.Errorf("reading amount: %w", ErrAmount)
	}
	if err != nil {
		fail(w, r, statusOf(err), err)
		return
	}

	t, _ := s.transaction(code)
	done(w, r, t)
}

func (s *Server) inject(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBodyBytes))
	var f Fault
	if err == nil {
		err = json.Unmarshal(body, &f)
	}
	if err == nil {
		err = s.check(f)
	}
	if err != nil {
		fail(w, r, http.StatusUnprocessableEntity, err)
		return
	}

	s.Inject(f)
	writeJSON(w, http.StatusOK, append([]Fault{}, s.Faults()...))
}

func (s *Server) clearFaults(w http.ResponseWriter, _ *http.Request) {
	s.ClearFaults()
	writeJSON(w, http.StatusOK, []Fault{})
}

func done(w http.ResponseWriter, r *http.Request, v any) {
	if wantsJSON(r) {
		writeJSON(w, http.StatusOK, v)
		return
	}
	http.Redirect(w, r, "/sandbox/", http.StatusSeeOther)
}

// fail answers a control that could not be done: {"error": "…"} or plain text.
func fail(w http.ResponseWriter, r *http.Request, status int, err error) {
	if wantsJSON(r) {
		writeJSON(w, status, map[string]string{"error": err.Error()})
		return
	}
	http.Error(w, err.Error(), status)
}

// wantsJSON reports whether a program asks rather than a form: it accepts or
// sends JSON, or uses a method that forms do not have.
func wantsJSON(r *http.Request) bool {
	return strings.Contains(r.Header.Get("Accept"), "application/json") ||
		strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") ||
		r.Method == http.MethodDelete
}

const maxRequests = 1000

// Request is one entry of the log of the merchant API. It is written when the
// request has been processed, before a fault delays or replaces the answer.
type Request struct {
	Time     time.Time `json:"time"` // when it arrived
	Method   string    `json:"method"`
	Path     string    `json:"path"`
	Query    string    `json:"query"`    // as it was sent, without "?"
	Body     string    `json:"body"`     // as it was sent, at most 64 KiB
	Headers  []string  `json:"headers"`  // names only, sorted: values may be secret
	Endpoint string    `json:"endpoint"` // name as in Fault.Path; empty = no such endpoint
	// Processed is whether the request was answered by the rules, even if the
	// answer was then cut; Status is the envelope's, zero if not processed.
	Processed bool `json:"processed"`
	Status    int  `json:"status"`
	// Outcome says in words what came of it: the envelope's message, and the
	// fault if there was one.
	Outcome string `json:"outcome"`
}

func newRequest(
	at time.Time, r *http.Request, name string, body []byte, answer envelope, fault Fault,
	faulty bool,
) Request {
	q := Request{
		Time:      at,
		Method:    r.Method,
		Path:      r.URL.Path,
		Query:     r.URL.RawQuery,
		Body:      string(body),
		Endpoint:  name,
		Headers:   slices.Sorted(maps.Keys(r.Header)),
		Processed: answer.Status != 0,
		Status:    answer.Status,
		Outcome:   answer.Message,
	}
	switch {
	case faulty && q.Processed:
		q.Outcome = fmt.Sprintf("%s (fault: %s)", answer.Message, fault)
	case faulty:
		q.Outcome = fmt.Sprintf("fault: %s", fault)
	}

	return q
}

func (s *Server) log(q Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.requests) >= maxRequests {
		s.requests = slices.Delete(s.requests, 0, len(s.requests)-maxRequests+1)
	}
	s.requests = append(s.requests, q)
}
