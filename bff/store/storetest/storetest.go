// Package storetest is the contract of checkout.Store, webhook.Outbox,
// webhook.Log, console.Records, statement.Sessions and gatewaylist.Runs as tests. Every implementation runs it, with
// [Run], and one that several instances share with [RunShared], too.
package storetest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/alert"
	"coinslot/bff/attention"
	"coinslot/bff/checkout"
	"coinslot/bff/console"
	"coinslot/bff/fortest"
	"coinslot/bff/gatewaylist"
	"coinslot/bff/payment"
	"coinslot/bff/rates"
	"coinslot/bff/statement"
	"coinslot/bff/webhook"

	"github.com/shopspring/decimal"
)

// Backend is what is tested.
type Backend interface {
	checkout.Store
	checkout.DueStore
	gatewaylist.ListStore
	// Watch notes for those of the sessions that are pending or preparing that a page shows them:
	// WatchedUntil becomes until, unless it is later already, and DueAt dueBy, unless it is
	// earlier. There is no new version, and leases stay. Ids that are not there are left out.
	Watch(ctx context.Context, ids []string, until, dueBy time.Time) error
	// Count returns how many sessions have that status.
	Count(ctx context.Context, status string) (int, error)
	attention.Money
	attention.Damage
	webhook.Outbox
	webhook.Log
	console.Records
	webhook.Rerouting
	gatewaylist.Runs
	checkout.Eraser
	rates.Store
	statement.Sessions
	alert.Store
}

// Opener returns an empty backend that makes one delivery for each of the
// endpoints, and closes it when t ends.
type Opener func(t *testing.T, endpoints []string) Backend

// cases are tests by name.
type cases map[string]func(*testing.T, Opener)

// on returns test with a backend for these endpoints.
func on(test func(t *testing.T, b Backend), endpoints ...string) func(t *testing.T, open Opener) {
	return func(t *testing.T, open Opener) { test(t, open(t, endpoints)) }
}

// alone is on for a test of two instances: both are one.
func alone(
	test func(t *testing.T, instances ...Backend), endpoints ...string,
) func(t *testing.T, open Opener) {
	return on(func(t *testing.T, b Backend) { test(t, b, b) }, endpoints...)
}

// Run tests what open returns. Each test opens one of its own.
func Run(t *testing.T, open func(t *testing.T, endpoints []string) Backend) {
	for _, group := range []cases{
		insertTests, updateTests, uniqueTests, dueTests, listedTests, leaseTests, findTests,
		heldTests, outboxTests, logTests, replayTests, searchTests, consoleTests, runTests,
		eraseTests, ratesTests, alertTests, moneyTests,
	} {
		group.run(t, open)
	}
}

// RunSessions is Run of what a checkout needs to take payments: checkout.Store, checkout.DueStore,
// gatewaylist.ListStore, webhook.Outbox and the methods of [Backend] itself.
func RunSessions(t *testing.T, open func(t *testing.T, endpoints []string) Backend) {
	for _, group := range []cases{
		insertTests, updateTests, uniqueTests, dueTests, listedTests, leaseTests, findTests,
		heldTests, outboxTests,
	} {
		group.run(t, open)
	}
}

func (group cases) run(t *testing.T, open Opener) {
	for name, test := range group {
		t.Run(name, func(t *testing.T) { test(t, open) })
	}
}

// epoch is when the tests begin, in microseconds as the stores keep them.
func epoch() time.Time { return time.Date(2026, 11, 20, 23, 59, 58, 765_432_000, time.UTC) }

// fresh is a session as the service makes it, different for every n, which
// also makes it n seconds younger.
func fresh(n int) payment.Session {
	return payment.Session{
		ID:          fmt.Sprintf("cs_%026d", n),
		Status:      wire.Open,
		Digest:      "d",
		Environment: "test",
		Order: payment.Order{
			AmountUSD: decimal.RequireFromString("25.00"),
			Ref:       fmt.Sprintf("order %d", n),
		},
		CreatedAt: epoch().Add(time.Duration(n) * time.Second),
		ExpiresAt: epoch().Add(24 * time.Hour),
	}
}

// attempt is one in the given state that holds nothing but its marker.
func attempt(number int, state payment.State, marker string) payment.Attempt {
	return payment.Attempt{
		Number:    number,
		State:     state,
		Marker:    marker,
		AmountUSD: decimal.RequireFromString("25"),
	}
}

// inserted stores s and returns what the store made of it.
func inserted(t *testing.T, b Backend, s payment.Session) payment.Session {
	return fortest.Must(b.Insert(t.Context(), s))(t)
}

// updated applies change, which must succeed.
func updated(
	t *testing.T, b Backend, id string, change func(*payment.Session), events ...payment.Event,
) payment.Session {
	t.Helper()
	s := fortest.Must(b.Update(t.Context(), id, 0, func(s *payment.Session) ([]payment.Event, error) {
		change(s)
		return events, nil
	}))(t)
	return s
}

// nothing is a change that changes nothing but the version.
func nothing(*payment.Session) {}

// check fails unless the store has exactly want.
func check(t *testing.T, b Backend, want payment.Session) {
	t.Helper()
	got := fortest.Must(b.Load(t.Context(), want.ID))(t)
	same(t, "Load("+want.ID+")", got.Session, want)
}

// wantWatched fails unless the store has exactly s, watched until then.
func wantWatched(t *testing.T, b Backend, s payment.Session, until time.Time) {
	t.Helper()
	got := fortest.Must(b.Load(t.Context(), s.ID))(t)
	same(t, "Load("+s.ID+")", got, checkout.StoredSession{Session: s, WatchedUntil: until})
}

// same compares values by what they mean: 1.50 is 1.5, and times are instants.
func same(t *testing.T, what string, got, want any) {
	t.Helper()
	fortest.Diff(t, got, want, "%s", what)
}

// wantSessions compares sessions by what fresh has made them of.
func wantSessions(t *testing.T, what string, got []payment.Session, numbers ...int) {
	t.Helper()
	var want []string
	for _, n := range numbers {
		want = append(want, fresh(n).ID)
	}
	same(t, what, ids(got), want)
}

// allPages reads page after page, from a cursor on, until there is no next one.
func allPages[T any](read func(cursor string) (list []T, next string)) (all []T) {
	for cursor, first := "", true; first || cursor != ""; first = false {
		list, next := read(cursor)
		all, cursor = append(all, list...), next
	}
	return all
}

func ids(sessions []payment.Session) []string {
	var list []string
	for _, s := range sessions {
		list = append(list, s.ID)
	}
	return list
}
