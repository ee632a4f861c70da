package main

import (
	"context"
	"errors"
	"testing"

	"coinslot/app/browser"
)

// TestOutsideABrowser holds that everything that can fail says so: the BFF
// links these packages too.
func TestOutsideABrowser(t *testing.T) {
	if _, err := newCheckout(browser.PageState{}); !errors.Is(err, browser.ErrNoBrowser) {
		t.Errorf("checkout: %v; want ErrNoBrowser", err)
	}
	h := newHost(browser.PageState{})
	if _, _, err := h.Send(context.Background(), "GET", "/", nil); !errors.Is(err, browser.ErrNoBrowser) {
		t.Errorf("Send: %v; want ErrNoBrowser", err)
	}
	if _, err := h.Dial(context.Background(), "/"); !errors.Is(err, browser.ErrNoBrowser) {
		t.Errorf("Dial: %v; want ErrNoBrowser", err)
	}
	if err := h.Copy("x"); !errors.Is(err, browser.ErrNoBrowser) {
		t.Errorf("Copy: %v; want ErrNoBrowser", err)
	}
	h.Restore()
	h.WatchTab(func() {}, func() {})
}
