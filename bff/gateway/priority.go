package gateway

import "context"

// Priority is what a call is for, and so how soon it gets a slot; see queue.go.
type Priority int

// The priorities, the most urgent first.
const (
	Shopper    Priority = iota // a shopper or the merchant waits for the answer
	Poll                       // checks payments that wait for their money
	Late                       // checks one that has ended, or reads records that decide nothing
	priorities = iota
)

// Caller is who a call is made for. Slots are shared evenly between networks. The zero Caller is
// the merchant, and the server itself.
type Caller struct {
	Network string // the largest that one owner may have
	// OnSend is called for every request sent for the caller. Nil = no callback.
	OnSend func()
}

type (
	priorityKey struct{}
	callerKey   struct{}
)

// WithPriority sets what calls made with ctx are for. The default is Shopper.
func WithPriority(ctx context.Context, p Priority) context.Context {
	return context.WithValue(ctx, priorityKey{}, p)
}

// WithCaller sets who calls made with ctx are for.
func WithCaller(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

func priorityOf(ctx context.Context) Priority {
	p, _ := ctx.Value(priorityKey{}).(Priority)
	return p
}

func callerOf(ctx context.Context) Caller {
	c, _ := ctx.Value(callerKey{}).(Caller)
	return c
}
