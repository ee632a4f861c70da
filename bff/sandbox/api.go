package sandbox

import (
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
)

const maxBodyBytes = 64 << 10

type refusal struct {
	status  int // of the envelope and of HTTP
	message string
}

func invalid(format string, args ...any) *refusal {
	return &refusal{http.StatusUnprocessableEntity, fmt.Sprintf(format, args...)}
}

// envelope is the frame of every answer, refusals included; theirs has no data.
type envelope struct {
	Status  int    `json:"status"`
	Data    any    `json:"data"`
	Message string `json:"message"`
}

func (r *refusal) envelope() envelope { return envelope{Status: r.status, Message: r.message} }

func success(data any) envelope {
	return envelope{Status: http.StatusOK, Data: data, Message: "success"}
}

type endpoint struct {
	name   string // as [Fault.Path] names it
	method string
	path   string
	serve  func(*http.Request, []byte) (envelope, *refusal)
}

const apiPrefix = "/api/v1/merchant/"

func (s *Server) endpoints() []endpoint {
	return []endpoint{
		{"currencies", http.MethodGet, "currencies/list", s.listCurrencies},
		{"list", http.MethodGet, "transaction/list", s.listTransactions},
		{"create", http.MethodPost, "transaction/create", s.createTransaction},
		{"status", http.MethodGet, "transaction/status", s.transactionStatus},
		{"recheck", http.MethodGet, "transaction/recheck", s.recheckTransaction},
		{"cancel", http.MethodPost, "transaction/cancel", s.cancelTransaction},
		{"withdrawals", http.MethodGet, "withdrawals/list", s.listWithdrawals},
	}
}

// serveAPI answers a request to the merchant API, or does what the first armed fault that
// matches says. A client that disconnects undoes nothing.
func (s *Server) serveAPI(w http.ResponseWriter, r *http.Request) {
	arrived := s.now()
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBodyBytes))
	e, refused := s.route(r)
	if err != nil && refused == nil {
		refused = &refusal{http.StatusRequestEntityTooLarge, "The body is too large."}
	}

	fault, faulty := s.takeFault(e.name)
	var answer envelope
	if !faulty || fault.processes() {
		if refused == nil {
			answer, refused = e.serve(r, body)
		}
		if refused != nil {
			answer = refused.envelope()
		}
	}

	s.log(newRequest(arrived, r, e.name, body, answer, fault, faulty))
	if refused != nil && refused.status == http.StatusMethodNotAllowed {
		w.Header().Set("Allow", e.method)
	}
	if faulty {
		fault.deliver(w, r, answer)
		return
	}

	writeJSON(w, answer.Status, answer)
}

// route finds the endpoint and checks key and method. The endpoint's name is
// empty if there is none.
func (s *Server) route(r *http.Request) (endpoint, *refusal) {
	path := strings.TrimPrefix(r.URL.Path, apiPrefix)
	all := s.endpoints()
	i := slices.IndexFunc(all, func(e endpoint) bool { return e.path == path })
	switch {
	case i < 0:
		return endpoint{}, &refusal{http.StatusNotFound, "The route could not be found."}
	case all[i].method != r.Method:
		return all[i], &refusal{
			http.StatusMethodNotAllowed, "The method is not supported for this route.",
		}
	case subtle.ConstantTimeCompare([]byte(r.Header.Get("X-Api-Key")), []byte(s.key)) != 1:
		return all[i], &refusal{http.StatusUnauthorized, "The API key is missing or invalid."}
	}

	return all[i], nil
}

func (s *Server) listCurrencies(*http.Request, []byte) (envelope, *refusal) {
	return success(currencyRecords(s.currencies)), nil
}

