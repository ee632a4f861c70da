// Package listing reads the gateway's transaction list page by page, and knows when nothing
// of it can be missing.
package listing
