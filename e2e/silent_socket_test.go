package e2e

import (
	"testing"
	"time"

	"coinslot/e2e/browser"
)

// swallowFrames is a script in whose pages websockets open and receive nothing, as behind a proxy
// that holds back frames.
const swallowFrames = `window.WebSocket = class extends WebSocket {
	constructor(...about) {
		super(...about);
		this.addEventListener('message', (event) => event.stopImmediatePropagation());
	}
};`

// holdHandshake is a script in whose pages websockets never open.
const holdHandshake = `window.WebSocket = class extends EventTarget {
	readyState = 0;
	close() { }
};`

// TestFullPaidBehindSilentSocket: a payment is seen in a few seconds though the socket is silent.
func TestFullPaidBehindSilentSocket(t *testing.T) {
	runParallel(t)
	for name, script := range map[string]string{
		"no frames": swallowFrames, "no handshake": holdHandshake,
	} {
		t.Run(name, func(t *testing.T) {
			s := newStack(t)
			_, p, tx := s.waiting(t, 20, browser.Options{Script: script})
			s.simulate(tx, "pay")
			began := time.Now()
			p.Wait(paid)
			if took := time.Since(began); took > 20*time.Second {
				t.Errorf("paid is shown after %v", took)
			}
		})
	}
}
