package checkouttest_test

import (
	"strings"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/e2e/need"
)

// noScript is a page without checkout.js, which /app.js has to load.
const noScript = `<!doctype html><html lang=en><title>shop</title><script src="{bff}/seen.js"></script><main></main><script src="{bff}/app.js"></script>`

// appOf is a page's script that has React, the component of the npm package, and an array of calls.
const appOf = `
	import React, { StrictMode, useState } from 'react';
	import { createRoot, hydrateRoot } from 'react-dom/client';
	import { renderToString } from 'react-dom/server.edge';
	import { createCheckout, loadCoinslot } from '../../npm/src/index.ts';
	import { CoinslotCheckout } from '../../npm/src/react.ts';

	const main = document.querySelector('main'), url = new URL(document.currentScript.src).origin;
	window.calls = [];`

// The component is rendered before the script is there, in strict mode: createSession works at the first click, is that
// of the latest render, and each event comes once.
func TestNPMReactBeforeScript(t *testing.T) {
	app := withReact(t, appOf+`
		const App = () => {
			const [n, setN] = useState(0);
			window.render = () => setN(n + 1);
			return <CoinslotCheckout url={url} mode="modal" className="pay" title="Pay" open={false} ref={(el) => { window.handle = el }}
				createSession={async () => (calls.push('create ' + n), 'cs_1')} onOpen={() => calls.push('open ' + n)} onReady={() => calls.push('ready ' + n)} />;
		};
		createRoot(main).render(<StrictMode><App /></StrictMode>);
		window.isEarly = !customElements.get('coinslot-checkout');`)
	s := openPage(t, "")
	s.appScript = app
	s.visit(noScript, "script-src *; frame-src *")
	s.WaitJS(
		`isEarly && window.Coinslot && handle === `+element+
			` && handle.className === 'pay' && handle.title === 'Pay'`,
		"the element",
	)
	s.Eval(`render()`, nil)
	s.Click("coinslot-checkout button")
	s.WaitJS(`calls.length === 3 && calls.join() === 'create 1,open 1,ready 1'`,
		"createSession, then each event once")
	fortest.Equal(t, len(s.requested()), 1, "frames were loaded")
	fortest.Lacks(t, "console", strings.Join(s.Console(), "\n"), "Warning", "[error]")
}

// What a server has rendered has the frame, which checkout.js takes over before React hydrates. React then repeats to
// the handlers what they have missed, and another session is another element.
func TestNPMReactHydration(t *testing.T) {
	app := withReact(t, appOf+`
		const App = () => {
			const [session, setSession] = useState('cs_1'), [theme, setTheme] = useState();
			Object.assign(window, { sell: setSession, paint: setTheme });
			return <CoinslotCheckout url={url} origin={location.origin} session={session} theme={theme} lang="en" ref={(el) => { window.handle = el }}
				onReady={() => calls.push('ready')} onStatus={({ detail }) => calls.push(detail.status)} onComplete={({ detail }) => calls.push(detail.session)} />;
		};
		const page = <StrictMode><App /></StrictMode>;
		main.innerHTML = window.html = renderToString(page);
		window.hydrate = () => hydrateRoot(main, page);
		loadCoinslot(url);`)
	s := openPage(t, "")
	s.appScript = app
	s.visit(noScript, "script-src *; frame-src *")
	s.hydrates(t)
}

// hydrates checks a page that has rendered an inline checkout into html, and that has hydrate(), sell(), paint() and
// handle. The frame is in that HTML, and a new theme does not load it again.
func (s *testPage) hydrates(t *testing.T) {
	t.Helper()
	s.WaitJS(`window.html?.includes('<iframe ')`, "the frame in the HTML")
	s.waitEvent("ready cs_1 open")
	s.post(`{ type: 'complete', session: 'cs_1', status: 'confirmed', receipt: 'a.b.c' }`)
	s.waitEvent("complete cs_1 confirmed")
	s.Eval(`hydrate(), 0`, nil)
	s.WaitJS(`calls.join() === 'ready,confirmed,cs_1' && handle === `+element,
		"what happened before, once")
	s.Eval(`paint('dark'), 0`, nil)
	s.frameView().WaitJS(`heard.some(({ type, value }) => type === 'theme' && value === 'dark')`, "the new theme")
	if got := s.requested(); len(got) != 1 || !strings.HasPrefix(got[0], "/checkout/cs_1?embed=inline") {
		t.Errorf("frames: %v; want the one of the HTML", got)
	}
	s.Eval(`window.calls = [], sell('cs_2'), 0`, nil)
	s.WaitJS(`calls.includes('ready') && handle.session === 'cs_2'`, "another session")
	fortest.Lacks(t, "console", strings.Join(s.Console(), "\n"), "[error]", "Vue warn")
}

