// Package live keeps websockets on which the server talks and the client only
// listens, by the ten thousand: what an idle one costs is its connection, a small
// read buffer and one goroutine, which reads.
//
// The library does the handshake only. What it keeps for a connection, and what its
// reader needs to wait, are two thirds of what an idle socket costs; see ear.
//
// Writing is done by a few goroutines that all sockets share and that exist while
// there is something to write. A socket that has news stands in their queue once,
// however much has happened. One timer pings all sockets.
//
// Start from [New], [Sockets.New] and [Sockets.Open]. What a socket says is its
// [Show]'s business.
package live

import (
	"net/http"
	"runtime"
	"time"

	"github.com/gorilla/websocket"
)

// Times and sizes of a socket. Nothing that a client sends is used, so little
// of it is read; compression stays off, because the read limit of the library
// counts compressed bytes.
const (
	pingEvery   = 25 * time.Second
	pongWithin  = 60 * time.Second
	writeWithin = 5 * time.Second
	maxMessage  = 1 << 10  // bytes, from the client
	maxMessages = 30       // from the client, in a connection's minute; pings and pongs count
	maxTalk     = 16 << 10 // bytes from the client in that minute, with all that frames add

)

// Sockets are the open ones of a process.
type Sockets struct {
	upgrader websocket.Upgrader
	crew     *crew
	wheel    *wheel
}

// New returns no sockets yet. It starts nothing that would have to be stopped.
func New() *Sockets { return paced(pingEvery) }

// paced is New with another time between two pings of a socket.
func paced(every time.Duration) *Sockets {
	return &Sockets{
		upgrader: websocket.Upgrader{
			ReadBufferSize: 1,                                        // the smallest there is; a socket reads by itself
			CheckOrigin:    func(*http.Request) bool { return true }, // the caller's business
			Error:          func(http.ResponseWriter, *http.Request, int, error) {},
		},
		crew:  &crew{most: 4 * runtime.GOMAXPROCS(0), patience: patience},
		wheel: &wheel{every: every},
	}
}

// Upgrade answers a request by a websocket whose client may say little; header is
// added to the answer. Errors: it is no upgrade; nothing was answered then.
func (a *Sockets) Upgrade(w http.ResponseWriter, r *http.Request, header http.Header) (*websocket.Conn, error) {
	return a.upgrader.Upgrade(metered{w}, r, header)
}

// End is the error that ends a socket with a close frame.
type End struct {
	Code int // RFC 6455, 7.4.1
	Why  string
}

// Error implements error.
func (e *End) Error() string { return "closing a socket: " + e.Why }
