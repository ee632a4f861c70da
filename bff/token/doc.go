// Package token knows coins and networks, which the gateway does not describe: what a
// network's addresses look like, how many digits a coin's transfers carry, its contract, and
// how a wallet is asked to send it.
//
// The well-known ones are built in (tokens.yaml, each with its source); an operator's file
// adds to them or replaces them, see docs/tokens.md. Everything computed from the registry is
// for display and links: whether a payment counts is decided in package payment, from the
// gateway's own amounts.
package token
