//go:build linux

package torture

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/fortest"

	"github.com/anishathalye/porcupine"
)

// observations are what every client has asked and seen, by session. Porcupine checks that a
// session behaves like one register of versions: an order of all requests exists in which each
// takes effect between its beginning and its end, and in which [register.step] accepts each.
type observations struct {
	began time.Time

	mu      sync.Mutex // guards the fields below
	clients map[string]int
	list    map[string][]porcupine.Operation // each of an ask and a sight
}

// ask is a request of a client about a session.
type ask struct {
	client, what string
	coin         string // that it chooses; empty = none
}

// sight is what the client saw of it.
type sight struct {
	version int64 // zero = no answer: the request may take effect at any later time, or never
	status  wire.Status
	late    bool        // it may be older than what others saw before: a webhook or a socket
	attempt viewAttempt // zero = none is shown, or it is not in what the client sees
}

type viewAttempt struct {
	number        int
	coin, address string
}

// register is what a session must have been through, as far as it was seen.
type register struct {
	version int64
	status  wire.Status
	attempt viewAttempt // as of version
	shown   viewAttempt // the latest with an address
	asked   string      // coins that may have been chosen
}

// step returns r after a request, and whether it may have been seen so. Versions also grow without
// any request: when the gateway or time changes a session. The answer to a choice may still show
// the coin before, while the gateway is slow to cancel it.
func (r register) step(a ask, s sight) (bool, register) {
	if a.coin != "" && !strings.Contains(r.asked, a.coin) {
		r.asked += a.coin + " "
	}
	if s.version == 0 || s.late && s.version < r.version {
		return true, r
	}
	paid := s.status == wire.Confirmed || s.status == wire.Review // may be by an earlier attempt
	switch {
	case s.version < r.version, // a lost write or a stale read
		s.version == r.version && s.status != r.status,
		s.version == r.version && min(s.attempt.number, r.attempt.number) > 0 &&
			s.attempt != r.attempt,
		r.status == wire.Confirmed && s.status != wire.Confirmed,
		s.attempt.number > 0 && !strings.Contains(r.asked, s.attempt.coin), // not asked for
		s.attempt.number > 0 && s.attempt.number < r.shown.number && !paid, // a lost choice
		s.attempt.number == r.shown.number && s.attempt.address != "" && s.attempt != r.shown:
		return false, r
	}
	if s.version > r.version || s.attempt.number > 0 {
		r.attempt = s.attempt
	}
	r.version, r.status = s.version, s.status
	if s.attempt.address != "" && s.attempt.number > r.shown.number {
		r.shown = s.attempt
	}
	return true, r
}

var versions = porcupine.Model{
	Init: func() any { return register{} },
	Step: func(state, input, output any) (bool, any) {
		return state.(register).step(input.(ask), output.(sight))
	},
	DescribeOperation: func(input, output any) string {
		a, s := input.(ask), output.(sight)
		return fmt.Sprintf("%s: %s %s -> %d %s %v", a.client, a.what, a.coin, s.version, s.status,
			s.attempt)
	},
}

func newObservations() *observations {
	return &observations{
		began: time.Now(), clients: map[string]int{}, list: map[string][]porcupine.Operation{},
	}
}

// never is the end of a request without an answer.
const never = int64(math.MaxInt64)

// now is a time of a history, in nanoseconds.
func (o *observations) now() int64 { return int64(time.Since(o.began)) }

func (o *observations) add(session string, a ask, s sight, call, end int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if _, known := o.clients[a.client]; !known {
		o.clients[a.client] = len(o.clients)
	}
	o.list[session] = append(o.list[session], porcupine.Operation{
		ClientId: o.clients[a.client], Input: a, Output: s, Call: call, Return: end,
	})
}

// notified adds what reached a client without a request.
func (o *observations) notified(client, session string, s sight) {
	s.late = true
	now := o.now()
	o.add(session, ask{client: client, what: "is notified"}, s, now, now)
}

