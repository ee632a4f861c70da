//go:build !js

package browser

import "context"

// DataBlock reports ErrNoBrowser.
func DataBlock(string) ([]byte, error) { return nil, ErrNoBrowser }

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

// ScrollTo does nothing.
func ScrollTo(string) {}

// RemoveDefaultHandlers does nothing.
func RemoveDefaultHandlers() {}

// Copy reports ErrNoBrowser.
func Copy(string) error { return ErrNoBrowser }

// ReadPageState returns nothing typed.
func ReadPageState() PageState { return PageState{} }

// Restore does nothing.
func (t PageState) Restore() {}

// Tab has nothing to watch.
type Tab struct{}

// Watch does nothing.
func (t *Tab) Watch(back, leave func()) {}

// WatchNetwork does nothing.
func WatchNetwork(changed func()) {}

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
