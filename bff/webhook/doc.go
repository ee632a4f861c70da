// Package webhook notifies the merchant's server of its orders: it sends signed messages as
// Standard Webhooks 1.0.0 describes, from a durable queue, until they are accepted or 30 days
// have passed.
//
// Start from [New] and [Sender.Run] to send, and from [ParseKeys] and [Keys.Verify] to
// receive. docs/webhooks.md is for merchants. Events are written to the [Outbox] in
// the transaction of the change that they report.
//
// Delivery is at least once and in no promised order: the body's data.version says which of
// two messages is the newer one.
//
// Source: https://github.com/standard-webhooks/standard-webhooks,
// spec/standard-webhooks.md, version 1.0.0.
package webhook
