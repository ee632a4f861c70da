// Package wire is a slow network that loses packets, between a browser and the servers of a test.
// It has the kernel's own TCP and UDP, unlike [coinslot/e2e/link], so HTTP/3 and losses can be
// measured.
//
// It consists of three network namespaces with a pair of virtual Ethernet devices between each two:
// the client's, one in the middle where this package copies each frame from one side to the other,
// and the server's. Linux and root are needed; [Available] tells.
//
// A process belongs to one namespace, so a test runs its servers by running itself again:
//
//	w, err := wire.New(wire.Shape{RTT: 150 * time.Millisecond, Loss: 0.01})
//	defer w.Close()
//	err = w.Server(os.Args[0], "-test.run=TestOfServers").Run()
package wire

import "time"

// Shape is how slow a network is, and how much it loses.
type Shape struct {
	RTT      time.Duration // there and back
	Down, Up int           // bits a second towards the client and from it; 0 = without limit
	Loss     float64       // of frames, in each direction, 0 to 1
}

// The addresses of the hosts. 198.18.0.0/15 is for measurements of networks (RFC 2544). The server
// has two, because a browser keeps a connection for each host.
const (
	ClientAddress = "198.18.0.1"
	ServerAddress = "198.18.0.2"
	ShopAddress   = "198.18.0.3"
)
