// Package wire holds what crosses the wire between the BFF and a browser, and
// nothing else. It imports nothing but the standard library and
// [coinslot/app/json], because both halves of the product are built from it.
//
// # Protocol
//
// A browser only ever reads whole [View] values; there are no deltas.
//
//	GET  /checkout/{session}/view       the View
//	POST /checkout/{session}/attempts   a Choice; the View after it
//	POST /checkout/{session}/cancel     no body; the View after it
//	POST /checkout/{session}/recheck    no body; the View after it
//	GET  /checkout/{session}/live       websocket
//
// On the socket the server sends, the client only listens:
//
//	connect  -> the current View at once
//	change   -> the whole View, each time its Version has grown
//	silence  -> the whole View every 15 s, also as soon as CheckedMsAgo is
//	            [JustNow], and with the first check after that
//
// A client keeps the View with the highest Version and takes one of equal
// Version as a fresher copy; a lower Version is dropped. A request that cannot
// be served is answered by an [Error] as application/problem+json (RFC 9457).
// Times travel as durations (expires_in_ms, checked_ms_ago) relative to the
// moment of sending, so that no clock but the receiver's own is needed.
//
// Amounts are decimal text and are never computed with in the browser: what
// is missing, overpaid or estimated is computed by the BFF.
package wire
