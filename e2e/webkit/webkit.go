// Package webkit drives a real WebKit, which is the engine of Safari, in end-to-end tests: the
// MiniBrowser of WebKitGTK on Xvfb, a display without a screen. Package e2e/browser, which drives
// Chromium, is the fuller one.
//
// WebKitGTK speaks W3C WebDriver (https://www.w3.org/TR/webdriver2/) and not yet BiDi, in which
// Firefox is driven. The few commands that tests need are sent here, because no Go client of
// WebDriver is maintained.
package webkit

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/e2e/child"
	"coinslot/e2e/need"
	"coinslot/e2e/view"
)

// Options are settings of a browser, in its environment and on its command line. The zero value
// stores as Safari does: frames of other sites have no cookies.
type Options struct{ Env, Args []string }

// Restricted is a browser without WebAssembly, localStorage and cookies.
//
// Sources: JavaScriptCore's OptionsList.h; MiniBrowser --help.
var Restricted = Options{
	Env:  []string{"JSC_useWasm=0"},
	Args: []string{"--features=!LocalStorage", "--cookies-policy=never"},
}

// Phone is a browser that says that it is a phone's.
//
// Source: MiniBrowser --help.
var Phone = Options{Args: []string{
	"--user-agent=Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 " +
		"(KHTML, like Gecko) Version/26.0 Mobile/15E148 Safari/604.1",
}}

// Browser is a WebKit with one window, so tall that nothing in it has to be scrolled: the driver
// misses what is in a frame of a page that is scrolled.
type Browser struct {
	tb      testing.TB
	session string // address
}

// object is the parameters of one command, by the protocol's own names.
type object map[string]any

// Start starts a WebKit with a new profile and stops it when t ends.
func Start(t testing.TB, o Options) *Browser {
	t.Helper()
	driver, port := need.Server(t, "WebKitWebDriver"), fortest.FreePort(t)
	cmd := exec.Command(driver, "--host=127.0.0.1", "--port="+port)
	cmd.Env = append(os.Environ(), "DISPLAY="+display(t), "HOME="+t.TempDir(), "NO_AT_BRIDGE=1")
	cmd.Env = append(cmd.Env, o.Env...)
	cmd.Stdout = &fortest.Log{} // so that the end of all processes that write there is waited for
	run(t, cmd)
	b := &Browser{tb: t, session: "http://127.0.0.1:" + port}
	var status struct{ Ready bool }
	fortest.Within(t, view.Patience, "WebKitWebDriver to answer", func() bool {
		return b.try("GET", "/status", nil, &status) == nil && status.Ready
	})
	var made struct {
		SessionID    string
		Capabilities struct{ BrowserVersion string }
	}
	b.call("POST", "/session", object{"capabilities": object{"alwaysMatch": object{
		"webkitgtk:browserOptions": object{"binary": miniBrowser(t), "args": append([]string{"--automation"}, o.Args...)},
	}}}, &made)
	b.session += "/session/" + made.SessionID
	t.Logf("WebKitGTK %s", made.Capabilities.BrowserVersion)
	b.call("POST", "/window/rect", object{"width": screenWidth, "height": screenHeight}, nil)
	return b
}

const screenWidth, screenHeight = 1280, 2400

// run starts a command that ends with t.
func run(t testing.TB, cmd *exec.Cmd) {
	t.Helper()
	child.Tie(cmd)
	fortest.OK(t, cmd.Start())
	t.Cleanup(func() { child.End(cmd) })
}

// display starts an X server on a display that is free and returns its name.
func display(t testing.TB) string {
	t.Helper()
	announced, theirs, err := os.Pipe()
	fortest.OK(t, err)
	defer announced.Close()
	cmd := exec.Command(need.Server(t, "Xvfb"), "-displayfd", "3", "-nolisten", "tcp",
		"-screen", "0", fmt.Sprintf("%dx%dx24", screenWidth, screenHeight))
	cmd.ExtraFiles = []*os.File{theirs}
	run(t, cmd)
	theirs.Close()
	number, err := bufio.NewReader(announced).ReadString('\n')
	fortest.OK(t, err)
	return ":" + number[:len(number)-1]
}

// miniBrowser is the path of the browser, which comes with the library.
func miniBrowser(t testing.TB) string {
	t.Helper()
	found := fortest.Must(filepath.Glob("/usr/lib/*/webkit2gtk-4.1/MiniBrowser"))(t)
	if len(found) == 0 {
		need.Tool(t, need.Missing("MiniBrowser", "install-all"))
	}
	return found[0]
}