func (s *Server) listTransactions(r *http.Request, _ []byte) (envelope, *refusal) {
	sel, refused := parseSelection(r.URL.Query(), string(Pending), string(Confirmed),
		string(Expired), string(Cancelled))
	if refused != nil {
		return envelope{}, refused
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	var found []*Transaction
	for _, t := range slices.Backward(s.transactions) {
		t.expireIfDue(now)
		if sel.matches(string(t.Status), t.CreatedAt) {
			found = append(found, t)
		}
	}

	page := paginate(found, sel)
	records := listPage[transactionRecord]{
		Items:      []transactionRecord{},
		Pagination: page.Pagination,
	}
	for _, t := range page.Items {
		records.Items = append(records.Items, t.record())
	}

	return success(records), nil
}

func (s *Server) createTransaction(r *http.Request, body []byte) (envelope, *refusal) {
	p, refused := readParams(r, body)
	if refused != nil {
		return envelope{}, refused
	}
	o, refused := s.parseOrder(p)
	if refused != nil {
		return envelope{}, refused
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return success(s.open(o, s.hostedPage(r)).created()), nil
}

func (s *Server) hostedPage(r *http.Request) string {
	switch {
	case s.pageURL != "":
		return s.pageURL
	case r.TLS != nil:
		return "https://" + r.Host + "/pay"
	}
	return "http://" + r.Host + "/pay"
}

func (s *Server) transactionStatus(r *http.Request, _ []byte) (envelope, *refusal) {
	var record transactionRecord
	refused := s.named(r, func(t *Transaction) error {
		record = t.record()
		return nil
	})
	return success(record), refused
}

// recheckTransaction re-verifies and answers like the documentation's sample: with a success
// message next to the status pending.
func (s *Server) recheckTransaction(r *http.Request, _ []byte) (envelope, *refusal) {
	var record transactionRecord
	refused := s.named(r, func(t *Transaction) error {
		err := t.recheck()
		record = t.sampleRecord()
		return err
	})
	return envelope{http.StatusOK, record, "Transaction confirmed successfully."}, refused
}

// cancelTransaction cancels and, like recheck, answers with the sample's status.
func (s *Server) cancelTransaction(r *http.Request, body []byte) (envelope, *refusal) {
	p, refused := readParams(r, body)
	if refused != nil {
		return envelope{}, refused
	}

	var code string
	raw, ok := p.body["tracking_code"]
	if !ok || json.Unmarshal(raw, &code) != nil ||
		code != p.query.Get("tracking_code") {
		return envelope{}, invalid(
			"The tracking_code of the body and of the query must be given and the same.",
		)
	}

	var record transactionRecord
	refused = s.named(r, func(t *Transaction) error {
		err := t.cancel(false)
		record = t.sampleRecord()
		return err
	})
	return envelope{http.StatusOK, record, "Transaction cancelled successfully."}, refused
}

// named runs do on the transaction that the query names and turns its error into a refusal.
func (s *Server) named(r *http.Request, do func(*Transaction) error) *refusal {
	code := r.URL.Query().Get("tracking_code")
	if code == "" {
		return invalid("The tracking_code field is required.")
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.find(code)
	if t == nil {
		return &refusal{http.StatusNotFound, "Transaction not found."}
	}

	err := do(t)
	switch {
	case errors.Is(err, ErrNotPending):
		return invalid("Only pending transactions can be cancelled.")
	case errors.Is(err, errNotEnded):
		return invalid("Only expired or cancelled transactions can be rechecked.")
	case errors.Is(err, errUnpaid):
		return invalid("No completed payment of this transaction was found on the blockchain.")
	}

	return nil
}

func (s *Server) listWithdrawals(r *http.Request, _ []byte) (envelope, *refusal) {
	sel, refused := parseSelection(r.URL.Query(), "pending", "processing", "confirmed")
	if refused != nil {
		return envelope{}, refused
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	var found []withdrawal
	for _, w := range slices.Backward(s.withdrawals) {
		if sel.matches(strings.ToLower(w.Status), time.Unix(w.CreatedAt, 0)) {
			found = append(found, w)
		}
	}

	return success(paginate(found, sel)), nil
}

// writeJSON answers with v, which must be encodable. Text is written as it is:
// an ampersand in a URL stays one.
func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		panic(http.ErrAbortHandler) // the client has gone
	}
}
