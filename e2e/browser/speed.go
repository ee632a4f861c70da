package browser

import (
	"context"
	"maps"
	"slices"
)

// Slow makes the page's processes, and those of frames that come, as many times
// slowdown as factor says; 1 is their own speed.
func (p *Page) Slow(factor float64) {
	p.tb.Helper()
	p.mu.Lock()
	p.slow = factor
	ids := slices.Collect(maps.Keys(p.sessions))
	p.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), p.options.Patience)
	defer cancel()
	for _, id := range ids {
		err := p.process.call(ctx, id, "Emulation.setCPUThrottlingRate", object{"rate": factor}, nil)
		if err != nil && id == p.session {
			p.fail("slowing the page down", err)
		}
	}
}
