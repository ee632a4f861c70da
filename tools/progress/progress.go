// Package progress prints the steps of a long command.
package progress

import (
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// interval is the pause between two progress lines of a step.
const interval = 10 * time.Second

// Printer prints a line when a step starts, every ten seconds, and at its end. Several steps may
// run at once.
type Printer struct {
	mu  sync.Mutex // guards out
	out io.Writer
}

// New returns a printer to out.
func New(out io.Writer) *Printer { return &Printer{out: out} }

// Line prints one line of a step.
func (p *Printer) Line(step, text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	fmt.Fprintf(p.out, "  %-8s  %s\n", step, text)
}

// Step runs do and prints its progress. do reports its state by note and returns a short result.
// Step returns do's error without printing it.
func (p *Printer) Step(name, doing string, do func(note func(string)) (string, error)) error {
	p.Line(name, doing)
	var last atomic.Value // string
	last.Store("")
	started := time.Now()
	done := make(chan struct{})
	go func() {
		ticker := time.NewTicker(interval)
		defer ticker.Stop()
		for {
			select {
			case <-done:
				return
			case <-ticker.C:
				took := seconds(time.Since(started))
				p.Line(name, fmt.Sprintf("… %s (%s so far)", last.Load(), took))
			}
		}
	}()
	result, err := do(func(text string) { last.Store(text) })
	close(done)
	if err != nil {
		return err
	}

	p.Line(name, fmt.Sprintf("✓ %s, %s", result, seconds(time.Since(started))))
	return nil
}

// seconds formats a duration with a tenth of a second, like 12.3 s.
func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }
