package checkouttest_test

import (
	"testing"

	"coinslot/bff/fortest"
)

// endWith makes the frame report a final status; again: with a button to try again.
func (s *testPage) endWith(status, again string) {
	s.post(`{ type: 'status', session: 'cs_1', status: '` + status + `' }`)
	s.post(`{ type: 'complete', session: 'cs_1', status: '` + status + `', receipt: '', again: ` +
		again + ` }`)
	s.waitEvent("complete cs_1 " + status)
}

// keepResult keeps the present result's status in window[name] when it settles.
func (s *testPage) keepResult(name string) {
	s.Eval(`void `+element+`.result.then(({ status }) => { window.`+name+` = status })`, nil)
}

// TestResultAfterAnotherTry: an expired order that can be tried again settles nothing; the payment
// that follows settles the same promise, and completes a second time.
func TestResultAfterAnotherTry(t *testing.T) {
	s := openReady(t)
	s.keepResult("first")
	s.endWith("expired", "true")
	s.WaitJS(`window.first === undefined`, "no result yet")
	s.post(`{ type: 'status', session: 'cs_1', status: 'pending' }`)
	s.endWith("confirmed", "false")
	s.WaitJS(`window.first === 'confirmed'`, "the result")
	s.WaitJS(
		`seen.filter((line) => line.startsWith('complete')).join() === 'complete cs_1 expired,complete cs_1 confirmed'`,
		"two events",
	)
}

// TestResultAtTheEnd: without another try the result settles at once; with a late payment there is a
// new one.
func TestResultAtTheEnd(t *testing.T) {
	s := openReady(t)
	s.keepResult("first")
	s.endWith("expired", "false")
	s.WaitJS(`window.first === 'expired'`, "the result")
	s.post(`{ type: 'status', session: 'cs_1', status: 'pending' }`)
	s.waitEvent("status cs_1 pending")
	s.keepResult("second")
	s.WaitJS(`window.second === undefined`, "no second result yet")
	s.endWith("confirmed", "false")
	s.WaitJS(`window.second === 'confirmed' && window.first === 'expired'`, "the second result")
}

// TestResultWhenClosed: a shopper who closes an ended checkout does not try again, whichever comes first.
func TestResultWhenClosed(t *testing.T) {
	s := openPage(t, modal)
	s.Click("#buy")
	s.waitEvent("ready cs_1 open")
	s.keepResult("first")
	s.endWith("expired", "true")
	s.WaitJS(`window.first === undefined`, "no result in an open dialog")
	s.Click(closeButton)
	s.WaitJS(`window.first === 'expired'`, "the result")

	s.post(`{ type: 'status', session: 'cs_1', status: 'pending' }`)
	s.waitEvent("status cs_1 pending")
	s.keepResult("second")
	s.endWith("cancelled", "true")
	s.WaitJS(`window.second === 'cancelled'`, "the result in a closed dialog")
}

// TestCreateFailed: whatever keeps createSession from a session has its own code and words, which
// promise no link.
func TestCreateFailed(t *testing.T) {
	for name, create := range map[string]string{
		"rejects": `() => Promise.reject(Error('sold out'))`,
		"throws":  `() => { throw Error('sold out') }`,
		"no id":   `async () => undefined`, "never": `() => new Promise(() => {})`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := openPage(t, "")
			s.WaitJS(`!!window.Coinslot`, "the script")
			s.Eval(`Coinslot.open({ createSession: `+create+` }), 0`, nil)
			s.WaitJS(
				`details.some(({ name, code, url, recoverable }) => name === 'error' && code === 'create_failed' && url === '' && recoverable)`,
				"the error",
			)
			s.WaitText("coinslot-checkout >>> [role=alert]", "That did not work. Retry")
			s.Eval(element+`.createSession = async () => 'cs_1', 0`, nil)
			s.Click(retry)
			s.waitEvent("ready cs_1 open")
		})
	}
}

// TestOneLink: a selector of the page's link, as tests of shops have it, finds no other.
func TestOneLink(t *testing.T) {
	s := openPage(t, modal)
	s.Click("#buy")
	s.waitEvent("ready cs_1 open")
	if got := s.Count("coinslot-checkout >>> a"); got != 0 {
		t.Errorf("%d links in the shadow tree; want none without a failure", got)
	}
}

// TestSimulate: the promise says what became of it, even if the frame is still to be loaded.
func TestSimulate(t *testing.T) {
	s := openPage(t, `<coinslot-checkout session=cs_1 mode=modal prewarm=none></coinslot-checkout>`)
	s.WaitJS(`!!window.Coinslot`, "the script")
	s.Eval(element+`.simulate('pay')`, nil) // resolves
	var problem string
	s.Eval(element+`.simulate('pays').catch(({ message }) => message)`, &problem)
	fortest.Equal(t, problem, "only pay", "simulate was rejected with")
}
