package browser

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// traceEvent is what this package reads of Chromium's trace events. Times are microseconds.
type traceEvent struct {
	Name, Ph string
	TS, Dur  float64
	PID, TID int
	children float64 // microseconds of the events in it
	within   int     // index of the task that it is part of; its own in a task
	Args     struct {
		Name string
		Data struct {
			RequestID, URL, Protocol, DocumentLoaderURL, FunctionName string
			FromCache                                                 bool
			EncodedDataLength                                         float64
			Timing                                                    *struct{ RequestTime, ConnectStart, SSLStart, SendStart, ReceiveHeadersEnd float64 }
		}
	}
}

// Trace is what a browser did.
type Trace struct {
	events []traceEvent // by time
	tasks  map[int]bool // indexes of those that are a task of a main thread
}

// Trace records what the browser does until end. Without detail only tasks and marks are recorded,
// which hardly slows it down.
func (p *Page) Trace(detail bool) (end func() *Trace) {
	p.tb.Helper()
	var events []traceEvent // until done is closed, of the reading goroutine
	done := make(chan struct{})
	p.process.listen("", func(method string, params json.RawMessage) {
		var got struct{ Value []json.RawMessage }
		switch method {
		case "Tracing.dataCollected":
			_ = json.Unmarshal(params, &got)
			for _, raw := range got.Value {
				var e traceEvent
				if json.Unmarshal(raw, &e) == nil { // others have arguments of other kinds
					events = append(events, e)
				}
			}
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
		categories = append(categories, "devtools.timeline", "disabled-by-default-devtools.timeline", "loading")
	}
	call("Tracing.start", object{"traceConfig": object{"includedCategories": categories}})
	return func() *Trace {
		p.tb.Helper()
		call("Tracing.end", object{})
		<-done
		p.process.forget("")
		return newTrace(events)
	}
}

// newTrace sorts events and finds the tasks.
func newTrace(events []traceEvent) *Trace {
	slices.SortStableFunc(events, func(a, b traceEvent) int { return cmp.Or(cmp.Compare(a.TS, b.TS), cmp.Compare(b.Dur, a.Dur)) })
	mains := map[int]int{}
	for _, e := range events {
		if e.Name == "thread_name" && e.Args.Name == "CrRendererMain" {
			mains[e.PID] = e.TID
		}
	}
	open := map[int][]int{} // by process
	tasks := map[int]bool{}
	for i := range events {
		e := &events[i]
		if e.Ph != "X" || mains[e.PID] != e.TID {
			continue
		}
		above := open[e.PID]
		for len(above) > 0 && events[above[len(above)-1]].TS+events[above[len(above)-1]].Dur <= e.TS {
			above = above[:len(above)-1]
		}
		e.within = i
		if len(above) > 0 {
			events[above[len(above)-1]].children += e.Dur
			e.within = above[0]
		}
		tasks[e.within] = true
		open[e.PID] = append(above, i)
	}
	return &Trace{events, tasks}
}

// Blocking is how much longer than 50 ms the tasks took that began before a script made that mark,
// on the main thread where it did.
func (t *Trace) Blocking(mark string) (sum time.Duration) {
	at := slices.IndexFunc(t.events, func(e traceEvent) bool { return e.Name == mark })
	for i := range max(at, 0) {
		if e := t.events[i]; t.tasks[i] && e.PID == t.events[at].PID {
			sum += max(0, time.Duration(e.Dur)*time.Microsecond-50*time.Millisecond)
		}
	}
	return sum
}

// String lists requests, with the connections made for them, marks, and the tasks that took at
// least 20 ms, all in ms since the first navigation.
func (t *Trace) String() string {
	began, hosts := 0.0, map[int]string{}
	lines := map[float64]string{}
	sent, answered := map[string]traceEvent{}, map[string]traceEvent{}
	since := func(ts float64) float64 { return (ts - began) / 1000 }
	for _, e := range t.events {
		data := e.Args.Data
		switch e.Name {
		case "navigationStart":
			if began == 0 && strings.HasPrefix(data.DocumentLoaderURL, "http") {
				began = e.TS
			}
		case "CommitLoad":
			if strings.HasPrefix(data.URL, "http") {
				hosts[e.PID] += " " + host(data.URL)
			}
		case "usable", "live", "firstContentfulPaint":
			lines[e.TS] = fmt.Sprintf("%6.0f ms  %s (process %d)", since(e.TS), e.Name, e.PID)
		case "ResourceSendRequest":
			sent[data.RequestID] = e
		case "ResourceReceiveResponse":
			answered[data.RequestID] = e
		case "ResourceFinish":
			if was, ok := answered[data.RequestID]; ok && hosts[was.PID] != "" {
				lines[sent[data.RequestID].TS] = request(sent[data.RequestID], was, e, since)
			}
		}
	}
	for i := range t.tasks {
		if e := t.events[i]; e.Dur >= 20_000 && hosts[e.PID] != "" { // the browser's own pages have no host
			lines[e.TS] = fmt.Sprintf("%6.0f ms  task of %3.0f ms (process %d):%s", since(e.TS), e.Dur/1000, e.PID, t.inside(i))
		}
	}
	var text strings.Builder
	for _, pid := range slices.Sorted(maps.Keys(hosts)) {
		fmt.Fprintf(&text, "process %d: %s\n", pid, strings.TrimSpace(hosts[pid]))
	}
	for _, at := range slices.Sorted(maps.Keys(lines)) {
		fmt.Fprintln(&text, lines[at])
	}
	return text.String()
}

func host(url string) string {
	_, rest, _ := strings.Cut(url, "://")
	name, _, _ := strings.Cut(rest, "/")
	return name
}

// request describes one by its three events.
func request(sent, answer, end traceEvent, since func(float64) float64) string {
	data, when := answer.Args.Data, ""
	if t := data.Timing; t != nil && !data.FromCache {
		at := func(name string, ms float64) {
			if ms >= 0 {
				when += fmt.Sprintf("%s %.0f, ", name, since(t.RequestTime*1e6+ms*1000))
			}
		}
		at("dial", t.ConnectStart)
		at("TLS", t.SSLStart)
		at("sent", t.SendStart)
		at("first byte", t.ReceiveHeadersEnd)
	}
	if data.FromCache {
		when = "from the cache, "
	}
	return fmt.Sprintf("%6.0f ms  %s (process %d): %slast byte %.0f, %.0f bytes, %s", since(sent.TS), sent.Args.Data.URL, sent.PID,
		when, since(end.TS), end.Args.Data.EncodedDataLength, data.Protocol)
}

// inside lists what a task did itself by name, most first, in ms.
func (t *Trace) inside(task int) string {
	spent := map[string]float64{}
	for _, e := range t.events[task:] {
		if e.Ph == "X" && e.within == task && e.PID == t.events[task].PID {
			name := e.Name + " " + e.Args.Data.FunctionName
			if at := strings.LastIndexByte(e.Args.Data.URL, '/'); at >= 0 {
				name += " " + e.Args.Data.URL[at+1:]
			}
			spent[strings.TrimSpace(name)] += (e.Dur - e.children) / 1000
		}
	}
	text := ""
	for _, name := range slices.SortedFunc(maps.Keys(spent), func(a, b string) int { return cmp.Compare(spent[b], spent[a]) }) {
		if spent[name] >= 2 {
			text += fmt.Sprintf(" %s %.0f,", name, spent[name])
		}
	}
	return strings.TrimSuffix(text, ",")
}
