package server_test

import (
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/bff/payment"
	"coinslot/bff/server"
	"coinslot/bff/server/servertest"
	"coinslot/bff/web"
	"coinslot/torture/goal"

	_ "modernc.org/sqlite"
)

// input is one invalid input, or a valid one that a parser might reject. Its id begins with the
// group.
type input struct {
	id      string
	method  string
	path    string // "" = /v1/sessions
	body    string
	headers []string
	code    string // of the refusal, whose status docs/errors.md lists; "" = it is none
	param   string // that the refusal has to name, "" = any
	status  int    // of an answer that is no refusal
	has     string // what the answer must hold
	hasNot  string // and what it must not
	alone   bool   // the database is looked at right after it, not after its group
}

// inputRig is a rig with access to its database, and a count of inputs.
type inputRig struct {
	*rig
	database string
	statuses map[string]int // by code, as docs/errors.md lists them
	sent     int
	bad      int // answers that were not as they should be
	slowest  time.Duration
	ids      map[string]bool
}

// answerWithin is the longest time for an answer, on a busy machine.
const answerWithin = 5 * time.Second

// TestTortureBadInputs sends invalid inputs: each gets its documented code, reveals no secret, and
// changes nothing.
func TestTortureBadInputs(t *testing.T) {
	started := time.Now()
	b := newInputRig(t)
	b.Await(b.chosen(), "pending") // connections to the gateway are open after this
	for _, group := range []struct {
		name string
		run  func(*testing.T, *inputRig)
	}{
		{"keys", badKeys},
		{"amounts", badAmounts},
		{"members", badMembers},
		{"bodies", badBodies},
		{"repeats", badRepeats},
		{"bounds", badBounds},
		{"ids", badIDs},
		{"lists", badLists},
		{"replays", badReplays},
		{"states", badStates},
		{"tokens", badTokens},
		{"offers", badOffers},
		{"frames", badFrames},
		{"choices", badChoices},
		{"origins", badOrigins},
		{"returns", badReturns},
		{"keys of shoppers", badShopperKeys},
		{"hooks", badHooks},
		{"paths", badPaths},
		{"lines", badLines},
		{"handshakes", badHandshakes},
		{"sockets", badSockets},
	} {
		t.Run(group.name, func(t *testing.T) { group.run(t, b) })
	}
	goal.Report(t, goal.Result{
		Goal:       "bad inputs",
		Rounds:     b.sent,
		Wanted:     600,
		Violations: b.bad,
		Took:       time.Since(started),
		Figure: fmt.Sprintf("%d inputs, each refused with its documented code or taken exactly, database unchanged; slowest answer %v",
			b.sent, b.slowest.Round(time.Millisecond)),
	})
}

// newInputRig is newRig with a database that nothing but requests changes.
func newInputRig(t *testing.T) *inputRig {
	t.Helper()
	gateway, c := servertest.NewGateway(t)
	// What is compared is changed by nothing else, however long it takes.
	schedule := payment.DefaultSchedule()
	schedule.Watched = time.Hour
	schedule.Unwatched = time.Hour
	schedule.ReconcileInterval = time.Hour
	schedule.LateChecks = []time.Duration{time.Hour}
	schedule.ConfirmedChecks = []time.Duration{time.Hour}
	schedule.FollowUps = []time.Duration{0, time.Hour}
	r, _ := startWith(t, gateway, c,
		server.Options{Schedule: schedule, Limits: web.Limits{Guesses: 1 << 20}})
	return &inputRig{rig: r, database: c.Database, statuses: documented(t), ids: map[string]bool{}}
}

// documented returns the status of each code in docs/errors.md.
func documented(t *testing.T) map[string]int {
	t.Helper()
	text := fortest.Must(os.ReadFile("../../docs/errors.md"))(t)
	list := map[string]int{}
	for _, row := range regexp.MustCompile("### `([a-z_]+)`\n\nSeen by: API \\(([45][0-9][0-9])\\)[.,]").FindAllStringSubmatch(
		string(text),
		-1,
	) {
		list[row[1]] = fortest.Must(strconv.Atoi(row[2]))(t)
	}
	if len(list) < 20 {
		t.Fatalf("docs/errors.md lists %d codes only", len(list))
	}
	return list
}

