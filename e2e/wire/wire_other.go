//go:build !linux

package wire

import (
	"errors"
	"os/exec"
)

// Wire is a network; there is none on this system.
type Wire struct{}

var errUnavailable = errors.New("only Linux has network namespaces")

// Available returns why there can be no [Wire].
func Available() error { return errUnavailable }

// New fails: see [Available].
func New(Shape) (*Wire, error) { return nil, errUnavailable }

// Close does nothing.
func (w *Wire) Close() error { return nil }

// Client is a command in the client's namespace.
func (w *Wire) Client(program string, args ...string) *exec.Cmd {
	return exec.Command(program, args...)
}

// ClientName is the name of the client's namespace.
func (w *Wire) ClientName() string { return "" }

// Server is a command in the server's namespace.
func (w *Wire) Server(program string, args ...string) *exec.Cmd {
	return exec.Command(program, args...)
}

// In is a command in a namespace.
func In(_, program string, args ...string) *exec.Cmd { return exec.Command(program, args...) }
