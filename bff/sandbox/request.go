package sandbox

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"
)

const maxRequests = 1000

// Request is one entry of the log of the merchant API. It is written when the
// request has been processed, before a fault delays or spoils the answer.
type Request struct {
	Time     time.Time `json:"time"` // of arrival
	Method   string    `json:"method"`
	Path     string    `json:"path"`
	Query    string    `json:"query"`    // as it was sent, without "?"
	Body     string    `json:"body"`     // as it was sent, at most 64 KiB
	Headers  []string  `json:"headers"`  // names only, sorted: values may be secret
	Endpoint string    `json:"endpoint"` // name as in Fault.Path; empty = no such endpoint
	// Processed is whether the request was answered by the rules, even if the
	// answer was then spoiled; Status is the envelope's, zero if not processed.
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
		Time: at, Method: r.Method, Path: r.URL.Path, Query: r.URL.RawQuery, Body: string(body),
		Endpoint: name, Headers: slices.Sorted(maps.Keys(r.Header)), Processed: answer.Status != 0,
		Status: answer.Status, Outcome: answer.Message,
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
