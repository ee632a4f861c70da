package e2e

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net"
	"net/http"
	"net/mail"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/e2e/child"
	"coinslot/e2e/need"
)

// wordPressFiles is where Debian's package has WordPress.
const wordPressFiles = "/usr/share/wordpress"

// The administrator of a wordPress.
const (
	wordPressUser     = "admin"
	wordPressPassword = "a-password-of-the-tests"
)

// wordPress is a WordPress as its web installer leaves it, with the plugin of
// integrations/wordpress in its folder, MariaDB and a mail server that keeps everything.
type wordPress struct {
	t    *testing.T
	dir  string // WordPress itself
	port string
	site string // as browsers reach it
	sent string // the folder of what was mailed
	php  *exec.Cmd
	log  *fortest.Log
}

// newWordPress installs it, and serves it until t ends. It ends t if a program is missing.
func newWordPress(t *testing.T) *wordPress {
	t.Helper()
	need.Server(t, "mariadbd")
	need.Command(t, "php")
	if _, err := os.Stat(wordPressFiles); errors.Is(err, fs.ErrNotExist) {
		need.Tool(t, need.Missing("WordPress", "install-all"))
	}

	w := &wordPress{
		t:    t,
		dir:  filepath.Join(t.TempDir(), "wordpress"),
		port: fortest.FreePort(t),
		sent: t.TempDir(),
		log:  &fortest.Log{},
	}
	w.site = "http://wordpress.test:" + w.port
	w.copyFiles(startMariaDB(t))
	w.start()
	t.Cleanup(w.stop)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("PHP said:\n%s", w.log.String())
		}
	})

	w.install()
	return w
}

// copyFiles makes the folder of WordPress, with the plugin, settings and the mail server.
func (w *wordPress) copyFiles(socket string) {
	w.t.Helper()
	plugin := filepath.Join(w.dir, "wp-content", "plugins", "coinslot-wordpress")
	runIn(w.t, ".", nil, "cp", "-RL", wordPressFiles, w.dir) // Debian's has links to other packages
	fortest.OK(w.t, os.CopyFS(plugin, os.DirFS("../integrations/wordpress")))

	config := fmt.Sprintf(`<?php
define( 'DB_NAME', 'wordpress' );
define( 'DB_USER', 'wordpress' );
define( 'DB_PASSWORD', 'of-the-database' );
define( 'DB_HOST', 'localhost:%s' );
define( 'DB_CHARSET', 'utf8mb4' );
define( 'DB_COLLATE', '' );
define( 'AUTH_KEY', 'of the tests' );
define( 'AUTH_SALT', 'of the tests' );
define( 'WP_DEBUG', true );
define( 'WP_DEBUG_DISPLAY', false );
define( 'WP_DEBUG_LOG', '%s' );
define( 'WP_HTTP_BLOCK_EXTERNAL', true );
define( 'DISABLE_WP_CRON', true );
define( 'AUTOMATIC_UPDATER_DISABLED', true );
$table_prefix = 'wp_';
defined( 'ABSPATH' ) || define( 'ABSPATH', __DIR__ . '/' );
require_once ABSPATH . 'wp-settings.php';
`, socket, w.debugLog())
	w.write(filepath.Join(w.dir, "wp-config.php"), config, 0o644)

	// One file a mail. While there is a file "hold", it takes none.
	w.write(filepath.Join(w.sent, "sendmail"), `#!/bin/sh
while [ -e "`+w.sent+`/hold" ]; do sleep 0.05; done
cat >"`+w.sent+`/$$" && mv "`+w.sent+`/$$" "`+w.sent+`/$$.mail"
`, 0o755)
}

// debugLog is where WordPress writes warnings and errors.
func (w *wordPress) debugLog() string { return filepath.Join(filepath.Dir(w.dir), "debug.log") }

func (w *wordPress) write(path, text string, mode fs.FileMode) {
	w.t.Helper()
	err := os.Remove(path) // it may be a link of Debian's
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		w.t.Fatal(err)
	}
	fortest.OK(w.t, os.WriteFile(path, []byte(text), mode))
}

