//go:build !js

package browser

import "context"

// Data reports ErrNoBrowser.
func Data(string) ([]byte, error) { return nil, ErrNoBrowser }

// Sentences reports ErrNoBrowser.
func Sentences(string) ([]byte, error) { return nil, ErrNoBrowser }

// Fetch reports ErrNoBrowser.
func Fetch(context.Context, string, string, []byte) (int, []byte, error) {
	return 0, nil, ErrNoBrowser
}

// ReplaceURL does nothing.
func ReplaceURL(string) {}

// Focus does nothing.
func Focus(string) {}

// Show does nothing.
func Show(string) {}

// Quiet does nothing.
func Quiet() {}

// Copy reports ErrNoBrowser.
func Copy(string) error { return ErrNoBrowser }

// ReadTyped returns nothing typed.
func ReadTyped() Typed { return Typed{} }

// Restore does nothing.
func (t Typed) Restore() {}

// Tab has nothing to watch.
type Tab struct{}

// Watch does nothing.
func (t *Tab) Watch(back, leave func()) {}

// Network does nothing.
func Network(changed func()) {}

// Socket is never opened.
type Socket struct{}

// Dial reports ErrNoBrowser.
func Dial(context.Context, string) (*Socket, error) { return nil, ErrNoBrowser }

// Read reports ErrNoBrowser.
func (s *Socket) Read(context.Context) ([]byte, error) { return nil, ErrNoBrowser }

// Deduped reports false.
func (s *Socket) Deduped() bool { return false }

// Close does nothing.
func (s *Socket) Close() {}
