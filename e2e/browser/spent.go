package browser

import (
	"context"
	"time"
)

// Spent is processor time of a page's main thread. What is part of a task is in Tasks as well.
type Spent struct {
	Tasks   time.Duration // all of them
	Scripts time.Duration // JavaScript and WebAssembly
	Styles  time.Duration // finding out which rules hold
	Layouts time.Duration
}

// Spent returns how long the main thread of the page's process has worked so far, in
// processor time: what else the computer does meanwhile is not counted. Frames of
// other sites work in processes of their own.
func (p *Page) Spent() Spent {
	p.tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), p.options.Patience)
	defer cancel()
	var got struct {
		Metrics []struct {
			Name  string
			Value float64 // seconds
		}
	}
	if err := p.call(ctx, "Performance.enable", object{"timeDomain": "threadTicks"}, nil); err != nil {
		p.fail("measuring the page", err)
	}
	if err := p.call(ctx, "Performance.getMetrics", object{}, &got); err != nil {
		p.fail("measuring the page", err)
	}
	seconds := map[string]time.Duration{}
	for _, m := range got.Metrics {
		seconds[m.Name] = time.Duration(m.Value * float64(time.Second))
	}
	return Spent{seconds["TaskDuration"], seconds["ScriptDuration"], seconds["RecalcStyleDuration"], seconds["LayoutDuration"]}
}

// Since is what was spent after before.
func (s Spent) Since(before Spent) Spent {
	return Spent{s.Tasks - before.Tasks, s.Scripts - before.Scripts, s.Styles - before.Styles, s.Layouts - before.Layouts}
}
