package e2e

import (
	"os/exec"
	"regexp"
	"syscall"
	"testing"

	"coinslot/e2e/browser"
	"coinslot/e2e/built"
	"coinslot/e2e/child"
)

// What make run shows: a shop, the widget in it, and a payment made with the
// sandbox bar that turns to confirmed by websocket, without a reload.
func TestDemo(t *testing.T) {
	shop := runDemo(t)
	p := chromium.Open(t, shop, browser.Options{Height: 2400})
	f := p.Frame(frame) // the second product is sold inline
	f.Wait(`[data-live="wasm"]`)
	choose(f, "USDT", "trc20")
	f.Wait(pending)
	f.Eval(`window.stayed = true`, nil)
	f.Click(`[data-part="simulate"][value="pay"]`)
	f.Wait(paid)
	var stayed bool
	f.Eval(`window.stayed === true`, &stayed)
	if !stayed {
		t.Error("the page was loaded again before it showed the payment")
	}
	p.WaitText(`[data-outcome]`, "confirmed")
	p.Goto(shop + "orders")
	p.WaitText("body", "checkout.confirmed")
}

// Every button of the bar leads where it says.
func TestDemoBar(t *testing.T) {
	runParallel(t)
	shop := runDemo(t)
	p := chromium.Open(t, "", browser.Options{Height: 2400})
	for kind, status := range map[string]string{"expire": "expired", "cancel": "cancelled", "over": "confirmed", "half": "pending"} {
		t.Run(kind, func(t *testing.T) {
			p.SetTest(t)
			p.Goto(shop)
			f := p.Frame(frame)
			f.Wait(`[data-live="wasm"]`)
			choose(f, "USDT", "bep20")
			f.Wait(pending)
			f.Click(`[data-part="simulate"][value="` + kind + `"]`)
			f.Wait(`[data-status="` + status + `"]`)
			if kind == "half" {
				f.Wait(`[data-part="missing"]`)
			}
		})
	}
	p.SetTest(t)
}

// runDemo starts coinslot demo and returns the shop's address.
func runDemo(t *testing.T) string {
	t.Helper()
	out := startDemo(t)
	address := regexp.MustCompile(`Shop +(http://\S+)`)
	await(t, "the demo to print its address", func() bool { return address.MatchString(out.String()) })
	return address.FindStringSubmatch(out.String())[1] + "/"
}

// startDemo starts coinslot demo and returns what it prints.
func startDemo(t *testing.T, flags ...string) *syncBuffer {
	t.Helper()
	out := &syncBuffer{}
	demo := exec.Command(built.Program(t), "demo", "-listen", "127.0.0.1:0", "-shop-listen", "127.0.0.1:0", "-gateway-listen", "127.0.0.1:0")
	demo.Args = append(demo.Args, flags...)
	demo.Env = []string{"TMPDIR=" + t.TempDir()}
	demo.Stdout, demo.Stderr = out, out
	child.Tie(demo)
	if err := demo.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		demo.Process.Signal(syscall.SIGTERM)
		if err := demo.Wait(); err != nil {
			t.Errorf("the demo ended badly: %v\n%s", err, out.String())
		}
	})
	return out
}
