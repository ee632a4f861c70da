package checkouttest_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/e2e/need"

	"github.com/evanw/esbuild/pkg/api"
)

// npmTypes has whole packages of frameworks, not only their types.
const npmTypes = "../../.cache/npm-types/node_modules"

// compileSvelte is a program for Node that prints a component as JavaScript.
const compileSvelte = `
import { readFileSync } from 'node:fs';
const [compiler, filename, generate] = process.argv.slice(1);
const { compile } = await import(compiler);
console.log(compile(readFileSync(filename, 'utf8'), { filename, generate, dev: true }).js.code);`

// bundleFor bundles a script for a server (Node) or a browser, as a framework's developer has it.
func bundleFor(t *testing.T, platform api.Platform, text string) string {
	t.Helper()
	need.File(t, npmTypes+"/solid-js")
	node := need.Command(t, "node")
	compiler := fortest.Must(filepath.Abs(npmTypes + "/svelte/src/compiler/index.js"))(t)
	generate := "client"
	if platform == api.PlatformNode {
		generate = "server"
	}

	svelte := api.Plugin{Name: "svelte", Setup: func(build api.PluginBuild) {
		build.OnLoad(api.OnLoadOptions{Filter: `\.svelte$`},
			func(file api.OnLoadArgs) (api.OnLoadResult, error) {
				run := exec.CommandContext(t.Context(), node, "--input-type=module", "-e",
					compileSvelte, compiler, file.Path, generate)
				run.Stderr = os.Stderr
				code, err := run.Output()
				contents := string(code)
				return api.OnLoadResult{
					Contents:   &contents,
					Loader:     api.LoaderJS,
					ResolveDir: filepath.Dir(file.Path),
				}, err
			})
	}}
	// As an installed package is found, by the file that it has for a platform.
	frameworks := api.Plugin{Name: "frameworks", Setup: func(build api.PluginBuild) {
		build.OnResolve(api.OnResolveOptions{Filter: `^(solid-js|svelte)(/|$)`},
			func(named api.OnResolveArgs) (api.OnResolveResult, error) {
				if strings.Contains(named.ResolveDir, "node_modules") {
					return api.OnResolveResult{}, nil
				}
				installed := build.Resolve(named.Path, api.ResolveOptions{
					ResolveDir: fortest.Must(filepath.Abs(npmTypes))(t),
					Kind:       named.Kind,
				})
				return api.OnResolveResult{Path: installed.Path, Errors: installed.Errors}, nil
			})
	}}
	result := api.Build(api.BuildOptions{
		Stdin:      &api.StdinOptions{Contents: text, ResolveDir: ".", Loader: api.LoaderJS},
		Bundle:     true,
		Platform:   platform,
		Format:     api.FormatIIFE,
		Target:     api.ES2022,
		Conditions: []string{"development"},
		Define:     map[string]string{"process.env.NODE_ENV": `"development"`},
		Plugins:    []api.Plugin{svelte, frameworks},
	})
	if len(result.Errors) > 0 {
		t.Fatalf("bundling: %v", result.Errors)
	}
	return string(result.OutputFiles[0].Contents)
}

// testHydration renders a component on a server, and hydrates it in a page whose checkout.js has
// taken over the frame by then. server prints the HTML for a checkout at url in a page of origin;
// client, which finds it in main, defines what hydrates needs.
func testHydration(t *testing.T, server, client string) {
	t.Helper()
	s := openPage(t, "")
	const common = `
		import { loadCoinslot } from '../../npm/src/index.ts';
		const main = document.querySelector('main'), url = new URL(document.currentScript.src).origin, { origin } = location;
		window.calls = [];
		window.html = main.innerHTML;
		loadCoinslot(url);`
	s.appScript = bundleFor(t, api.PlatformBrowser, common+client)
	file := filepath.Join(t.TempDir(), "server.cjs")
	code := bundleFor(t, api.PlatformNode,
		fmt.Sprintf("const url = %q, origin = %q;%s", s.bff, s.host, server))
	fortest.OK(t, os.WriteFile(file, []byte(code), 0o600))
	rendered := fortest.Must(exec.CommandContext(t.Context(), need.Command(t, "node"), file).Output())(t)

	main := "<main>" + strings.TrimSpace(string(rendered)) + "</main>"
	s.visit(strings.Replace(noScript, "<main></main>", main, 1), "script-src *; frame-src *")
	s.hydrates(t)
}

func TestNPMSolidHydration(t *testing.T) {
	const component = `
		import { createComponent } from 'solid-js';
		import { CoinslotCheckout } from '../../npm/src/solid.ts';`
	testHydration(t, component+`
		import { renderToString } from 'solid-js/web';
		console.log(renderToString(() => createComponent(CoinslotCheckout, { url, origin, session: 'cs_1', lang: 'en' })));`,
		component+`
		import { createSignal } from 'solid-js';
		import { hydrate } from 'solid-js/web';
		const [session, sell] = createSignal('cs_1'), [theme, paint] = createSignal();
		window._$HY = { events: [], completed: new WeakSet(), r: {}, fe() {} }; // as Solid's own inline script
		Object.assign(window, { sell, paint, hydrate: () => hydrate(() => createComponent(CoinslotCheckout, {
			url, origin, get session() { return session() }, get theme() { return theme() }, lang: 'en', ref: (el) => { window.handle = el },
			onReady: () => calls.push('ready'), onStatus: ({ detail }) => calls.push(detail.status),
			onComplete: ({ detail }) => calls.push(detail.session) }), main) });`)
}

func TestNPMSvelteHydration(t *testing.T) {
	const component = `
		import App from './testdata/hydration/App.svelte';`
	testHydration(t, component+`
		import { render } from 'svelte/server';
		console.log(render(App, { props: { url, origin } }).body);`,
		component+`
		import { hydrate } from 'svelte';
		window.hydrate = () => { hydrate(App, { target: main, props: { url, origin } }) };`)
}
