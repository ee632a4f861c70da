// Package payment is the domain: what a session is, how it moves, and what proves that
// it is paid. Everything in it is a function of a row, evidence and a time; there is no
// context, clock, database, network or log. A file uses those below it:
//
//	abandoned.go a create whose answer was lost: found, replaced or given up
//	close.go     canceling, expiring, and what a shopper may do
//	open.go      may an attempt be opened, for which coin and for how long
//	review.go    an operator resolves a review
//	absent.go    the gateway does not know a transaction
//	listed.go    what the gateway's transaction list says about a payment
//	erase.go     personal data at the end of its time
//	events.go    what the merchant is told of a change
//	object.go    a session as the merchant sees it
//	answer.go    the answer to create is checked before an address is shown
//	apply.go     what a status record changes; the only writer of "confirmed"
//	schedule.go  when a session is checked next
//	gate.go      the confirm gate: what proves a payment
//	query.go     sessions by what they are known for
//	session.go   Session and Attempt, the row that everything is about
//	offer.go     coins and networks that an order can be paid in
//	order.go     what is to be paid, and its limits
//	record.go    what the gateway answers
//	errors.go    errors
package payment