// hash is of the whole database, except the times of the last and next check.
func (b *inputRig) hash(t *testing.T) string {
	t.Helper()
	db := fortest.Must(sql.Open("sqlite",
		"file:"+b.database+"?mode=ro&_pragma=busy_timeout(5000)"))(t)
	defer db.Close()
	sum := sha256.New()
	for _, query := range []string{
		`SELECT id, version, status, order_ref, idempotency_key, created_at, doc FROM sessions ORDER BY id`,
		`SELECT * FROM attempts ORDER BY session, number`,
		`SELECT * FROM events ORDER BY seq`,
		`SELECT * FROM deliveries ORDER BY event, endpoint`,
	} {
		rows := fortest.Must(db.QueryContext(t.Context(), query))(t)
		defer rows.Close()
		columns := fortest.Must(rows.Columns())(t)
		values := make([]any, len(columns))
		for i := range values {
			values[i] = new(any)
		}
		for rows.Next() {
			fortest.OK(t, rows.Scan(values...))
			for _, v := range values {
				fmt.Fprintf(sum, "%v|", *v.(*any))
			}
		}
		fortest.OK(t, rows.Err())
	}
	return fmt.Sprintf("%x", sum.Sum(nil))
}

// send makes one request from a unique address, so that limits do not interfere.
func (b *inputRig) send(in input) (*httptest.ResponseRecorder, time.Duration) {
	target := in.path
	if target == "" {
		target = "/v1/sessions"
	}
	req := httptest.NewRequest(in.method, b.Public+target, strings.NewReader(in.body))
	req.Host = "localhost:8080"
	req.RemoteAddr = fmt.Sprintf("[2001:db8:%x:%x::1]:1234", b.sent>>16, b.sent&0xffff)
	for _, h := range in.headers {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Add(name, value)
	}
	b.sent++
	w := httptest.NewRecorder()
	began := time.Now()
	b.Handler.ServeHTTP(w, req)
	took := time.Since(began)
	b.slowest = max(b.slowest, took)
	return w, took
}

// stack is what a Go program prints of its inside.
var stack = regexp.MustCompile(`goroutine \d|\.go:\d|runtime error|panic:|sql: |SQL logic|modernc`)

// judge returns what is wrong with an answer.
func (b *inputRig) judge(
	in input, w *httptest.ResponseRecorder, took time.Duration,
) (wrong []string) {
	fail := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	want, listed := in.status, true
	if in.code != "" {
		want, listed = b.statuses[in.code]
	}
	text := w.Body.String()
	if !listed {
		fail("code %s is not in docs/errors.md", in.code)
	}
	if w.Code != want {
		fail("status %d; want %d", w.Code, want)
	}
	if in.code != "" {
		wrong = append(wrong, refusal(in, w)...)
	}
	if took > answerWithin {
		fail("it took %v", took)
	}
	if stack.MatchString(text) {
		fail("it tells of the inside")
	}
	for _, secret := range []string{secretKey, orderKey, gatewayKey, hookToken} {
		if strings.Contains(text+fmt.Sprint(w.Header()), secret) {
			fail("it holds a secret")
		}
	}
	if !strings.Contains(text, in.has) {
		fail("it lacks %q", in.has)
	}
	whole := text + fmt.Sprint(w.Header())
	whole = strings.ReplaceAll(whole, w.Header().Get("X-Request-Id"), "") // random letters
	if in.hasNot != "" && strings.Contains(whole, in.hasNot) {
		fail("it holds %q", in.hasNot)
	}
	if len(wrong) > 0 {
		fail("it is %d %.300q", w.Code, text)
	}
	return wrong
}

// refusal returns what is wrong with the form of an error: RFC 9457 for programs, a page for
// browsers.
func refusal(in input, w *httptest.ResponseRecorder) (wrong []string) {
	if w.Header().Get("Content-Type") == "text/html; charset=utf-8" {
		if !strings.Contains(w.Body.String(), `data-part="error"`) ||
			strings.HasPrefix(in.path, "/v1") {
			return []string{"the page says nothing of an error, or is for programs"}
		}
		return nil
	}
	var got struct {
		Status              int
		Title, Detail, Code string
		Param               string
		RequestID           string `json:"request_id"`
	}
	err := json.Unmarshal(w.Body.Bytes(), &got)
	if err != nil || w.Header().Get("Content-Type") != "application/problem+json" {
		return []string{"it is no problem+json"}
	}
	if got.Code != in.code || in.param != "" && got.Param != in.param {
		wrong = append(wrong,
			fmt.Sprintf("code %q of %q; want %q of %q", got.Code, got.Param, in.code, in.param))
	}
	if got.Status != w.Code || got.Title == "" || got.Detail == "" || got.RequestID == "" ||
		got.RequestID != w.Header().Get("X-Request-Id") {
		wrong = append(wrong, fmt.Sprintf("incomplete: %+v", got))
	}
	return wrong
}

// report reports wrong answers in a subtest named after the input. Each has an id of its own.
func (b *inputRig) report(t *testing.T, id string, wrong []string) {
	t.Helper()
	if b.ids[id] {
		t.Errorf("two inputs are called %s", id)
	}
	b.ids[id] = true
	t.Run(id, func(t *testing.T) {
		if len(wrong) > 0 {
			b.bad++
			t.Error(strings.Join(wrong, "; "))
		}
	})
}

