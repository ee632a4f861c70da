// Package checkout has the use cases, one verb a file. Each loads a session, lets a rule of
// package payment decide in the store's transaction, calls the gateway, and saves. A file
// uses those below it:
//
//	process.go     the poller processes a session that is due
//	extend.go      a shopper asks for more time
//	choose.go      a shopper chooses a coin and a network
//	open.go        a merchant opens a session
//	cancel.go      a shopper or the merchant cancels
//	recheck.go     a shopper or the merchant asks for a check
//	resolve.go     an operator resolves a review
//	nudge.go       a shopper opens a page, or comes back to it
//	find.go        looks sessions up
//	view.go        what a browser is shown
//	create.go      sends a create, and applies its answer
//	patience.go    waits for a busy gateway
//	record.go      reads a status, and records it
//	service.go     loads and changes a session
//	currencies.go  caches the gateway's currency list
//	ports.go       what this package needs of gateway and database
package checkout
