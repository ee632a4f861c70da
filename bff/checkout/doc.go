// Package checkout has the use cases, one verb a file. Each loads a session, lets a rule of
// package payment decide in the store's transaction, calls the gateway, and saves:
//
//	open.go     a merchant opens a session
//	choose.go   a shopper chooses a coin and a network
//	extend.go   a shopper asks for more time
//	cancel.go   a shopper or the merchant cancels
//	recheck.go  somebody says that they have paid
//	resolve.go  an operator resolves a review
//	process.go  the poller processes a session that is due
//	nudge.go    somebody has opened a page, or come back to it
//	view.go     what a browser is shown
//
// What they share: create.go sends a create and takes its answer, record.go reads a status
// and records it, service.go changes a session, currencies.go keeps the gateway's currency
// list, ports.go is what they need of gateway and database.
package checkout
