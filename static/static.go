// Package static holds the files that browsers get: what tools/assets has built
// (dist), and the sources that serve in its place before anything was built.
//
// It imports nothing of the product. Reading, negotiating and naming the files
// is the business of whoever serves them.
package static

import "embed"

// Files holds
//
//	dist/                 built files and manifest.json; only .gitkeep before the first build
//	css/                  the parts of checkout.css; see package sheet
//	console/              those of the operator's pages
//	doctor.* docs.css    sources, served as they are when dist is empty
//	icons/                coin marks as SVG, named by symbol in lower case; default.svg
//	text/                 every sentence of the page by key, one JSON file per language
//
//go:embed all:dist css console docs.css doctor.css doctor.js icons text
var Files embed.FS
