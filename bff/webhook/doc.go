// Package webhook tells the merchant's server what happened to its orders:
// signed messages after Standard Webhooks 1.0.0, sent from a durable queue
// until they are taken or 30 days have passed.
//
// Start from [New] and [Sender.Run] to send, and from [ParseKeys] and
// [Keys.Verify] to receive. docs/webhooks.md is what merchants read.
//
// The package does not decide when something is told: events are written to
// the [outbox.Outbox] in the transaction of the change that they tell of.
//
// Delivery is at least once and in no promised order: the body's
// data.version says which of two messages is the newer one.
//
// Source: https://github.com/standard-webhooks/standard-webhooks,
// spec/standard-webhooks.md, version 1.0.0.
package webhook
