package limiter

import "context"

// Priority is what a call is for, and so how soon it gets a slot; see queue.go.
type Priority int

// The priorities, the most urgent first.
const (
	Shopper    Priority = iota // a shopper waits for the answer
	Create                     // opens a payment for a shopper who waits
	Watched                    // polls a payment whose page is open
	Shared                     // polls many payments at once
	Single                     // polls another payment
	Late                       // polls one that has ended
	priorities = iota
)

// Client is who a call is made for. Slots are shared evenly between networks, then between the
// addresses of a network, then between the sessions of an address. The zero Client is the
// merchant, and the server itself.
type Client struct {
	Network string // the largest that one owner may have
	Address string // presumably one client
	Session string
	// OnSend is called for every request sent for the client. Nil = no callback.
	OnSend func()
}

type (
	priorityKey struct{}
	clientKey   struct{}
)

// WithPriority sets what calls made with ctx are for. The default is Shopper.
func WithPriority(ctx context.Context, p Priority) context.Context {
	return context.WithValue(ctx, priorityKey{}, p)
}

// WithClient sets who calls made with ctx are for.
func WithClient(ctx context.Context, c Client) context.Context {
	return context.WithValue(ctx, clientKey{}, c)
}

// WithSession sets only the session of the client.
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