// start serves WordPress until stop, and waits until the port is open.
func (w *wordPress) start() {
	w.t.Helper()
	address := "127.0.0.1:" + w.port
	w.php = exec.Command("php", "-d", "sendmail_path="+filepath.Join(w.sent, "sendmail"),
		"-S", address, "-t", w.dir)
	w.php.Env = append(os.Environ(), "PHP_CLI_SERVER_WORKERS=4")
	w.php.Stdout = w.log
	w.php.Stderr = w.log
	child.Tie(w.php)
	fortest.OK(w.t, w.php.Start())
	fortest.Until(w.t, "PHP to listen", func() bool {
		conn, err := net.Dial("tcp", address)
		return err == nil && conn.Close() == nil
	})
}

// stop is kill -9 of all of PHP, in the middle of whatever it does.
func (w *wordPress) stop() { child.End(w.php) }

// install fills in the form of the web installer.
func (w *wordPress) install() {
	w.t.Helper()
	form := url.Values{
		"weblog_title":    {"Coffee & Tips"},
		"user_name":       {wordPressUser},
		"admin_password":  {wordPressPassword},
		"admin_password2": {wordPressPassword},
		"admin_email":     {"owner@shop.example"},
		"blog_public":     {"0"},
		"language":        {""},
	}
	status, page := w.post("/wp-admin/install.php?step=2", strings.NewReader(form.Encode()),
		http.Header{"Content-Type": {"application/x-www-form-urlencoded"}})
	if status != http.StatusOK || !strings.Contains(page, "<h1>Success!</h1>") {
		w.t.Fatalf("the installer of WordPress answered %d:\n%s", status, page)
	}

	// As the installer does where the name of the host is known.
	w.runPHP(`update_option( "permalink_structure", "/%postname%/" );`)
}

// post sends a request to WordPress as if it had come to its host.
func (w *wordPress) post(path string, body io.Reader, header http.Header) (int, string) {
	w.t.Helper()
	address := "http://127.0.0.1:" + w.port + path
	req := fortest.Must(http.NewRequest(http.MethodPost, address, body))(w.t)
	req.Header = header
	req.Host = "wordpress.test:" + w.port
	resp := fortest.Must(http.DefaultClient.Do(req))(w.t)
	defer resp.Body.Close()
	return resp.StatusCode, string(fortest.Must(io.ReadAll(resp.Body))(w.t))
}

// wordPressHook is where WordPress receives webhooks.
const wordPressHook = "/wp-json/coinslot/v1/webhook"

// plainHook is the same for a WordPress whose links have no names.
const plainHook = "/index.php?rest_route=/coinslot/v1/webhook"

