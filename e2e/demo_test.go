package e2e

import (
	"os/exec"
	"regexp"
	"syscall"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/e2e/browser"
	"coinslot/e2e/built"
	"coinslot/e2e/child"
)

// TestDemo: what make run shows. Every button of the sandbox bar leads where it says; a payment turns
// to confirmed by websocket, without a reload; and the shop's page can press the buttons, too.
func TestDemo(t *testing.T) {
	runParallel(t)
	shop := runDemo(t)
	p := chromium.Open(t, "", browser.Options{Height: 2400})
	buy := func() *browser.View {
		p.Goto(shop)
		f := p.Frame(frame) // the second product is sold inline
		f.Wait(`[data-live="wasm"]`)
		choose(f, "USDT", "trc20")
		f.Wait(pending)
		return f
	}
	f := buy()
	for _, step := range []struct{ kind, leadsTo, then string }{
		{"expire", `[data-status="expired"]`, `[data-part="retry"]`},
		{"cancel", `[data-status="cancelled"]`, `[data-part="retry"]`},
		{"half", `[data-status="pending"] [data-part="missing"]`, ""},
		{"over", paid, ""},
	} {
		f.Wait(pending)
		f.Click(`[data-part="simulate"][value="` + step.kind + `"]`)
		f.Wait(step.leadsTo)
		if step.then != "" {
			f.Click(step.then)
		}
	}

	f = buy()
	f.Eval(`window.stayed = true`, nil)
	f.Click(`[data-part="simulate"][value="pay"]`)
	f.Wait(paid)
	if stayed := browser.Eval[bool](f, `window.stayed === true`); !stayed {
		t.Error("the page was loaded again before it showed the payment")
	}
	p.WaitText(`[data-outcome]`, "confirmed")
	p.Goto(shop + "orders")
	p.WaitText("body", "checkout.confirmed")

	f = buy()
	const element = `document.querySelector("coinslot-checkout[mode=inline]")`
	p.WaitJS(element+`.status === "pending"`, "the element to know the payment")
	p.Eval(element+`.simulate("pay")`, nil)
	f.Wait(paid)
	p.WaitText(`[data-outcome]`, "confirmed")
	assertCleanConsole(t, p)
}

// runDemo starts coinslot demo and returns the shop's address.
func runDemo(t *testing.T) string {
	t.Helper()
	out := startDemo(t)
	address := regexp.MustCompile(`Shop +(http://\S+)`)
	fortest.Until(t, "the demo to print its address",
		func() bool { return address.MatchString(out.String()) })
	return address.FindStringSubmatch(out.String())[1] + "/"
}

// startDemo starts coinslot demo and returns what it prints.
func startDemo(t *testing.T, flags ...string) *fortest.Log {
	t.Helper()
	out := &fortest.Log{}
	demo := exec.Command(built.Program(t), "demo", "-listen", "127.0.0.1:0", "-shop-listen",
		"127.0.0.1:0", "-gateway-listen", "127.0.0.1:0")
	demo.Args = append(demo.Args, flags...)
	demo.Env = []string{"TMPDIR=" + t.TempDir()}
	demo.Stdout, demo.Stderr = out, out
	child.Tie(demo)
	fortest.OK(t, demo.Start())
	t.Cleanup(func() {
		demo.Process.Signal(syscall.SIGTERM)
		if err := demo.Wait(); err != nil {
			t.Errorf("the demo ended badly: %v\n%s", err, out.String())
		}
	})
	return out
}
