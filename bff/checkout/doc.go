// Package checkout is the domain: what a session is, how it moves, and the
// ports it needs. It knows no database, no HTTP and no gateway protocol.
//
// Read it in this order:
//
//	session.go    Session and Attempt, the row that everything is about
//	gate.go       what proves a payment
//	observe.go    what a status record changes; the only writer of "confirmed"
//	answer.go     what is checked before an address is shown
//	due.go        when a session is looked at next
//	choosing.go   a shopper chooses: intent first, then create, three outcomes
//	reconcile.go  the answer to create was lost: search, cancel, replace
//	searching.go  one search of the gateway's list for all who wait for it
//	scan.go       how a list is read that moves, and when nothing can be missing
//	adopting.go   what the list shows of ours is made known
//	compare.go    what gateway and database disagree on, for people
//	ledger.go     the gateway's lists, for people and merchants' programs
//	ending.go     cancel, recheck
//	settling.go   a person settles a review
//	console.go    what people look at: search, sums, deliveries, the audit log
//	tending.go    what the poller does with a session that is due
//
// Rules are functions of (row, evidence, now) without I/O. Service loads a
// row, applies a rule inside the store's transaction, and tells whoever listens
// after the commit. Events for the merchant are written in that transaction.
package checkout
