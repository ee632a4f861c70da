// Package torture kills the checkout again and again and looks whether money was lost or invented.
//
// The real binary runs as a process of its own, built with the tag "crashpoints", beside a gateway
// that fails at random, a merchant's webhook endpoint that does the same, and shoppers who pay,
// cancel, change their mind and reload. Only the binary is ever killed; what the others have
// written down is the truth that it is compared with afterwards (checker_test.go).
//
// The tests have a short form, which is part of `make test-all`, and a long one:
// see README.md and tools/torture. Every failure prints its seed,
// the first invariant that broke and the history of that session.
package torture
