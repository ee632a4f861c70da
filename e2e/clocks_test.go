package e2e

// clocks is a script of every document: when was the click, and in which painted frames of the
// documents that have them could the shopper choose, and did WebAssembly answer. Each condition is
// an expression. requestAnimationFrame runs only where something is painted, and the message that
// it posts arrives when that is done. That it was live is logged to the console, too.
func clocks(have, usable, live string) string {
	return `
const now = () => performance.timeOrigin + performance.now();
addEventListener("click", e => { if (e.isTrusted) window.clicked = performance.timeOrigin + e.timeStamp }, true);
if (` + have + `) {
	const painted = new MessageChannel();
	painted.port1.onmessage = ({data}) => {
		if (window[data]) return;
		window[data] = now();
		performance.mark(data);
		if (data === "live") console.debug("` + liveMessage + `");
	};
	requestAnimationFrame(function look() {
		if (` + usable + `) {
			painted.port2.postMessage("usable");
			if (` + live + `) painted.port2.postMessage("live");
		}
		if (!window.live) requestAnimationFrame(look);
	});
}`
}

// liveMessage is the word that all is over.
const liveMessage = "clocks: live"

// coinslotClocks are those of a checkout in a shop's page: usable is the frame's
// first coin that can be chosen, dressed, once the shop's page shows the frame.
var coinslotClocks = clocks(`self !== top`,
	`document.documentElement.dataset.shown && `+coinChoosable, coinslotLive)

// htmlClocks are those of a frame that is in the HTML of the shop's page, which shows it at once.
var htmlClocks = clocks(`self !== top`, coinChoosable, coinslotLive)

const (
	coinChoosable = `document.querySelector("[data-part=currency]:enabled")?.closest("label").checkVisibility() && (document.adoptedStyleSheets.length || document.querySelector("link[rel=stylesheet]")?.sheet)`
	coinslotLive  = `document.querySelector("#coinslot[data-live=wasm]")`
)

// goappClocks are those of the hello world: go-app takes its loader away.
var goappClocks = clocks(`true`, `document.querySelector("h1")`,
	`!document.querySelector("#app-wasm-loader")`)

// plainClocks are those of a page that is all there is.
var plainClocks = clocks(`true`, `document.querySelector("input")?.checkVisibility()`, `true`)