// As of React, of Vue.
func TestNPMVueHydration(t *testing.T) {
	need.File(t, "../../.cache/npm-types/node_modules/vue")
	app := withReact(t, `
		import { createSSRApp, h, ref } from 'vue';
		import { renderToString } from 'vue/server-renderer';
		import { loadCoinslot } from '../../npm/src/index.ts';
		import { CoinslotCheckout } from '../../npm/src/vue.ts';

		const main = document.querySelector('main'), url = new URL(document.currentScript.src).origin, session = ref('cs_1'), theme = ref();
		window.calls = [];
		const app = createSSRApp({ render: () => h(CoinslotCheckout, { url, origin: location.origin, session: session.value, theme: theme.value, lang: 'en', ref: (it) => { window.handle = it?.element },
			onReady: () => calls.push('ready'), onStatus: ({ detail }) => calls.push(detail.status), onComplete: ({ detail }) => calls.push(detail.session) }) });
		window.sell = (id) => { session.value = id };
		window.paint = (name) => { theme.value = name };
		window.hydrate = () => app.mount(main);
		renderToString(app).then((html) => { main.innerHTML = window.html = html; return loadCoinslot(url) });`)
	s := openPage(t, "")
	s.appScript = app
	s.visit(noScript, "script-src *; frame-src *")
	s.hydrates(t)
}

// loadCoinslot says what went wrong, tries again at the next call, and loads the script once.
func TestNPMLoads(t *testing.T) {
	app := withReact(t, appOf+`
		const code = (promise) => promise.then(() => 'loaded', (error) => error.code + ' ' + error.message);
		window.run = async (way) => window.said = await ({
			blocked: () => code(loadCoinslot('http://localhost:9')),
			timeout: () => code(loadCoinslot(url + '/checkout/cs_hang.js', { timeout: 50 })),
			once: async () => [loadCoinslot(url) === loadCoinslot(url + '/'), (await loadCoinslot(url)) === Coinslot, document.querySelectorAll('head script[async]').length].join(),
			opens: async () => {
				for (const n of [1, 2]) await createCheckout({ url, session: 'cs_1', onOpen: () => calls.push('open ' + n), onReady: () => calls.push('ready ' + n) });
				return document.querySelectorAll('coinslot-checkout').length;
			},
		})[way]();`)
	s := openPage(t, "")
	s.appScript = app
	s.visit(noScript, "script-src *; frame-src *")
	for _, c := range []struct{ way, says string }{
		{"blocked", "script_blocked http://localhost:9/checkout.js did not load"},
		{"timeout", "timeout http:"},
		{"once", "true,true,1"},
	} {
		s.Eval(`run("`+c.way+`"), 0`, nil)
		s.WaitJS(`String(window.said).startsWith("`+c.says+`")`, c.way+": "+c.says)
	}
	s.Eval(`run("opens"), 0`, nil)
	s.WaitJS(
		`said === 1 && calls.includes('open 1') && calls.includes('ready 2') && !calls.includes('ready 1')`,
		"one element with the handlers of the latest call",
	)
}

// Without the script the component reports that it was blocked, and its frame is there.
func TestNPMReactWithoutScript(t *testing.T) {
	app := withReact(t, appOf+`createRoot(main).render(<CoinslotCheckout url="http://localhost:9" session="cs_1"
		onError={({ detail }) => calls.push(detail.code + ' ' + detail.url)} />);`)
	s := openPage(t, "")
	s.appScript = app
	s.visit(noScript, "script-src *; frame-src *")
	s.WaitJS(`calls.join() === 'script_blocked http://localhost:9/checkout/cs_1'`, "the error")
	s.WaitJS(element+`.querySelector('iframe').src === 'http://localhost:9/checkout/cs_1?embed=inline'`, "the frame")
}
