// Package firefox drives a real Firefox in end-to-end tests: enough of it to
// open a page, look, click and read what was complained of, by package view.
// Package e2e/browser, which drives Chromium, is the fuller one.
//
// As there, nothing returns an error: what cannot be done fails the test after
// waiting for it. The package speaks WebDriver BiDi (https://w3c.github.io/webdriver-bidi/)
// over the socket that Firefox opens by itself; no other program is needed.
package firefox

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/e2e/child"
	"coinslot/e2e/need"
	"coinslot/e2e/view"
)

const executable = "/usr/bin/firefox-esr"

// Cookies says what frames of another site may keep. The zero value is
// Firefox's own: storage of their own for each site they are shown in.
//
// Source: https://searchfox.org, nsICookieService.idl.
type Cookies int

// What may be kept.
const (
	Partitioned Cookies = 0
	Refused     Cookies = 1 // looking at localStorage throws
)

// Phone is the name of a phone's Firefox.
const Phone = "Mozilla/5.0 (Android 16; Mobile; rv:145.0) Gecko/145.0 Firefox/145.0"

// settings is a profile that makes no request on its own account.
func settings(c Cookies) string {
	behaviour := 5
	if c == Refused {
		behaviour = 1
	}

	return fmt.Sprintf(`user_pref("network.cookie.cookieBehavior", %d);
user_pref("app.update.enabled", false);
user_pref("browser.safebrowsing.downloads.enabled", false);
user_pref("browser.safebrowsing.malware.enabled", false);
user_pref("browser.safebrowsing.phishing.enabled", false);
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("browser.startup.page", 0);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("extensions.update.enabled", false);
user_pref("network.captive-portal-service.enabled", false);
user_pref("network.connectivity-service.enabled", false);
user_pref("network.dns.disablePrefetch", true);
user_pref("network.proxy.type", 0);
user_pref("services.settings.server", "data:,none");
user_pref("toolkit.telemetry.enabled", false);
`, behaviour)
}

// Start starts a Firefox with a new profile and stops it when t ends.
func Start(t testing.TB, c Cookies) *Browser {
	t.Helper()
	return start(t, settings(c))
}

// StartPhone starts a Firefox that says that it is a phone's.
func StartPhone(t testing.TB) *Browser {
	t.Helper()
	const name = "user_pref(%q, %q);\n"
	return start(t, settings(Partitioned)+fmt.Sprintf(name, "general.useragent.override", Phone))
}

// start starts a Firefox with a profile of those settings.
func start(t testing.TB, settings string) *Browser {
	t.Helper()
	need.Long(t, "it drives a browser")
	if _, err := os.Stat(executable); err != nil {
		need.Tool(t, need.Missing("Firefox", "install-all"))
	}

	home := t.TempDir()
	profile := filepath.Join(home, "profile")
	fortest.OK(t, os.MkdirAll(profile, 0o700))
	fortest.OK(t, os.WriteFile(filepath.Join(profile, "user.js"), []byte(settings), 0o600))
	cmd := exec.Command(executable, "--headless", "--no-remote", "--profile", profile, "--remote-debugging-port=0")
	cmd.Env = append(os.Environ(), "HOME="+home, "MOZ_CRASHREPORTER_DISABLE=1")
	child.Tie(cmd)
	said := fortest.Must(cmd.StderrPipe())(t)
	if err := cmd.Start(); err != nil {
		t.Fatalf("starting %s: %v", executable, err)
	}

	t.Cleanup(func() { child.End(cmd) })
	b := &Browser{tb: t, conn: dial(t, announced(t, said))}
	t.Cleanup(b.conn.close)
	b.conn.call(t, "session.new", object{"capabilities": object{}}, nil)
	b.conn.call(t, "session.subscribe", object{"events": []string{"log.entryAdded", "network.beforeRequestSent"}}, nil)
	return b
}

// announced returns the address that Firefox prints once it listens, and goes on
// reading so that it never waits for a reader.
func announced(t testing.TB, said io.Reader) string {
	t.Helper()
	address := make(chan string, 1)
	go func() {
		defer close(address)
		lines := bufio.NewScanner(said)
		for lines.Scan() {
			_, url, found := strings.Cut(lines.Text(), "WebDriver BiDi listening on ")
			if found {
				address <- url
				break
			}
		}
		_, _ = io.Copy(io.Discard, said)
	}()
	select {
	case url, ok := <-address:
		if !ok {
			t.Fatal("starting Firefox: it ended without a word of where it listens")
		}
		return url
	case <-time.After(view.Patience):
		t.Fatal("starting Firefox: it does not listen")
	}

	return ""
}
