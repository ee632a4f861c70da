// Package order reads orders: the body of POST /v1/sessions, order tokens, and the catalog.
package order
