// Package static embeds the files for browsers: the build results of tools/assets in dist, and the
// sources that are served before the first build. It imports no other package of the product.
package static

import "embed"

// Files holds
//
//	dist/                built files and manifest.json; only .gitkeep before the first build
//	css/                 the parts of checkout.css; see package stylesheet
//	after/               the parts of after.css, phone.css and print.css
//	console/             the parts of console.css
//	manual.css           what docs.css and doctor.css have in common
//	playground.css       the look of the playground on top of checkout.css
//	wallets.css          the look of the page of wallet links, likewise
//	doctor.js            a source, served as it is when dist is empty
//	icons/               logos of coins as SVG, named by symbol in lower case; default.svg;
//	                     marks.svg has all of them (go test ./static -update)
//	text/                the page's texts by key, a JSON file per language
//
//go:embed all:dist css after console manual.css docs.css doctor.css playground.css wallets.css
//go:embed doctor.js icons text
var Files embed.FS

// Shop is the demo shop: shop/index.html is an html/template, other files are served as they are.
//
//go:embed shop
var Shop embed.FS
