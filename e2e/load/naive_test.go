package load

import (
	"log"
	"net"
	"net/http"
	"os"
	"os/exec"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/e2e/child"

	"github.com/gorilla/websocket"
)

// naive is a server of sockets as gorilla/websocket's chat example has it: two
// goroutines for each client, the default buffers, a channel of 256 messages, and
// one goroutine that knows all clients. It keeps no sessions and no database.
type naive struct {
	join, leave chan *naiveClient
}

type naiveClient struct {
	conn *websocket.Conn
	send chan []byte
}

// Times of the chat example, with our time between pings.
const (
	naiveWrite = 10 * time.Second
	naivePong  = 60 * time.Second
	naivePing  = 25 * time.Second
)

// naiveMain serves GET /ws, a socket, on the address in NAIVE_LISTEN.
func naiveMain() int {
	n := &naive{join: make(chan *naiveClient), leave: make(chan *naiveClient)}
	go n.run()
	var upgrader websocket.Upgrader
	http.HandleFunc("GET /ws", func(w http.ResponseWriter, r *http.Request) {
		conn, err := upgrader.Upgrade(w, r, nil)
		if err != nil {
			return
		}
		c := &naiveClient{conn, make(chan []byte, 256)}
		n.join <- c
		go c.write()
		go c.read(n)
		c.send <- []byte(`{"version":1,"hello":1}`)
	})
	log.Print(http.ListenAndServe(os.Getenv("NAIVE_LISTEN"), nil))
	return 1
}

func (n *naive) run() {
	clients := map[*naiveClient]bool{}
	for {
		select {
		case c := <-n.join:
			clients[c] = true
		case c := <-n.leave:
			if clients[c] {
				delete(clients, c)
				close(c.send)
			}
		}
	}
}

func (c *naiveClient) read(n *naive) {
	defer func() { n.leave <- c; c.conn.Close() }()
	c.conn.SetReadLimit(512)
	c.conn.SetReadDeadline(time.Now().Add(naivePong))
	c.conn.SetPongHandler(func(string) error {
		return c.conn.SetReadDeadline(time.Now().Add(naivePong))
	})
	for {
		if _, _, err := c.conn.ReadMessage(); err != nil {
			return
		}
	}
}

func (c *naiveClient) write() {
	ping := time.NewTicker(naivePing)
	defer ping.Stop()
	defer c.conn.Close()
	for {
		select {
		case text, ok := <-c.send:
			c.conn.SetWriteDeadline(time.Now().Add(naiveWrite))
			if !ok || c.conn.WriteMessage(websocket.TextMessage, text) != nil {
				return
			}
		case <-ping.C:
			c.conn.SetWriteDeadline(time.Now().Add(naiveWrite))
			if c.conn.WriteMessage(websocket.PingMessage, nil) != nil {
				return
			}
		}
	}
}

// newNaive starts the naive server in a process of its own.
func newNaive(tb testing.TB) *world {
	tb.Helper()
	port := fortest.FreePort(tb)
	w := &world{tb: tb, base: "http://127.0.0.1:" + port, client: http.DefaultClient}
	w.process = exec.Command(os.Args[0])
	w.process.Env = []string{role + "=naive", "NAIVE_LISTEN=127.0.0.1:" + port}
	w.process.Stderr = os.Stderr
	child.Tie(w.process)
	fortest.OK(tb, w.process.Start())
	tb.Cleanup(func() { child.End(w.process) })
	fortest.Within(tb, time.Minute, "the naive server to listen", func() bool {
		conn, err := net.Dial("tcp", "127.0.0.1:"+port)
		if err == nil {
			conn.Close()
		}
		return err == nil
	})
	return w
}

// naivePath is where the naive server has its socket.
func naivePath(string) string { return "/ws" }
