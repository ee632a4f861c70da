// Package token knows coins and networks: what a network's addresses look like,
// how many digits a coin's transfers carry, at which contract it lives, and how
// a wallet is asked to send it. The gateway tells none of that.
//
// The well-known ones are built in (tokens.yaml, each with its source); an
// operator's file adds to them or replaces them, see docs/tokens.md. Everything
// that is computed from the registry is for showing and for links: whether a
// payment counts is decided in package checkout, from the gateway's own amounts.
package token