// deliver sends a webhook that is signed with a key at a time, and returns the HTTP status.
func (w *wordPress) deliver(id string, body []byte, key string, at time.Time) int {
	w.t.Helper()
	stamp := strconv.FormatInt(at.Unix(), 10)
	mac := hmac.New(sha256.New, fortest.Must(base64.StdEncoding.DecodeString(key))(w.t))
	fmt.Fprintf(mac, "%s.%s.%s", id, stamp, body)

	status, said := w.post(plainHook, bytes.NewReader(body), http.Header{
		"Content-Type":      {"application/json"},
		"Webhook-Id":        {id},
		"Webhook-Timestamp": {stamp},
		"Webhook-Signature": {"v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))},
	})
	w.t.Logf("webhook %s: %d %s", id, status, said)
	return status
}

// mails returns all mails whose subject has a text, each with its recipient, subject and body.
func (w *wordPress) mails(subject string) (list []string) {
	w.t.Helper()
	paths := fortest.Must(filepath.Glob(filepath.Join(w.sent, "*.mail")))(w.t)
	for _, path := range paths {
		text := fortest.Must(os.ReadFile(path))(w.t)
		message := fortest.Must(mail.ReadMessage(bytes.NewReader(text)))(w.t)
		words := new(mime.WordDecoder)
		about := fortest.Must(words.DecodeHeader(message.Header.Get("Subject")))(w.t)
		if strings.Contains(about, subject) {
			body := fortest.Must(io.ReadAll(message.Body))(w.t)
			to := message.Header.Get("To")
			list = append(list, fmt.Sprintf("To: %s\nSubject: %s\n\n%s", to, about, body))
		}
	}
	return list
}

// holdMail has mails wait until they are let go.
func (w *wordPress) holdMail() (letGo func()) {
	w.t.Helper()
	hold := filepath.Join(w.sent, "hold")
	fortest.OK(w.t, os.WriteFile(hold, nil, 0o600))
	return func() { fortest.OK(w.t, os.Remove(hold)) }
}

// runPHP runs code within WordPress, and returns what it prints.
func (w *wordPress) runPHP(code string) string {
	w.t.Helper()
	cmd := exec.Command("php", "-r", `require "wp-load.php"; `+code)
	cmd.Dir = w.dir
	out, err := cmd.Output()
	if err != nil {
		w.t.Fatalf("running %s: %v\n%s", code, err, out)
	}
	return string(out)
}

// startMariaDB starts a server with an empty database "wordpress", and returns its socket. It ends
// with t.
func startMariaDB(t *testing.T) (socket string) {
	t.Helper()
	dir := fortest.Must(os.MkdirTemp("/tmp", "coinslot-mariadb-"))(t) // a socket's name is short
	t.Cleanup(func() { fortest.OK(t, os.RemoveAll(dir)) })
	socket = filepath.Join(dir, "socket")

	create := filepath.Join(dir, "create.sql")
	fortest.OK(t, os.WriteFile(create, []byte("CREATE DATABASE IF NOT EXISTS wordpress;\n"+
		"CREATE USER IF NOT EXISTS wordpress@localhost IDENTIFIED BY 'of-the-database';\n"+
		"GRANT ALL ON wordpress.* TO wordpress@localhost;\n"), 0o644))

	owner := mariaDBUser(t)
	if owner != nil {
		fortest.OK(t, os.Chown(dir, int(owner.Uid), int(owner.Gid)))
	}

	data := "--datadir=" + filepath.Join(dir, "data")
	prepare := exec.Command("mariadb-install-db", "--no-defaults", data, "--skip-test-db")
	runAs(prepare, owner)
	if out, err := prepare.CombinedOutput(); err != nil {
		t.Fatalf("mariadb-install-db: %v\n%s", err, out)
	}

	log := &fortest.Log{}
	server := exec.Command("mariadbd", "--no-defaults", data, "--socket="+socket,
		"--pid-file="+filepath.Join(dir, "pid"), "--skip-networking", "--init-file="+create)
	server.Stdout = log
	server.Stderr = log
	runAs(server, owner)
	fortest.OK(t, server.Start())
	t.Cleanup(func() { child.End(server) })
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("MariaDB said:\n%s", log.String())
		}
	})

	fortest.Until(t, "MariaDB to take connections", func() bool {
		conn, err := net.Dial("unix", socket)
		return err == nil && conn.Close() == nil
	})
	return socket
}

// mariaDBUser returns whose the server is, because MariaDB refuses to run as root. Nil = whose this
// process is.
func mariaDBUser(t *testing.T) *syscall.Credential {
	t.Helper()
	if os.Getuid() != 0 {
		return nil
	}

	found, err := user.Lookup("mysql")
	if err != nil {
		found = fortest.Must(user.Lookup("nobody"))(t)
	}
	uid := fortest.Must(strconv.ParseUint(found.Uid, 10, 32))(t)
	gid := fortest.Must(strconv.ParseUint(found.Gid, 10, 32))(t)
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
}

// runAs ties a command to this process, and lets it run as a user unless that is nil.
func runAs(cmd *exec.Cmd, owner *syscall.Credential) {
	child.Tie(cmd)
	if owner == nil {
		return
	}
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Credential = owner
}
