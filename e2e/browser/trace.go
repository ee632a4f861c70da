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

// Trace is what a browser did, by time.
type Trace []traceEvent

// traceEvent is what this package reads of Chromium's trace events. Times are microseconds.
type traceEvent struct {
	Name, Ph string
	TS, Dur  float64
	PID, TID int
	children float64 // microseconds of the events in it
	task     int     // index of the main thread's task that it is part of, or is; -1 = none
	Args     struct {
		Name string
		Data struct {
			RequestID, URL, DocumentLoaderURL, FunctionName string
			EncodedDataLength                               float64
			Timing                                          struct {
				RequestTime, ConnectStart, SSLStart, SendStart, ReceiveHeadersEnd float64 // s; ms since, -1 = none
			}
		}
	}
}

// Trace records what the browser does until end, in all its pages. Without detail these are tasks and marks of
// scripts only, which hardly slows it down.
func (p *Page) Trace(detail bool) (end func() Trace) {
	p.tb.Helper()
	var t Trace // of the reading goroutine until done is closed
	done := make(chan struct{})
	p.process.listen("", func(method string, params json.RawMessage) {
		var got struct{ Value []json.RawMessage }
		if _ = json.Unmarshal(params, &got); method == "Tracing.tracingComplete" {
			close(done)
		}
		for _, raw := range got.Value {
			e := traceEvent{task: -1}
			if json.Unmarshal(raw, &e) == nil { // others have arguments of other kinds
				t = append(t, e)
			}
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
	return func() Trace {
		p.tb.Helper()
		call("Tracing.end", object{})
		<-done
		p.process.forget("")
		t.nest()
		return t
	}
}

// nest sorts the events and finds the tasks of main threads.
func (t Trace) nest() {
	slices.SortStableFunc(t, func(a, b traceEvent) int { return cmp.Or(cmp.Compare(a.TS, b.TS), cmp.Compare(b.Dur, a.Dur)) })
	mains, open := map[int]int{}, map[int][]int{} // by process: thread, events that have not ended
	for _, e := range t {
		if e.Args.Name == "CrRendererMain" {
			mains[e.PID] = e.TID
		}
	}
	for i := range t {
		e := &t[i]
		if e.Ph != "X" || mains[e.PID] != e.TID {
			continue
		}
		above := open[e.PID]
		for len(above) > 0 && t[above[len(above)-1]].TS+t[above[len(above)-1]].Dur <= e.TS {
			above = above[:len(above)-1]
		}
		if e.task = i; len(above) > 0 {
			t[above[len(above)-1]].children += e.Dur
			e.task = above[0]
		}
		open[e.PID] = append(above, i)
	}
}

// until returns the index of a script's mark, 0 if there is none.
func (t Trace) until(mark string) int {
	return max(0, slices.IndexFunc(t, func(e traceEvent) bool { return e.Name == mark }))
}

// Blocking is how much longer than 50 ms the tasks took that began before a script made that mark,
// on the main thread where it did.
func (t Trace) Blocking(mark string) (sum time.Duration) {
	at := t.until(mark)
	for i, e := range t[:at] {
		if e.task == i && e.PID == t[at].PID {
			sum += max(0, time.Duration(e.Dur)*time.Microsecond-50*time.Millisecond)
		}
	}
	return sum
}

// Requested returns the URLs that servers were asked for until a mark, and the bytes of the answers
// with their headers.
func (t Trace) Requested(mark string) map[string]int {
	bytes, urls := map[string]int{}, map[string]string{}
	at := t.until(mark)
	for i, e := range t {
		data := e.Args.Data
		if i < at && e.Name == "ResourceSendRequest" && strings.HasPrefix(data.URL, "http") {
			urls[data.RequestID] = data.URL
		}
		if data.EncodedDataLength > 0 && e.Name == "ResourceFinish" && urls[data.RequestID] != "" { // 0: from the cache
			bytes[urls[data.RequestID]] += int(data.EncodedDataLength)
		}
	}
	return bytes
}

// String lists requests, with the connections made for them, marks, and tasks of at least 20 ms,
// in ms since the first navigation.
func (t Trace) String() string {
	began, visited := 0.0, map[int]bool{} // processes with pages of the internet
	lines, sent := map[float64]string{}, map[string]float64{}
	say := func(at float64, e traceEvent, format string, args ...any) {
		lines[at] += fmt.Sprintf("\n%6.0f ms, process %d: ", (at-began)/1000, e.PID) + fmt.Sprintf(format, args...)
	}
	for i, e := range t {
		data := e.Args.Data
		asked := sent[data.RequestID]
		switch {
		case e.Name == "navigationStart" && began == 0 && strings.HasPrefix(data.DocumentLoaderURL, "http"):
			began = e.TS
		case e.Name == "CommitLoad" && strings.HasPrefix(data.URL, "http"):
			visited[e.PID] = true
		case e.Name == "ResourceSendRequest" && strings.HasPrefix(data.URL, "http"):
			sent[data.RequestID] = e.TS
			say(e.TS, e, "asks for %s", data.URL)
		case e.Name == "ResourceReceiveResponse" && asked > 0 && data.Timing.RequestTime > 0:
			at := func(ms float64) float64 { return (data.Timing.RequestTime*1000 + ms - began/1000) * min(1, ms+1) }
			lines[asked] += fmt.Sprintf(", dial %.0f, TLS %.0f, sent %.0f, first byte %.0f", at(data.Timing.ConnectStart),
				at(data.Timing.SSLStart), at(data.Timing.SendStart), at(data.Timing.ReceiveHeadersEnd))
		case e.Name == "ResourceFinish" && asked > 0:
			lines[asked] += fmt.Sprintf(", last byte %.0f, %.0f bytes", (e.TS-began)/1000, data.EncodedDataLength)
		case !visited[e.PID]:
		case slices.Contains([]string{"usable", "live", "firstContentfulPaint"}, e.Name):
			say(e.TS, e, "%s", e.Name)
		case e.task == i && e.Dur >= 20_000:
			say(e.TS, e, "task of %.0f ms:%s", e.Dur/1000, t.inside(i))
		}
	}
	var text strings.Builder
	for _, at := range slices.Sorted(maps.Keys(lines)) {
		text.WriteString(lines[at])
	}
	return text.String()
}

// inside lists what a task did itself by name, most first, in ms.
func (t Trace) inside(task int) (text string) {
	spent := map[string]float64{}
	for _, e := range t[task:] {
		if e.task == task {
			name := e.Name + " " + e.Args.Data.FunctionName + " " + e.Args.Data.URL[strings.LastIndexByte(e.Args.Data.URL, '/')+1:]
			spent[name] += (e.Dur - e.children) / 1000
		}
	}
	for _, name := range slices.SortedFunc(maps.Keys(spent), func(a, b string) int { return cmp.Compare(spent[b], spent[a]) }) {
		if spent[name] >= 2 {
			text += fmt.Sprintf(" %.0f %s", spent[name], name)
		}
	}
	return text
}
