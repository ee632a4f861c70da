// Package rules tortures the rules of the money path inside one process: what becomes of a payment
// when everything happens at once, what the confirm gate would let through if a condition were
// missing, and whether the outbox reaches a receiver that fails. It has tests only.
//
// Clocks are moved by hand, the gateway is bff/sandbox reached through the real client without a
// socket, the database is the real one. Start at TestTortureExpiryRaces.
package rules