// try sends a command and decodes its result into out, unless that is nil.
func (b *Browser) try(method, path string, params object, out any) error {
	body, err := json.Marshal(params)
	if err != nil {
		return err
	}
	req, err := http.NewRequest(method, b.session+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	client := http.Client{Timeout: view.Patience}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	var answer struct{ Value json.RawMessage }
	err = json.NewDecoder(resp.Body).Decode(&answer)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s %s: %s", method, path, answer.Value)
	}
	if err != nil || out == nil {
		return err
	}
	return json.Unmarshal(answer.Value, out)
}

// call is try for what must go.
func (b *Browser) call(method, path string, params object, out any) {
	b.tb.Helper()
	fortest.OK(b.tb, b.try(method, path, params, out))
}

// Open opens url in the window and waits for its load event.
func (b *Browser) Open(url string) *view.View {
	b.tb.Helper()
	fortest.OK(b.tb, b.enter(""))
	b.call("POST", "/url", object{"url": url}, nil)
	return view.New(b.tb, b, "")
}

// Windows is the number of windows and tabs.
func (b *Browser) Windows() int {
	b.tb.Helper()
	var handles []string
	b.call("GET", "/window/handles", nil, &handles)
	return len(handles)
}

// Reload reloads the page.
func (b *Browser) Reload() { b.tb.Helper(); b.call("POST", "/refresh", object{}, nil) }

// Back goes to the page before.
func (b *Browser) Back() { b.tb.Helper(); b.call("POST", "/back", object{}, nil) }

// frame is a script: the element of the frame of a name, also in open shadow trees.
func frame(name string) string {
	return fmt.Sprintf(`((find = root => root.querySelector('iframe[name=%q]') ??
		[...root.querySelectorAll('*')].map(e => e.shadowRoot && find(e.shadowRoot)).find(Boolean)) => find(document))()`, name)
}

// enter makes a document the one of the commands that follow. It is done each time: what a frame
// shows may have been left meanwhile.
func (b *Browser) enter(name string) error {
	if err := b.try("POST", "/frame", object{"id": nil}, nil); err != nil || name == "" {
		return err
	}
	e, err := b.element(frame(name))
	if err != nil {
		return err
	}
	return b.try("POST", "/frame", object{"id": object{elementKey: e}}, nil)
}

// run decodes what an expression, or the promise of it, comes to.
func (b *Browser) run(js string, out any) error {
	return b.try("POST", "/execute/sync", object{"script": "return " + js, "args": []any{}}, out)
}

// element returns the id of the element that an expression comes to.
func (b *Browser) element(js string) (string, error) {
	var e map[string]string
	err := b.run(js, &e)
	if err == nil && e[elementKey] == "" {
		err = errors.New("there is none that keeps still")
	}
	return e[elementKey], err
}

// elementKey is the member that holds the id of an element.
//
// Source: https://www.w3.org/TR/webdriver2/#elements.
const elementKey = "element-6066-11e4-a52e-4f735466cecf"

// Evaluate implements view.Browser.
func (b *Browser) Evaluate(_, frame, js string) (text string, err error) {
	if err = b.enter(frame); err == nil {
		err = b.run(js, &text)
	}
	return text, err
}

// Press implements view.Browser. The frame that the element is in has to keep still, too.
func (b *Browser) Press(_, name, js string) error {
	err := b.enter("")
	if err == nil && name != "" {
		_, err = b.element(view.Still + "(" + frame(name) + ")")
	}
	if err == nil {
		err = b.enter(name)
	}
	if err != nil {
		return err
	}
	e, err := b.element(js)
	if err != nil {
		return err
	}
	return b.try("POST", "/element/"+e+"/click", object{}, nil)
}

// Type types keys, of which [Paste] are some, into an element of the page.
func (b *Browser) Type(css, keys string) {
	b.tb.Helper()
	fortest.OK(b.tb, b.enter(""))
	e := fortest.Must(b.element(fmt.Sprintf("document.querySelector(%q)", css)))(b.tb)
	b.call("POST", "/element/"+e+"/value", object{"text": keys}, nil)
}

// Paste are the keys that paste: Control down, V, Control up.
//
// Source: https://www.w3.org/TR/webdriver2/#keyboard-actions.
const Paste = "\ue009v\ue009"

// Picture implements view.Browser.
func (b *Browser) Picture(string) (png []byte, err error) {
	return png, b.try("GET", "/screenshot", nil, &png)
}

// Console implements view.Browser: the driver tells nothing of it.
func (b *Browser) Console() []string { return nil }
