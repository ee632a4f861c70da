// Package payment is the domain: what a session is, how it changes, and what proves that
// it is paid. Everything in it is a function of a row, evidence and a time; there is no
// context, clock, database, network or log. A file uses those below it:
//
//	abandoned.go  a create without an answer: found, replaced or abandoned
//	close.go      canceling, expiring, and what a shopper may do
//	open.go       whether an attempt may be opened, for which coin and how long
//	review.go     an operator resolves a review
//	listed.go     what the gateway says of a list, or that it does not know a transaction
//	erase.go      personal data at the end of its retention
//	events.go     the events of a change
//	object.go     a session as the merchant sees it
//	answer.go     validates the answer to create before an address is shown
//	apply.go      applies a status record; the only writer of "confirmed"
//	schedule.go   when a session is checked next
//	gate.go       the confirm gate: what proves a payment
//	session.go    Session and Attempt, the row, and how sessions are queried
//	offer.go      the coins and networks available for an order
//	order.go      what is to be paid, and its limits
//	record.go     the gateway's answers
//	errors.go     errors
package payment