// refuse sends inputs that must not change the database or leave a goroutine.
func (b *inputRig) refuse(t *testing.T, list []input) {
	t.Helper()
	before := b.hash(t)
	for _, in := range list {
		w, took := b.send(in)
		wrong := b.judge(in, w, took)
		if in.alone {
			now := b.hash(t)
			if now != before {
				wrong = append(wrong, "the database has changed")
			}
			before = now
		}
		b.report(t, in.id, wrong)
	}
	if b.hash(t) != before {
		b.bad++
		t.Error("the database has changed")
	}
	fortest.Until(t, "no goroutine of a handler is left", func() bool { return handling() == 0 })
}

// handling returns how many goroutines are in a handler or its sockets.
func handling() (n int) {
	text := make([]byte, 4<<20)
	for stack := range strings.SplitSeq(string(text[:runtime.Stack(text, true)]), "\n\n") {
		if strings.Contains(stack, "(*Refusals).Run") {
			continue // which counts refused pages for as long as the server runs
		}
		if strings.Contains(stack, "coinslot/bff/web.") ||
			strings.Contains(stack, "coinslot/bff/shop.") ||
			strings.Contains(stack, "coinslot/bff/api.") ||
			strings.Contains(stack, "coinslot/bff/realtime.") {
			n++
		}
	}
	return n
}

// accept sends inputs that are taken and may be stored.
func (b *inputRig) accept(t *testing.T, list []input) {
	t.Helper()
	for _, in := range list {
		w, took := b.send(in)
		b.report(t, in.id, b.judge(in, w, took))
	}
}

// asJSON is what a program accepts.
const asJSON = "Accept: application/json"

// create is a body of POST /v1/sessions that is refused.
func create(id, body, code, param string, headers ...string) input {
	return posted(id, "", body, code, param, headers...)
}

// member is create with a good amount and one more member.
func member(id, name, value, code string) input {
	body := `{"amount_usd":"25.00",` + quoted(name) + ":" + value + "}"
	return create(id, body, code, name)
}

// taken is a body of POST /v1/sessions that is accepted.
func taken(id, body, has string, headers ...string) input {
	in := create(id, body, "", "", headers...)
	in.status = http.StatusCreated
	in.has = has
	return in
}

// posted is a post of JSON, with the merchant's key.
func posted(id, path, body, code, param string, headers ...string) input {
	return input{
		id:      id,
		method:  http.MethodPost,
		path:    path,
		body:    body,
		headers: append([]string{bearer, isJSON}, headers...),
		code:    code,
		param:   param,
	}
}

// postForm is a post as a page without scripts makes it, by a program.
func postForm(id, path, body, code string) input {
	return input{
		id:      id,
		method:  http.MethodPost,
		path:    path,
		body:    body,
		headers: []string{isForm, asJSON},
		code:    code,
	}
}

// get is a request of a program, without a key unless it is among headers.
func get(id, path, code string, headers ...string) input {
	return input{
		id:      id,
		method:  http.MethodGet,
		path:    path,
		headers: append([]string{asJSON}, headers...),
		code:    code,
	}
}

// getPage is a request of a browser.
func getPage(id, path, code string) input {
	return input{
		id:      id,
		method:  http.MethodGet,
		path:    path,
		headers: []string{"Accept: text/html"},
		code:    code,
	}
}

// quoted is text as JSON.
func quoted(text string) string {
	raw, err := json.Marshal(text)
	if err != nil {
		panic(err) // a string
	}
	return string(raw)
}

// finds reports whether the list of a reference is the session of that id alone.
func (b *inputRig) finds(ref, id string) bool {
	w := b.Do("GET", "/v1/sessions?"+url.Values{"order_ref": {ref}}.Encode(), "", bearer)
	var got struct {
		Data []struct{ ID string }
	}
	err := json.Unmarshal(w.Body.Bytes(), &got)
	return err == nil && len(got.Data) == 1 && got.Data[0].ID == id
}

// pay pays a transaction of session id and requests checks until that is known.
func (b *inputRig) pay(t *testing.T, code, id string) {
	t.Helper()
	fortest.OK(t, b.Gateway.Pay(code, "pay"))
	fortest.Until(t, "the payment is known", func() bool {
		b.Do("POST", "/v1/sessions/"+id+"/recheck", "", bearer)
		return b.Status(id) == "confirmed"
	})
}

// chosen opens a session, chooses a coin and returns its id.
func (b *inputRig) chosen() string {
	id := b.Open(`{"amount_usd":"25.00"}`)
	b.Choose(id)
	return id
}
