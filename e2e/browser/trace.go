package browser

import (
	"cmp"
	"context"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"time"
)

// Trace is what a browser did.
type Trace struct {
	events []traceEvent // by time
	raw    []json.RawMessage
}

// traceEvent is what this package reads of Chromium's trace events. Times are microseconds.
type traceEvent struct {
	Name     string
	TS, Dur  float64
	PID, TID int
	Args     struct {
		Data struct {
			RequestID, URL    string
			EncodedDataLength float64
		}
	}
}

// Trace records what the browser does until end, in all its pages. Without detail these are tasks
// and marks of scripts only, which hardly slows it down.
func (p *Page) Trace(detail bool) (end func() *Trace) {
	p.tb.Helper()
	t := &Trace{} // belongs to the reading goroutine until done is closed
	done := make(chan struct{})
	p.process.listen("", func(method string, params json.RawMessage) {
		switch method {
		case "Tracing.dataCollected":
			var got struct{ Value []json.RawMessage }
			_ = json.Unmarshal(params, &got)
			t.raw = append(t.raw, got.Value...)
		case "Tracing.tracingComplete":
			close(done)
		}
	})
	call := func(method string, params object) {
		ctx, cancel := context.WithTimeout(context.Background(), p.options.Patience)
		defer cancel()
		if err := p.process.call(ctx, "", method, params, nil); err != nil {
			p.fail("tracing", err)
		}
	}
	categories := []string{"toplevel", "blink.user_timing"}
	if detail {
		categories = append(categories, "loading",
			"devtools.timeline", "disabled-by-default-devtools.timeline")
	}

	call("Tracing.start", object{"traceConfig": object{"includedCategories": categories}})
	return func() *Trace {
		p.tb.Helper()
		call("Tracing.end", object{})
		<-done
		p.process.forget("")
		for _, raw := range t.raw {
			var e traceEvent
			if json.Unmarshal(raw, &e) == nil { // others have arguments of other kinds
				t.events = append(t.events, e)
			}
		}

		slices.SortStableFunc(t.events, func(a, b traceEvent) int { return cmp.Compare(a.TS, b.TS) })
		return t
	}
}

// Write writes a file for the Performance panel of Chromium's developer tools.
func (t *Trace) Write(path string) error {
	raw, err := json.Marshal(object{"traceEvents": t.raw})
	if err != nil {
		return err
	}
	return os.WriteFile(path, raw, 0o644)
}

// until returns the index of a script's mark, 0 if there is none.
func (t *Trace) until(mark string) int {
	return max(0, slices.IndexFunc(t.events, func(e traceEvent) bool { return e.Name == mark }))
}

// Blocking is how much longer than 50 ms the tasks took that began before a script made that mark,
// on the main thread where it did.
func (t *Trace) Blocking(mark string) (sum time.Duration) {
	at := t.until(mark)
	for _, e := range t.events[:at] {
		same := e.PID == t.events[at].PID && e.TID == t.events[at].TID
		if same && e.Name == "ThreadControllerImpl::RunTask" {
			sum += max(0, time.Duration(e.Dur)*time.Microsecond-50*time.Millisecond)
		}
	}
	return sum
}

// Requested returns the URLs that servers were asked for until a mark, and the bytes of the answers
// with their headers.
func (t *Trace) Requested(mark string) map[string]int {
	bytes := map[string]int{}
	urls := map[string]string{}
	at := t.until(mark)
	for i, e := range t.events {
		data := e.Args.Data
		if i < at && e.Name == "ResourceSendRequest" && strings.HasPrefix(data.URL, "http") {
			urls[data.RequestID] = data.URL
		}
		url := urls[data.RequestID]
		if url != "" && e.Name == "ResourceFinish" && data.EncodedDataLength > 0 { // 0: from the cache
			bytes[url] += int(data.EncodedDataLength)
		}
	}

	return bytes
}
