package shop

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"coinslot/bff/fortest"
)

func TestRefusals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var list []string
		written := func() []string {
			mu.Lock()
			defer mu.Unlock()
			return slices.Clone(list)
		}
		l := NewRefusals(func(_ context.Context, origin, session string, times int) error {
			mu.Lock()
			defer mu.Unlock()
			list = append(list, fmt.Sprint(origin, " ", session, " ", times))
			return nil
		}, nil)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- l.Run(ctx) }()
		l.Add("https://a.example", "cs_1")
		l.Add("https://a.example", "")
		l.Add("https://"+strings.Repeat("a", 300), "")
		var none *Refusals
		none.Add("https://a.example", "")
		synctest.Wait()
		if early := written(); len(early) > 0 {
			t.Errorf("written on the way of a request: %q", early)
		}
		time.Sleep(refusalInterval)
		synctest.Wait()
		if want := []string{"https://a.example cs_1 2"}; !slices.Equal(written(), want) {
			t.Errorf("after %s %q was written; want %q", refusalInterval, written(), want)
		}
		for n := range 1000 {
			l.Add(fmt.Sprintf("https://%d.example", n), "")
		}
		l.Add("https://shop.example", "cs_2") // in whose place strangers are
		cancel()
		if err := <-ended; err != nil || len(written()) != 1+maxRefusals {
			t.Errorf("%d were written at the end, %v; want %d", len(written()), err, 1+maxRefusals)
		}
		if !slices.Contains(written(), "https://shop.example cs_2 1") {
			t.Error("strangers have kept out a host with a session")
		}
	})
}

// A database that is away costs what was counted, and nothing else.
func TestRefusalsWriteError(t *testing.T) {
	l := NewRefusals(func(context.Context, string, string, int) error { return errors.New("away") },
		nil)
	l.Add("https://a.example", "")
	l.Flush(t.Context())
	fortest.Equal(t, len(l.list), 0, "are kept")
}
