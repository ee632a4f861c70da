package checkouttest_test

import (
	"os"
	"strings"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/e2e/need"

	"github.com/evanw/esbuild/pkg/api"
)

// wrapper is the component that docs/examples/react offers.
const wrapper = "../../docs/examples/react/CoinslotCheckout.jsx"

func TestReactWrapperIsSmall(t *testing.T) {
	text := fortest.Must(os.ReadFile(wrapper))(t)
	result := api.Transform(string(text), api.TransformOptions{
		Loader:            api.LoaderJSX,
		Target:            api.ES2022,
		MinifyWhitespace:  true,
		MinifyIdentifiers: true,
		MinifySyntax:      true,
	})
	if len(result.Errors) > 0 || len(result.Code) > 1000 {
		t.Errorf("the wrapper is %d bytes minified, with errors %v; want at most 1000",
			len(result.Code), result.Errors)
	}
}

// withReact builds a page's script with React 19 as developers have it, which mounts everything
// twice in strict mode.
func withReact(t *testing.T, text string) string {
	t.Helper()
	need.File(t, "../../.cache/npm/react-dom/client.js")
	result := api.Build(api.BuildOptions{
		Stdin:     &api.StdinOptions{Contents: text, ResolveDir: ".", Loader: api.LoaderJSX},
		Bundle:    true,
		Target:    api.ES2022,
		NodePaths: []string{"../../.cache/npm", "../../.cache/npm-types/node_modules"},
		Define:    map[string]string{"process.env.NODE_ENV": `"development"`},
	})
	if len(result.Errors) > 0 {
		t.Fatalf("bundling: %v", result.Errors)
	}
	return string(result.OutputFiles[0].Contents)
}

const strictApp = `
	import React, { StrictMode, useState } from 'react';
	import { createRoot } from 'react-dom/client';
	import { CoinslotCheckout } from '` + wrapper + `';

	window.calls = [];
	const App = () => {
		const [n, setN] = useState(0), [there, setThere] = useState(true);
		Object.assign(window, { render: () => setN(n + 1), remove: () => setThere(false) });
		return there && <CoinslotCheckout session="cs_1" mode="inline" open={false} returnUrl="/x" ref={(el) => { window.handle = el }}
			onReady={() => calls.push('ready ' + n)} onStatus={({ detail }) => calls.push(detail.status + ' ' + n)}>
			<a href="/pay">Pay</a></CoinslotCheckout>;
	};
	createRoot(document.querySelector('main')).render(<StrictMode><App /></StrictMode>);`

// TestReactStrictMode: one frame, each event once and with the latest handler, and nothing left
// after an unmount.
func TestReactStrictMode(t *testing.T) {
	app := withReact(t, strictApp)
	s := openPage(t, "")
	s.appScript = app
	s.visit(`<main></main><script src="{bff}/app.js"></script>`, "script-src *; frame-src *")
	s.waitEvent("ready cs_1 open")
	s.WaitJS(`handle === `+element+` && handle.returnUrl === '/x' && !handle.hasAttribute('open')`,
		"the ref and the attributes")
	s.Eval(`render()`, nil)
	s.WaitJS(`calls.join() === 'ready 0,open 0'`, "each event once")
	s.post(`{ type: 'status', session: 'cs_1', status: 'pending' }`)
	s.WaitJS(`calls.join() === 'ready 0,open 0,pending 1'`, "the latest handler")
	fortest.Equal(t, len(s.requested()), 1, "frames were loaded")
	s.Eval(`window.el = handle, remove()`, nil)
	s.WaitJS(`!`+element+` && !el.shadowRoot.querySelector('iframe')`, "no element and no frame")
	fortest.Lacks(t, "console", strings.Join(s.Console(), "\n"), "Warning")
}

// TestReactServerRendering: there the component renders its link, and touches nothing that only
// browsers have.
func TestReactServerRendering(t *testing.T) {
	app := withReact(t, `import React from 'react';
		import { renderToString } from 'react-dom/server.edge';
		import { CoinslotCheckout } from '`+wrapper+`';
		window.html = renderToString(<CoinslotCheckout session="cs_1" mode="modal" onReady={() => {}}><a href="/pay">Pay</a></CoinslotCheckout>);`)
	s := openPage(t, "")
	s.appScript = app
	s.visit(`<script src="{bff}/app.js"></script>`, "script-src *; frame-src *")
	s.WaitJS(
		"window.html === `<coinslot-checkout session=\"cs_1\" mode=\"modal\"><a href=\"/pay\">Pay</a></coinslot-checkout>`",
		"the element with its link",
	)
}
