// Package listing reads the gateway's transaction list page by page, and knows when it is
// complete.
package listing
