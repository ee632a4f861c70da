package limiter

import "context"

// Priority is what a call is for, and so how soon it gets a slot; see queue.go.
type Priority int

const (
	Shopper    Priority = iota // somebody waits for the answer
	Create                     // opens a payment for somebody who waits
	Watched                    // polls a payment that somebody is looking at
	Shared                     // polls many payments at once
	Single                     // polls one that nobody looks at
	Late                       // polls one that has ended
	priorities = iota
)

// Client is who a call is made for. Slots are shared evenly between networks, then
// between the addresses of a network, then between the sessions of an address. The
// zero Client is the merchant, and the server itself.
type Client struct {
	Network string // the widest that one owner may have
	Address string // one client, as far as anybody can tell
	Session string
	// OnSend is called for every request that is sent for the client. Nil = nobody
	// counts.
	OnSend func()
}

type (
	priorityKey struct{}
	clientKey   struct{}
)

// WithPriority says what calls made with ctx are for. Without it they are a
// Shopper's.
func WithPriority(ctx context.Context, p Priority) context.Context {
	return context.WithValue(ctx, priorityKey{}, p)
}

// WithClient says who calls made with ctx are for.
func WithClient(ctx context.Context, c Client) context.Context {
	return context.WithValue(ctx, clientKey{}, c)
}

// WithSession says which session calls made with ctx are for. The rest of the client
// stays as it is.
func WithSession(ctx context.Context, id string) context.Context {
	c := clientOf(ctx)
	c.Session = id
	return WithClient(ctx, c)
}

func priorityOf(ctx context.Context) Priority {
	p, _ := ctx.Value(priorityKey{}).(Priority)
	return p
}

func clientOf(ctx context.Context) Client {
	c, _ := ctx.Value(clientKey{}).(Client)
	return c
}
