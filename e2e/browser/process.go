package browser

import (
	"cmp"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"coinslot/e2e/child"
)

// executable is the only browser ever started, so that a test means the same everywhere.
const executable = "/usr/bin/chromium"

// process is one running Chromium with a profile of its own.
type process struct {
	*conn
	cmd     *exec.Cmd
	profile string
	files   []*os.File // our ends of the pipes
}

// Certificate returns the one that browsers of this package believe, for every host. It has no
// error for them, so what comes with it is cached as usual.
var Certificate = sync.OnceValue(func() tls.Certificate {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(fmt.Sprintf("browser: making a key: %v", err))
	}

	template := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		DNSNames:     []string{"*.test"},
		NotAfter:     time.Now().Add(24 * time.Hour),
	}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err == nil {
		template, err = x509.ParseCertificate(cert)
	}
	if err != nil {
		panic(fmt.Sprintf("browser: making a certificate: %v", err))
	}

	return tls.Certificate{Certificate: [][]byte{cert}, PrivateKey: key, Leaf: template}
})

// trusted names Certificate's key as Chromium's command line wants it.
func trusted() string {
	sum := sha256.Sum256(Certificate().Leaf.RawSubjectPublicKeyInfo)
	return base64.StdEncoding.EncodeToString(sum[:])
}

// flags are the command line. Nothing leaves the machine: names other than
// localhost and *.test do not resolve, and what Chromium does on its own account is off.
func flags(profile string, at Place) []string {
	quic := "--disable-quic"
	if len(at.QUIC) > 0 {
		quic = "--origin-to-force-quic-on=" + strings.Join(at.QUIC, ",")
	}
	return []string{
		"--user-data-dir=" + profile,
		"--remote-debugging-pipe",
		"--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--mute-audio",
		"--no-first-run", "--no-default-browser-check", "--disable-breakpad", "--disable-crash-reporter",
		"--disable-background-networking", "--disable-component-update", "--disable-sync",
		"--disable-extensions", "--disable-default-apps", quic, "--disable-popup-blocking",
		"--no-proxy-server", "--host-resolver-rules=" + cmp.Or(at.Names, "MAP *.test 127.0.0.1") +
			", MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE *.localhost, EXCLUDE 127.0.0.1, EXCLUDE [::1]",
		"--ignore-certificate-errors-spki-list=" + trusted(),
		"--password-store=basic", "--use-mock-keychain", "--lang=en-US",
		// Frames from another site live in another process, as they do for shoppers.
		"--site-per-process",
		// A page in the background keeps its timers and its animation frames.
		"--disable-background-timer-throttling", "--disable-backgrounding-occluded-windows", "--disable-renderer-backgrounding",
		// Where frames of another site may keep no cookies they may not use
		// localStorage either. Left on, these features would give them a
		// partition: the first one in Chromium 148, the second one in 156.
		//
		// A dictionary is used though no public authority has signed the certificate of tests.
		//
		// The popups of the address bar are pages themselves, one for each window,
		// loaded before anybody types there: they cost as much as a page of ours.
		"--disable-features=ThirdPartyPartitionedStorageAllowedByDefault,ThirdPartyStoragePartitioning,TrackingProtection3pcd,Translate,OptimizationHints,MediaRouter," +
			"CompressionDictionaryTransportRequireKnownRootCert," +
			"WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup",
	}
}

// settings is the profile's preference file. Mode 0 of cookie_controls_mode lets
// frames of another site keep cookies and storage, mode 1 refuses them in any
// kind of window. Left to itself Chromium decides by version and kind of window.
//
// Source: chromium components/content_settings/core/browser/cookie_settings.h, CookieControlsMode.
func settings(thirdPartyStorage bool) ([]byte, error) {
	mode := 1
	if thirdPartyStorage {
		mode = 0
	}
	return json.Marshal(object{"profile": object{
		"cookie_controls_mode":      mode,
		"block_third_party_cookies": !thirdPartyStorage,
	}})
}

// launch starts a Chromium with a new profile in the directory profile.
func launch(profile string, thirdPartyStorage bool, at Place) (*process, error) {
	prefs, err := settings(thirdPartyStorage)
	if err != nil {
		return nil, fmt.Errorf("writing profile settings: %w", err)
	}
	if err := os.MkdirAll(filepath.Join(profile, "Default"), 0o700); err != nil {
		return nil, fmt.Errorf("making profile: %w", err)
	}
	if err := os.WriteFile(filepath.Join(profile, "Default", "Preferences"), prefs, 0o600); err != nil {
		return nil, fmt.Errorf("writing profile settings: %w", err)
	}

	command := append([]string{executable}, flags(profile, at)...)
	if at.Namespace != "" {
		command = append([]string{"ip", "netns", "exec", at.Namespace}, command...)
	}
	p := &process{profile: profile, cmd: exec.Command(command[0], command[1:]...)}
	if err := p.start(); err != nil {
		_ = p.stop()
		return nil, fmt.Errorf("starting %s: %w", executable, err)
	}

	return p, nil
}

// start runs the command with commands on its descriptor 3 and replies on 4,
// and waits until it answers.
func (p *process) start() error {
	theirIn, ourOut, err := os.Pipe()
	if err != nil {
		return err
	}

	defer theirIn.Close()
	ourIn, theirOut, err := os.Pipe()
	if err != nil {
		return err
	}

	defer theirOut.Close()
	p.files = []*os.File{ourOut, ourIn}
	p.cmd.ExtraFiles = []*os.File{theirIn, theirOut}
	p.cmd.Env = append(os.Environ(), "HOME="+p.profile)
	child.Tie(p.cmd)
	if err := p.cmd.Start(); err != nil {
		return err
	}

	p.conn = newConn(ourOut, ourIn)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return p.call(ctx, "", "Browser.getVersion", nil, nil)
}

// stop kills the browser and removes its profile. Children that are still
// ending may write to it, so removing is tried for a few seconds.
func (p *process) stop() error {
	child.End(p.cmd)
	for _, f := range p.files {
		_ = f.Close()
	}

	deadline := time.Now().Add(10 * time.Second)
	for {
		err := os.RemoveAll(p.profile)
		if err == nil || time.Now().After(deadline) {
			return err
		}
		time.Sleep(pollEvery)
	}
}
