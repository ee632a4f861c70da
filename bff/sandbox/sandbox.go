// Package sandbox simulates the gateway's merchant API: the seven endpoints
// with their fields, limits and states, the hosted payment page, and controls
// that stand in for the blockchain, the payer and a bad network.
//
// It is for demonstrations and tests: nothing is ever charged, addresses lead
// nowhere, and everything is in memory. The merchant API asks for the key as
// the real one does; the hosted page and the controls under /sandbox/ ask for
// nothing, so a Server must listen on the loopback interface only.
//
// Start from [New], which is an [http.Handler], and [Server.Pay]:
//
//	gateway := sandbox.New(sandbox.Config{})
//	server := httptest.NewServer(gateway)
//	// point the client at server.URL with sandbox.DefaultKey, create, then
//	err := gateway.Pay(code, sandbox.KindPay)
//
// Where the gateway's documentation says "not shown", the sandbox chooses, and says so at the place
// of the choice. In short: timestamps are Unix seconds; a violated constraint is answered with
// status 422, a wrong key with 401, an unknown tracking code with 404, each in the usual envelope
// and as HTTP status; lists have ten items by default, newest first, and days are UTC; an order
// without order_id gets a seven-digit number of the gateway's own.
package sandbox

import (
	"cmp"
	crand "crypto/rand"
	"encoding/binary"
	"fmt"
	"html/template"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/shopspring/decimal"
)

// DefaultKey is the API key that a Server accepts unless Config names another.
const DefaultKey = "sandbox-key-2f9c1d7be4a86053"

// Config configures a Server. The zero value is useful.
type Config struct {
	// Key is the x-api-key that is accepted. Empty means DefaultKey.
	Key string
	// PageURL is the address of the hosted payment page without a slash at the
	// end; payment_url is PageURL/<tracking_code>. It must lead to /pay of this
	// server. Empty means http(s)://<Host of the create request>/pay.
	PageURL string
	// Now is the clock. Nil means time.Now. It must be safe for concurrent use.
	Now func() time.Time
	// Seed makes tracking codes, addresses and transaction ids the same in
	// every run. Zero means random.
	Seed int64
	// Transactions are those of an earlier run, oldest first, as Server.Transactions
	// returned them. New copies them.
	Transactions []Transaction
}

// Server is a simulated gateway with one merchant. Create it with New; it is
// safe for concurrent use.
type Server struct {
	key        string
	pageURL    string // empty: from the request
	now        func() time.Time
	currencies []Currency
	handler    http.Handler
	pages      *template.Template

	mu           sync.Mutex     // guards the fields below
	random       *rand.ChaCha8  // of codes, addresses and transaction ids
	transactions []*Transaction // oldest first
	byCode       map[string]*Transaction
	withdrawals  []withdrawal // oldest first
	feePercent   decimal.Decimal
	requests     []Request // oldest first, at most maxRequests
	faults       []Fault   // armed, in the order of Inject
}

// New returns a gateway with the transactions of c and three sample withdrawals.
func New(c Config) *Server {
	s := &Server{
		key:        cmp.Or(c.Key, DefaultKey),
		pageURL:    c.PageURL,
		now:        c.Now,
		currencies: defaultCurrencies(),
		random:     newRandom(c.Seed),
		byCode:     map[string]*Transaction{},
		feePercent: dec(defaultFee),
	}
	if s.now == nil {
		s.now = time.Now
	}

	for i := range c.Transactions {
		t := c.Transactions[i].clone()
		s.transactions = append(s.transactions, &t)
		s.byCode[t.TrackingCode] = &t
	}

	s.withdrawals = s.sampleWithdrawals()
	s.pages = parsePages()
	s.handler = s.routes()
	return s
}

// newRandom returns a source that repeats itself for a seed other than zero.
func newRandom(seed int64) *rand.ChaCha8 {
	var key [32]byte
	if seed == 0 {
		crand.Read(key[:]) // never fails; documented by crypto/rand
	} else {
		binary.BigEndian.PutUint64(key[:], uint64(seed))
	}
	return rand.NewChaCha8(key)
}

// routes is the route list. Forms of other sites' pages are refused, so that a
// page in the same browser cannot work the controls.
func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/api/", s.serveAPI)
	mux.HandleFunc("GET /pay/{code}", s.servePage)
	mux.HandleFunc("POST /pay/{code}/{kind}", s.servePageAction)
	mux.HandleFunc("GET /sandbox/{$}", s.serveControl)
	mux.HandleFunc("GET /sandbox/transactions", serveList(s.Transactions))
	mux.HandleFunc("POST /sandbox/transactions/{code}/{kind}", s.serveAction)
	mux.HandleFunc("GET /sandbox/requests", serveList(s.Requests))
	mux.HandleFunc("GET /sandbox/faults", serveList(s.Faults))
	mux.HandleFunc("POST /sandbox/faults", s.inject)
	mux.HandleFunc("DELETE /sandbox/faults", s.clearFaults)
	mux.Handle("GET /{$}", http.RedirectHandler("/sandbox/", http.StatusFound))
	return http.NewCrossOriginProtection().Handler(mux)
}

// ServeHTTP serves the merchant API under /api/v1/merchant/, the hosted
// payment page under /pay/ and the controls under /sandbox/.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// Pay makes what kind says happen to the transaction with that tracking code.
//
// Errors: ErrUnknownCode, ErrUnknownKind, ErrPaid, ErrNotPending.
func (s *Server) Pay(code string, kind Kind) error {
	return s.change(code, func(t *Transaction, now time.Time) error {
		return t.apply(kind, now, s.transactionID)
	})
}

// PayAmount lets amount, in the transaction's coin, arrive at its address, in
// any state: money that arrives after the end is seen by recheck only, and
// money that arrives after confirmation is never seen.
//
// Errors: ErrUnknownCode, ErrAmount if amount is not positive.
func (s *Server) PayAmount(code string, amount decimal.Decimal) error {
	return s.change(code, func(t *Transaction, now time.Time) error {
		if !amount.IsPositive() {
			return ErrAmount
		}
		t.receive(amount, now, s.transactionID)
		return nil
	})
}

// SetFee changes what the platform keeps of transactions that are created from now on, in percent of
// their price.
func (s *Server) SetFee(percent decimal.Decimal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.feePercent = percent
}

func (s *Server) change(code string, do func(*Transaction, time.Time) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.find(code)
	now := s.now()
	if t == nil {
		return fmt.Errorf("changing transaction %q: %w", code, ErrUnknownCode)
	}
	if err := do(t, now); err != nil {
		return fmt.Errorf("changing transaction %q: %w", code, err)
	}
	return nil
}

func (s *Server) transactionID(f Family) string { return newTransactionID(f, s.random) }

// find returns the transaction with that code as it stands now, nil if there
// is none. s.mu must be held.
func (s *Server) find(code string) *Transaction {
	t := s.byCode[code]
	if t != nil {
		t.expireIfDue(s.now())
	}
	return t
}

func (s *Server) transaction(code string) (Transaction, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.find(code)
	if t == nil {
		return Transaction{}, false
	}
	return t.clone(), true
}

// Transactions returns the journal: a copy of every transaction ever created,
// oldest first, as it stands now.
func (s *Server) Transactions() []Transaction {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	all := make([]Transaction, 0, len(s.transactions))
	for _, t := range s.transactions {
		t.expireIfDue(now)
		all = append(all, t.clone())
	}
	return all
}

// Requests returns the log of the merchant API, oldest first. It holds the last thousand requests.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}
