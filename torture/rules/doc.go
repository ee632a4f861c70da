// Package rules tortures the rules of the money path inside one process: what the confirm gate would
// let through if a condition were missing, and whether the outbox reaches a receiver that fails. It
// has tests only.
//
// Clocks are moved by hand, and the database is the real one. Start at TestTortureConfirmGate.
package rules
