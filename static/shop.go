package static

import "embed"

// Shop is the demo shop: shop/index.html is an html/template, the rest is served as it is.
//
//go:embed shop
var Shop embed.FS
