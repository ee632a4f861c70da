package main

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// noteEvery is how often a long step says how far it is.
const noteEvery = 10 * time.Second

// progress prints what the build does: a line when a step starts, one each ten seconds while it
// lasts, and one with its result and duration.
type progress struct {
	mu  sync.Mutex // guards out
	out io.Writer
}

func newProgress(out io.Writer) *progress { return &progress{out: out} }

// line prints one line of a step.
func (p *progress) line(step, text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	fmt.Fprintf(p.out, "  %-8s  %s\n", step, text)
}

// step runs do and prints its progress. do calls note with how far it is, as often as it likes,
// and returns its result in a few words.
func (p *progress) step(name, doing string, do func(note func(string)) (string, error)) error {
	p.line(name, doing)
	var mu sync.Mutex // guards last
	var last string
	started, done := time.Now(), make(chan struct{})
	go func() {
		ticker := time.NewTicker(noteEvery)
		defer ticker.Stop()
		for {
			select {
			case <-done:
				return
			case <-ticker.C:
				mu.Lock()
				p.line(name, fmt.Sprintf("… %s (%s so far)", last, seconds(time.Since(started))))
				mu.Unlock()
			}
		}
	}()
	result, err := do(func(text string) {
		mu.Lock()
		defer mu.Unlock()
		last = text
	})
	close(done)
	if err != nil {
		return err
	}
	p.line(name, fmt.Sprintf("✓ %s, %s", result, seconds(time.Since(started))))
	return nil
}

// seconds formats a duration with a tenth of a second, like 12.3 s.
func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }
