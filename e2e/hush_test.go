package e2e

import (
	"strconv"
	"strings"
	"testing"

	"coinslot/e2e/browser"
)

// counted is a script that counts what a page's socket says, what of it WebAssembly
// hears, and what changes in the document once window.changes is an object: texts by
// the element around them.
const counted = `
window.said = window.heard = 0;
let hush;
Object.defineProperty(window, 'coinslotHush', {get: () => hush, set: (real) => {
	hush = (socket) => {
		const tell = socket.onmessage;
		socket.onmessage = (event) => { heard++; tell(event) };
		real(socket);
		socket.addEventListener('message', () => said++);
	};
}});
addEventListener('DOMContentLoaded', () => new MutationObserver((list) => {
	for (const {type, target} of list) if (window.changes) {
		const where = type + ' ' + ((target.parentElement ?? target).dataset.part ?? (target.parentElement ?? target).className);
		changes[where] = (changes[where] ?? 0) + 1;
	}
}).observe(document.documentElement, {childList: true, subtree: true, characterData: true, attributes: true}));
`

// TestWaitingCostsNextToNothing holds what a page does while it waits: for answers
// that say nothing new WebAssembly does not wake, and nothing but the words of the
// clock changes, once a second at most.
func TestWaitingCostsNextToNothing(t *testing.T) {
	s := newStack(t)
	_, p, _ := s.waiting(t, 4, browser.Options{Script: counted})
	p.WaitJS(`window.said > 2`, "the gateway's answers")
	var before, after struct {
		Said, Heard int
		At          float64
		Changes     map[string]int
	}
	const state = `({said, heard, at: performance.now(), changes: window.changes})`
	p.Eval(`window.changes = {}`, nil)
	p.Eval(state, &before)
	p.WaitJS(`window.said >= 12 + `+strconv.Itoa(before.Said), "a dozen answers")
	p.Eval(state, &after)
	if n := after.Heard - before.Heard; n > 1 {
		t.Errorf("WebAssembly woke for %d of %d answers that say nothing new", n, after.Said-before.Said)
	}
	seconds := int(after.At-before.At)/1000 + 2 // one on either side of the time
	for where, n := range after.Changes {
		if where != "characterData countdown" || n > seconds {
			t.Errorf("in %d s there were %d changes: %s", seconds, n, where)
		}
	}
	if after.Changes["characterData countdown"] == 0 {
		t.Error("the countdown stands still")
	}
}

// TestHush: what is kept back is said, as it is by then, when it is five seconds
// old; what follows is news.
func TestHush(t *testing.T) {
	s := newStack(t)
	p := s.alone(t, s.session(order{"amount_usd": "25.00"}), browser.Options{BlockURLs: []string{"*.wasm"}})
	var heard []string
	p.Eval(`(async () => {
		const heard = [], socket = {onmessage: ({data}) => heard.push(data), addEventListener() {}};
		coinslotHush(socket);
		const say = (word, left, ago) => socket.onmessage({data: JSON.stringify({word, attempt: {expires_in_ms: left}, checked_ms_ago: ago})});
		say('a', 60000, 100);
		say('a', 57000, 90);
		say('b', 56000, 80);
		say('b', 300, 4500);
		heard.push('-');
		while (heard.length < 4) await new Promise((done) => setTimeout(done, 20));
		heard.push('-');
		say('b', 50000, 70);
		say('b', 49000, 70);
		say('b', 48000, 5000);
		say('b', 47000, 9000);
		say('b', 46000, 0);
		window.coinslotHeard = null;
		say('b', 45000, 0);
		say('b', 44000, -1);
		socket.onmessage = null;
		return heard;
	})()`, &heard)
	got := strings.Join(heard, "\n")
	late := ""
	if len(heard) > 3 {
		late = heard[3]
	}
	if !strings.HasPrefix(late, `{"word":"b","attempt":{"expires_in_ms":0},"checked_ms_ago":5`) {
		t.Errorf("what was kept back is said as %s", late)
	}
	want := strings.Join([]string{
		`{"word":"a","attempt":{"expires_in_ms":60000},"checked_ms_ago":100}`,
		`{"word":"b","attempt":{"expires_in_ms":56000},"checked_ms_ago":80}`, "-", late, "-",
		`{"word":"b","attempt":{"expires_in_ms":50000},"checked_ms_ago":70}`,
		`{"word":"b","attempt":{"expires_in_ms":48000},"checked_ms_ago":5000}`,
		`{"word":"b","attempt":{"expires_in_ms":47000},"checked_ms_ago":9000}`,
		`{"word":"b","attempt":{"expires_in_ms":46000},"checked_ms_ago":0}`,
		`{"word":"b","attempt":{"expires_in_ms":45000},"checked_ms_ago":0}`,
		`{"word":"b","attempt":{"expires_in_ms":44000},"checked_ms_ago":-1}`,
	}, "\n")
	if got != want {
		t.Errorf("heard\n%s\nwant\n%s", got, want)
	}
}