var sessionPath = regexp.MustCompile(`^/(?:checkout|v1/sessions)/(cs_\w+)(?:/(\w+))?$`)

// answered adds a request that began at call. status is zero if it got no answer.
func (o *observations) answered(
	call int64, r *http.Request, body string, status int, answer []byte,
) {
	a := ask{client: cmp.Or(r.Header.Get("User-Agent"), "merchant"), what: r.Method}
	var session string
	if path := sessionPath.FindStringSubmatch(r.URL.Path); path != nil {
		session, a.what = path[1], strings.TrimSpace(r.Method+" "+path[2])
		var choice struct {
			Coin    string `json:"currency_symbol"`
			Network string `json:"network_code"`
		}
		if path[2] == "attempts" && json.Unmarshal([]byte(body), &choice) == nil {
			a.coin = choice.Coin + "/" + choice.Network
		}
	}
	end := o.now()
	if status == 0 || status >= 500 {
		end = never
	}
	var s sight
	if status/100 == 2 {
		var id string
		id, s = see(answer)
		session = cmp.Or(session, id)
	}
	if a.coin != "" && s.version > 0 { // others may see the choice before its answer
		o.add(session, a, sight{}, call, never)
		a.coin = ""
	}
	if session != "" && (s.version > 0 || a.coin != "") {
		o.add(session, a, s, call, end)
	}
}

// see reads a view or the merchant's object; version is zero if answer is neither.
func see(answer []byte) (session string, s sight) {
	var v struct {
		ID      string
		Version int64
		Status  wire.Status
		Attempt *wire.Attempt
	}
	if json.Unmarshal(answer, &v) != nil {
		return "", s
	}
	s.version, s.status = v.Version, v.Status
	if a := v.Attempt; a != nil {
		s.attempt = viewAttempt{a.Number, a.CurrencySymbol + "/" + a.NetworkCode, a.Address}
	}
	return v.ID, s
}

// inOrder returns list by version. What saw a version cannot take effect before what saw a lower
// one: it begins later, so that Porcupine's first guess is right whenever there is an order at all.
func inOrder(list []porcupine.Operation) []porcupine.Operation {
	list = slices.SortedFunc(slices.Values(list), func(a, b porcupine.Operation) int {
		s, t := a.Output.(sight), b.Output.(sight)
		return cmp.Or(cmp.Compare(s.version, t.version), cmp.Compare(a.Call, b.Call))
	})
	var latest int64
	for i := range list {
		op := &list[i]
		if s := op.Output.(sight); s.version > 0 && !s.late {
			latest = max(latest, op.Call)
			op.Call = min(latest, op.Return) // if it ends before, there is no order
		}
		op.Call = op.Call<<16 + int64(i) // leaves none at the same time
		if op.Return < never {
			op.Return = op.Return<<16 + int64(len(list))
		}
	}
	return list
}

// checkHistories checks what clients have seen of every session.
func (w *world) checkHistories() {
	w.observed.mu.Lock()
	defer w.observed.mu.Unlock()
	for session, list := range w.observed.list {
		w.histories++
		w.observations += len(list)
		for _, op := range list {
			posted := strings.HasPrefix(op.Input.(ask).what, http.MethodPost)
			if posted && op.Output.(sight).version > 0 {
				w.writes++
			}
		}
		result := porcupine.CheckOperationsTimeout(versions, inOrder(list), patience)
		if result == porcupine.Ok {
			continue
		}
		for _, op := range list {
			w.note(session, "%v to %v: %s", time.Duration(op.Call), time.Duration(op.Return),
				versions.DescribeOperation(op.Input, op.Output))
		}
		_, info := porcupine.CheckOperationsVerbose(versions, inOrder(list), patience)
		drawing := fortest.Must(os.Create(filepath.Join(w.t.ArtifactDir(), session+".html")))(w.t)
		fortest.OK(w.t, errors.Join(porcupine.Visualize(versions, info, drawing), drawing.Close()))
		w.violate(session, "I7: what clients saw is no history of one register: %s, see %s", result,
			drawing.Name())
	}
}
