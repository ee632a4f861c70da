package wire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"coinslot/e2e/child"

	"golang.org/x/sys/unix"
)

// Wire is a network. Create one with [New].
type Wire struct {
	name  string // the namespaces' names begin with it
	ends  [2]*os.File
	ended chan error // one for each direction
}

// Available returns nil, or why there can be no [Wire].
func Available() error {
	if os.Geteuid() != 0 {
		return errors.New("only root can make network namespaces")
	}
	if _, err := exec.LookPath("ip"); err != nil {
		return errors.New("ip is missing: install iproute2")
	}
	return nil
}

// New makes a network. The caller closes it. Errors: what ip and the kernel refuse.
func New(s Shape) (*Wire, error) {
	w := &Wire{name: fmt.Sprintf("coinslot%d", os.Getpid()), ended: make(chan error, 2)}
	err := w.build()
	if err == nil {
		err = w.open()
	}
	if err != nil {
		return nil, errors.Join(err, w.Close())
	}

	toServer := direction{delay: s.RTT / 2, rate: s.Up, loss: s.Loss}
	toClient := direction{delay: s.RTT / 2, rate: s.Down, loss: s.Loss}
	go func() { w.ended <- toServer.copy(w.ends[0], w.ends[1]) }()
	go func() { w.ended <- toClient.copy(w.ends[1], w.ends[0]) }()
	return w, nil
}

// Close removes the network; processes in it lose their devices. Errors: a frame could not be
// copied, a namespace not be removed.
func (w *Wire) Close() error {
	var errs []error
	for _, end := range w.ends {
		if end != nil {
			_ = end.Close() // which ends the copying
		}
	}
	if w.ends[1] != nil {
		errs = append(errs, <-w.ended, <-w.ended)
	}

	for _, side := range sides {
		if _, err := os.Stat(filepath.Join("/run/netns", w.name+side)); err == nil {
			errs = append(errs, run("ip", "netns", "del", w.name+side))
		}
	}
	return errors.Join(errs...)
}

// Client is a command in the client's namespace, which ends with the test.
func (w *Wire) Client(program string, args ...string) *exec.Cmd {
	return In(w.name+client, program, args...)
}

// ClientName is the name of the client's namespace.
func (w *Wire) ClientName() string { return w.name + client }

// Server is a command in the server's namespace, which ends with the test.
func (w *Wire) Server(program string, args ...string) *exec.Cmd {
	return In(w.name+server, program, args...)
}

// In is a command in a namespace, which ends with the test.
func In(namespace, program string, args ...string) *exec.Cmd {
	cmd := exec.Command("ip", append([]string{"netns", "exec", namespace, program}, args...)...)
	child.Tie(cmd)
	return cmd
}

// The ends of the namespaces' names.
const (
	client = "client"
	middle = "middle"
	server = "server"
)

var sides = []string{client, middle, server}

// build makes the namespaces and their devices. The route says CUBIC, as most servers have it:
// namespaces inherit the congestion control of the machine, which may be BBR.
func (w *Wire) build() error {
	for _, side := range sides {
		err := errors.Join(
			run("ip", "netns", "add", w.name+side),
			run("ip", "-n", w.name+side, "link", "set", "lo", "up"),
		)
		if err != nil {
			return err
		}
	}

	err := errors.Join(
		run("ip", "link", "add", "end", "netns", w.name+client,
			"type", "veth", "peer", "name", client, "netns", w.name+middle),
		run("ip", "link", "add", "end", "netns", w.name+server,
			"type", "veth", "peer", "name", server, "netns", w.name+middle),
	)
	for _, end := range []string{client, server} {
		err = errors.Join(err, w.plain(middle, end), w.plain(end, "end"))
	}
	return errors.Join(
		err,
		w.host(client, ClientAddress),
		w.host(server, ServerAddress, ShopAddress),
		w.acquaint(client, server, ServerAddress, ShopAddress),
		w.acquaint(server, client, ClientAddress),
	)
}

// host gives the addresses to a side.
func (w *Wire) host(side string, addresses ...string) error {
	var errs []error
	for _, address := range addresses {
		errs = append(errs, run("ip", "-n", w.name+side,
			"address", "add", address+"/24", "dev", "end", "noprefixroute"))
	}
	return errors.Join(append(errs,
		run("ip", "-n", w.name+side, "link", "set", "end", "up"),
		run("ip", "-n", w.name+side, "route", "add", "198.18.0.0/24", "dev", "end",
			"congctl", "cubic"))...)
}

// plain lets a device send frames as they are on a wire: a kernel otherwise hands over up to 64 kB
// as one, and one loss would be that of forty. Without an address of IPv6, which would come a second
// later, no browser says that the network has changed.
func (w *Wire) plain(side, device string) error {
	return errors.Join(
		run("ip", "-n", w.name+side, "link", "set", device, "addrgenmode", "none"),
		run("ip", "-n", w.name+side, "link", "set", device, "up", "gso_max_segs", "1"),
	)
}

