package browser

import (
	"encoding/json"
	"fmt"
	"strings"
)

// session is the connection to one process's part of a page: the page itself, a
// frame of another site with the frames of that site in it, or a worker.
type session struct {
	id, target, kind string
	worlds           map[string]int // the page's own script contexts, by frame id; guarded by Page.mu
}

// documents reports whether the session has frames, not just a worker's script.
func (s *session) documents() bool { return s.kind == "page" || s.kind == "iframe" }

// attach takes a new session in. It runs before any script of its target: new
// targets are held until the last command below.
func (p *Page) attach(id, target, kind string) {
	s := &session{
		id:     id,
		target: target,
		kind:   kind,
		worlds: map[string]int{},
	}
	p.mu.Lock()
	p.sessions[id] = s
	offline := p.offline
	slow := p.slow
	p.mu.Unlock()
	p.process.listen(id, func(method string, params json.RawMessage) { p.handleEvent(s, method, params) })

	p.post(s, "Target.setAutoAttach", object{"autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true})
	p.post(s, "Network.enable", object{})
	if len(p.options.BlockURLs) > 0 {
		p.post(s, "Network.setBlockedURLs", object{"urls": p.options.BlockURLs})
	}
	if offline {
		p.post(s, "Network.emulateNetworkConditions", network(true))
	}

	p.post(s, "Runtime.enable", object{})
	p.post(s, "Log.enable", object{})
	if s.documents() {
		p.post(s, "Page.enable", object{})
		p.post(s, "Page.setLifecycleEventsEnabled", object{"enabled": true})
		if p.options.Script != "" {
			p.post(s, "Page.addScriptToEvaluateOnNewDocument", object{"source": p.options.Script})
		}
		if p.options.AcceptLanguage != "" || p.options.UserAgent != "" {
			p.post(s, "Emulation.setUserAgentOverride", object{"userAgent": p.options.UserAgent, "acceptLanguage": p.options.AcceptLanguage})
		}

		p.post(s, "Emulation.setEmulatedMedia", object{"features": p.media()})
		p.post(s, "Emulation.setScriptExecutionDisabled", object{"value": p.options.NoJS})
		if slow > 0 {
			p.post(s, "Emulation.setCPUThrottlingRate", object{"rate": slow})
		}
	}

	p.post(s, "Runtime.runIfWaitingForDebugger", object{})
}

// detach forgets a session whose target ended or moved to another process.
func (p *Page) detach(id string) {
	p.mu.Lock()
	delete(p.sessions, id)
	p.mu.Unlock()
	p.process.forget(id)
}

// post sends a command without waiting; a refusal is kept for the failure
// report, except a worker's: they know only some of the commands.
func (p *Page) post(s *session, method string, params object) {
	p.process.post(s.id, method, params, func(_ json.RawMessage, err error) {
		if err != nil && s.documents() {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.refused = append(p.refused, fmt.Sprintf("%s: %v", method, err))
		}
	})
}

// media are the user's preferences that stylesheets ask for.
func (p *Page) media() []object {
	scheme := "light"
	motion := "no-preference"
	if p.options.Dark {
		scheme = "dark"
	}
	if p.options.ReducedMotion {
		motion = "reduce"
	}

	forced := "none"
	if p.options.ForcedColors {
		forced = "active"
	}

	return []object{
		{"name": "forced-colors", "value": forced},
		{"name": "prefers-color-scheme", "value": scheme},
		{"name": "prefers-reduced-motion", "value": motion},
	}
}

// network is full speed or nothing.
func network(offline bool) object {
	return object{"offline": offline, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
}

// detail is what this package reads of all events, which name things alike.
type detail struct {
	SessionID  string `json:"sessionId"`
	TargetInfo struct{ TargetID, Type string }
	Context    struct {
		ID      int
		AuxData struct {
			FrameID   string
			IsDefault bool
		}
	}
	ExecutionContextID int
	RequestID          string
	Request            struct{ URL string }
	URL                string
	Type, Message      string
	Args               []remote
	ExceptionDetails   exception
	Entry              struct{ Source, Level, Text, URL string }
	Frame              struct{ ID, LoaderID string }
	FrameID, LoaderID  string
	Name               string
}

// handled are the events that handleEvent reads. The browser sends many more with Network.enable.
var handled = map[string]bool{
	"Target.attachedToTarget":           true,
	"Target.detachedFromTarget":         true,
	"Page.javascriptDialogOpening":      true,
	"Page.frameNavigated":               true,
	"Page.lifecycleEvent":               true,
	"Runtime.executionContextCreated":   true,
	"Runtime.executionContextDestroyed": true,
	"Runtime.executionContextsCleared":  true,
	"Runtime.consoleAPICalled":          true,
	"Runtime.exceptionThrown":           true,
	"Log.entryAdded":                    true,
	"Inspector.targetCrashed":           true,
	"Network.requestWillBeSent":         true,
	"Network.webSocketCreated":          true,
}

// handleEvent takes in one event of s. It runs on the reading goroutine.
func (p *Page) handleEvent(s *session, method string, params json.RawMessage) {
	if !handled[method] {
		return
	}

	var d detail
	if err := json.Unmarshal(params, &d); err != nil {
		d.Message = err.Error()
		method = "unreadable " + method
	}

	switch method {
	case "Target.attachedToTarget":
		p.attach(d.SessionID, d.TargetInfo.TargetID, d.TargetInfo.Type)
		return
	case "Target.detachedFromTarget":
		p.detach(d.SessionID)
		return
	case "Page.javascriptDialogOpening":
		p.post(s, "Page.handleJavaScriptDialog", object{"accept": true})
	}

	p.mu.Lock()
	defer p.mu.Unlock()
	p.followWorlds(s, method, d)
	p.followLoading(method, d)
	p.record(method, d)
}

// followWorlds keeps s.worlds. p.mu is held.
func (p *Page) followWorlds(s *session, method string, d detail) {
	switch method {
	case "Runtime.executionContextCreated":
		if d.Context.AuxData.IsDefault {
			s.worlds[d.Context.AuxData.FrameID] = d.Context.ID
		}
	case "Runtime.executionContextDestroyed":
		for frame, id := range s.worlds {
			if id == d.ExecutionContextID {
				delete(s.worlds, frame)
			}
		}
	case "Runtime.executionContextsCleared":
		clear(s.worlds)
	}
}

// followLoading keeps p.documents and p.loaded. p.mu is held.
func (p *Page) followLoading(method string, d detail) {
	switch {
	case method == "Page.frameNavigated" && d.Frame.ID == p.target:
		p.documents = append(p.documents, d.Frame.LoaderID)
	case method == "Page.lifecycleEvent" && d.FrameID == p.target && d.Name == "load":
		p.loaded[d.LoaderID] = true
	}
}

// record keeps what Console and Requests tell. p.mu is held.
func (p *Page) record(method string, d detail) {
	switch method {
	case "Runtime.consoleAPICalled":
		words := make([]string, len(d.Args))
		for i, arg := range d.Args {
			words[i] = arg.String()
		}
		p.logLine(d.Type, strings.Join(words, " "))
	case "Runtime.exceptionThrown":
		p.logLine("exception", d.ExceptionDetails.Error())
	case "Log.entryAdded":
		p.logLine(d.Entry.Source, strings.TrimSpace(d.Entry.Text+" "+d.Entry.URL))
	case "Page.javascriptDialogOpening":
		p.logLine("dialog", d.Message)
	case "Inspector.targetCrashed":
		p.logLine("crash", "a process of the page crashed")
	case "Network.requestWillBeSent":
		p.logRequest(d.RequestID, d.Request.URL)
	case "Network.webSocketCreated":
		p.logRequest(d.RequestID, d.URL)
	}
	if strings.HasPrefix(method, "unreadable ") {
		p.refused = append(p.refused, method+": "+d.Message)
	}
}

func (p *Page) logLine(kind, text string) {
	p.console = append(p.console, "["+kind+"] "+text)
}

func (p *Page) logRequest(id, url string) {
	if key := id + " " + url; !p.seen[key] {
		p.seen[key] = true
		p.requests = append(p.requests, url)
	}
}
