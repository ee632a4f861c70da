// Package wire has the types that the BFF and a browser exchange. It imports only the standard
// library and package json, because server and browser program are both built from it.
//
// # Protocol
//
// A browser only reads whole [View] values; there are no deltas.
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
// A client drops a View whose Version is lower than that of the one it has; an equal Version is a
// fresher copy. Errors are an [Error] as application/problem+json (RFC 9457). Times are durations
// (expires_in_ms, checked_ms_ago) relative to the moment of sending, so that clocks need not agree.
//
// Amounts are decimal text. The BFF computes all of them; the browser never does.
package wire