// acquaint tells a side the hardware address of another's hosts, so that the first connection does
// not pay a round trip for it.
func (w *Wire) acquaint(side, other string, addresses ...string) error {
	hardware, err := exec.Command("ip", "netns", "exec", w.name+other,
		"cat", "/sys/class/net/end/address").Output()
	if err != nil {
		return fmt.Errorf("reading a hardware address: %w", err)
	}

	var errs []error
	for _, address := range addresses {
		errs = append(errs, run("ip", "-n", w.name+side, "neighbour", "replace", address,
			"lladdr", string(bytes.TrimSpace(hardware)), "dev", "end"))
	}
	return errors.Join(errs...)
}

// open opens the middle's devices. A socket belongs to the namespace of the thread that made it.
//
// The thread comes back and goes on: if it ended, the kernel would kill the programs that it has
// started, which child.Tie ties to it.
func (w *Wire) open() error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	home, err := os.Open("/proc/thread-self/ns/net")
	if err != nil {
		return err
	}
	defer home.Close()
	if err := enter(filepath.Join("/run/netns", w.name+middle)); err != nil {
		return err
	}
	defer func() {
		if err := unix.Setns(int(home.Fd()), unix.CLONE_NEWNET); err != nil {
			panic("wire: a thread cannot leave a network namespace: " + err.Error())
		}
	}()

	for i, device := range []string{client, server} {
		w.ends[i], err = openDevice(device)
		if err != nil {
			return fmt.Errorf("opening the device %s: %w", device, err)
		}
	}
	return nil
}

// enter moves the calling thread into the network namespace at a path.
func enter(path string) error {
	namespace, err := os.Open(path)
	if err != nil {
		return err
	}
	defer namespace.Close()
	if err := unix.Setns(int(namespace.Fd()), unix.CLONE_NEWNET); err != nil {
		return fmt.Errorf("entering a network namespace: %w", err)
	}
	return nil
}

// openDevice returns a socket for all frames that come out of a device, and for those to put in.
func openDevice(name string) (*os.File, error) {
	device, err := net.InterfaceByName(name)
	if err != nil {
		return nil, err
	}

	all := binary.NativeEndian.Uint16([]byte{0, unix.ETH_P_ALL})
	fd, err := unix.Socket(
		unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, int(all),
	)
	if err != nil {
		return nil, err
	}

	// Frames that this socket puts in must not come out again. Those that come out begin with a
	// header of virtio, which says how far the kernel got with their checksums, and must have it
	// again when they are put in.
	const buffer = 8 << 20
	err = errors.Join(
		unix.SetsockoptInt(fd, unix.SOL_PACKET, unix.PACKET_VNET_HDR, 1),
		unix.Bind(fd, &unix.SockaddrLinklayer{Protocol: all, Ifindex: device.Index}),
		unix.SetsockoptInt(fd, unix.SOL_PACKET, unix.PACKET_IGNORE_OUTGOING, 1),
		unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, buffer),
	)
	return os.NewFile(uintptr(fd), name), err
}

// direction is one way through the middle.
type direction struct {
	delay time.Duration
	rate  int     // bits a second; 0 = without limit
	loss  float64 // 0 to 1
}

// longestQueue is how long frames wait for the line before more are dropped. A longer one would
// hide losses, and make each frame wait for what is needed no more.
const longestQueue = 300 * time.Millisecond

// frame is what arrives at once.
type frame struct {
	at   time.Time
	data []byte
}

// copy copies frames until a device is closed, which is no error.
func (d direction) copy(from, to *os.File) error {
	const flying = 1 << 16 // more than are ever under way
	frames := make(chan frame, flying)
	written := make(chan error, 1)
	go func() { written <- deliver(to, frames) }()
	err := d.receive(from, frames)
	close(frames)
	return errors.Join(err, <-written)
}

// receive reads frames, drops some, and says when each of the others has come over.
func (d direction) receive(from *os.File, frames chan<- frame) error {
	buffer := make([]byte, 1<<16)
	free := time.Now() // when the last frame has left
	for {
		n, err := from.Read(buffer)
		if errors.Is(err, os.ErrClosed) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading frames: %w", err)
		}

		now := time.Now()
		if free.Before(now) {
			free = now
		}
		if rand.Float64() < d.loss || free.Sub(now) > longestQueue {
			continue
		}

		if d.rate > 0 {
			free = free.Add(time.Duration(n) * 8 * time.Second / time.Duration(d.rate))
		}
		frames <- frame{free.Add(d.delay), bytes.Clone(buffer[:n])}
	}
}

// deliver writes each frame when it has come over.
func deliver(to *os.File, frames <-chan frame) error {
	for f := range frames {
		time.Sleep(time.Until(f.at))
		_, err := to.Write(f.data)
		if errors.Is(err, os.ErrClosed) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("writing a frame: %w", err)
		}
	}
	return nil
}

// run runs a command that says nothing unless it fails.
func run(name string, args ...string) error {
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w: %s", exec.Command(name, args...), err, bytes.TrimSpace(out))
	}
	return nil
}
