//go:build !js

package browser

import "context"

// DataBlock returns ErrNoBrowser.
func DataBlock(string) (data, sentences []byte, err error) { return nil, nil, ErrNoBrowser }

// Fetch returns ErrNoBrowser.
func Fetch(context.Context, string, string, []byte) (int, []byte, error) {
	return 0, nil, ErrNoBrowser
}

// ReplaceURL does nothing.
func ReplaceURL(string) {}

// Focus does nothing.
func Focus(string) {}

// SelectText does nothing.
func SelectText(string) {}

// ScrollTo does nothing.
func ScrollTo(string) {}

// RemoveDefaultHandlers does nothing.
func RemoveDefaultHandlers() {}

// Copy returns ErrNoBrowser.
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

// Dial returns ErrNoBrowser.
func Dial(context.Context, string) (*Socket, error) { return nil, ErrNoBrowser }

// Read returns ErrNoBrowser.
func (s *Socket) Read(context.Context) ([]byte, error) { return nil, ErrNoBrowser }

// Deduped reports false.
func (s *Socket) Deduped() bool { return false }

// Close does nothing.
func (s *Socket) Close() {}
