package e2e

import (
	_ "embed"
	"net/http"
	"strings"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/bff/sandbox"
	"coinslot/e2e/browser"
)

// countMessages is a script that counts what a page's socket says, what of it WebAssembly
// awaitOutput, how often that wakes for whatever reason, and what changes in the document
// once window.changes is an object: texts by the element around them.
//
//go:embed testdata/count-messages.js
var countMessages string

// tellDedupe tells what keeps messages back of some, and returns what came through.
//
//go:embed testdata/tell-dedupe.js
var tellDedupe string

// TestFullWaitingIsCheap: while a page waits, the server sends no update that says nothing new,
// WebAssembly does not wake, and only the countdown changes, once a second at most. That the
// gateway stops answering, and answers again, is shown in time all the same.
func TestFullWaitingIsCheap(t *testing.T) {
	s := newStack(t)
	_, p, _ := s.waiting(t, 4, browser.Options{Script: countMessages})
	p.WaitJS(`window.said > 0`, "the socket")
	var before, after struct {
		Said, Heard, Woken int
		At                 float64
		Changes            map[string]int
	}
	const state = `({said, heard, woken, at: performance.now(), changes: window.changes})`
	p.Eval(`window.changes = {}`, nil)
	p.Eval(state, &before)
	asked := len(s.gateway.Requests())
	fortest.Until(t, "a dozen answers of the gateway",
		func() bool { return len(s.gateway.Requests()) >= asked+12 })
	p.Eval(state, &after)
	if said, heard := after.Said-before.Said, after.Heard-before.Heard; said > 1 || heard > 1 {
		t.Errorf(
			"of a dozen answers that say nothing new the socket sent %d, and WebAssembly woke for %d",
			said,
			heard,
		)
	}
	seconds := int(after.At-before.At)/1000 + 2 // one on either side of the time
	if woken := after.Woken - before.Woken; woken < seconds-4 || woken > seconds+4 {
		t.Errorf("in %d s WebAssembly woke %d times; want once for each step of the clock", seconds,
			woken)
	}
	for where, n := range after.Changes {
		if where != "characterData countdown" || n > seconds {
			t.Errorf("in %d s there were %d changes: %s", seconds, n, where)
		}
	}
	if after.Changes["characterData countdown"] == 0 {
		t.Error("the countdown stands still")
	}
	s.gateway.Inject(sandbox.Fault{Path: "status", Times: -1, Status: http.StatusBadGateway})
	p.WaitText(`[data-part="checked"]`, "seconds ago")
	s.gateway.ClearFaults()
	p.WaitText(`[data-part="checked"]`, "just now")
	p.Eval(`(window.silent = socket).dispatchEvent(new Event("close"))`, nil)
	p.WaitJS(`window.socket !== silent && socket.readyState === 1 && silent.readyState > 1`,
		"another socket instead of one that has been silent for too long")
}

// TestFullConnectionErrorClears: a request that fails says that there is no connection, and
// the next message, which says nothing new, that there is one.
func TestFullConnectionErrorClears(t *testing.T) {
	s := newStack(t)
	_, p, _ := s.waiting(t, 20, browser.Options{})
	p.WaitText(`[data-part="checked"]`, "just now")
	p.Eval(`(() => {
		window.words = [];
		new MutationObserver(() => words.push(document.querySelector('[data-part="checked"]').textContent))
			.observe(document.body, {childList: true, subtree: true, characterData: true});
		const real = fetch;
		window.fetch = () => { window.fetch = real; return Promise.reject(new TypeError("cut")); };
		dispatchEvent(new Event("online"));
	})()`, nil)
	p.WaitJS(`words.some(w => w.includes("offline")) && words.at(-1).includes("just now")`,
		"the connection to be lost and found")
}

// TestFullDedupe: what is kept back is said, as it is by then, when the socket has been
// silent for twenty seconds, or closes; what follows is news. After a minute of
// silence it counts as closed. The time left is news only where it jumps.
func TestFullDedupe(t *testing.T) {
	s := newStack(t)
	p := s.openPage(t, s.session(order{"amount_usd": "25.00"}),
		browser.Options{BlockURLs: []string{"*.wasm"}})
	p.WaitJS(`window.coinslotDedupe`, "what the program uses to be there")
	heard := browser.Eval[[]string](p, tellDedupe)
	got := strings.Join(heard, "\n")
	want := strings.Join([]string{
		`{"word":"a","attempt":{"expires_in_ms":300000},"checked_ms_ago":100}`,
		`{"word":"a","attempt":{"expires_in_ms":58000},"checked_ms_ago":90}`,
		`{"word":"b","attempt":{"expires_in_ms":56000},"checked_ms_ago":80}`, "-",
		`{"word":"b","attempt":{"expires_in_ms":15500},"checked_ms_ago":24500}`, "-", "-", "close",
		`{"word":"b","attempt":{"expires_in_ms":50000},"checked_ms_ago":70}`,
		`{"word":"b","attempt":{"expires_in_ms":50000},"checked_ms_ago":5000}`,
		`{"word":"b","attempt":{"expires_in_ms":50000},"checked_ms_ago":9000}`,
		`{"word":"b","attempt":{"expires_in_ms":50000},"checked_ms_ago":0}`,
		`{"word":"b","attempt":{"expires_in_ms":50000},"checked_ms_ago":0}`,
		`{"word":"b","attempt":{"expires_in_ms":49500},"checked_ms_ago":507}`,
		`{"word":"b","attempt":{"expires_in_ms":43000},"checked_ms_ago":-1}`,
	}, "\n")
	fortest.Equal(t, got, want, "heard")
}
