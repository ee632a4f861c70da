package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// tool is a program, or a part of one, that tests run.
type tool struct {
	name     string
	use      string // what is not tested without it
	always   bool   // make test needs it; otherwise only make test-all does
	packages string // Debian's, with spaces between
	brew     string // what Homebrew installs instead; "" = nothing that the tests can use
	found    func() bool
}

// tools are what Debian has. Each comes without its recommended packages.
var tools = []tool{
	{"a C compiler", "data races", true, "gcc libc6-dev", "gcc", inPath("gcc")},
	{"Chromium", "the checkout in a browser", true, "chromium", "--cask chromium", inPath("chromium")},
	{"PostgreSQL", "PostgreSQL as the database", true, "postgresql", "postgresql", hasPostgreSQL},

	{"npm", "the npm packages, the examples", false, "nodejs npm", "node", inPath("npm")},
	{"curl", "the commands of the docs", false, "curl", "curl", inPath("curl")},
	{"openssl", "the commands of the docs", false, "openssl", "openssl", inPath("openssl")},
	{"Python", "the examples in Python", false, "python3", "python", inPath("python3")},
	{"Python's cryptography", "receipts verified in Python", false, "python3-cryptography", "",
		runs("/usr/bin/python3", "-c", "import cryptography")},
	{"Flask", "the example in Flask", false, "python3-flask python3-requests", "",
		runs("/usr/bin/python3", "-c", "import flask, requests")},
	{"Ruby", "the examples in Ruby", false, "ruby", "ruby", inPath("ruby")},
	{"Sinatra", "the example in Sinatra", false, "ruby-sinatra ruby-webrick", "",
		runs("/usr/bin/ruby", "-rsinatra/base", "-rwebrick", "-e", "")},
	{"PHP", "the plugins in PHP, the examples in PHP", false, "php-cli", "php", inPath("php")},
	{"WordPress", "the WordPress plugin in WordPress", false,
		"wordpress wordpress-theme-twentytwentythree php-mysql", "", hasWordPress},
	{"MariaDB", "the WordPress plugin in WordPress", false, "mariadb-server", "", inPath("mariadbd")},
	{"Laravel", "the example in Laravel", false,
		"php-laravel-framework php-guzzlehttp-guzzle php-sqlite3", "", runs("php", "-r", laravel)},
	{"Hugo", "the example in Hugo", false, "hugo", "hugo", inPath("hugo")},
	{"Jekyll", "the example in Jekyll", false, "jekyll", "", inPath("jekyll")},
	{"Firefox", "the checkout in Firefox", false, "firefox-esr", "", inPath("firefox-esr")},
	{"WebKit", "the checkout in WebKit", false, "webkit2gtk-driver", "", inPath("WebKitWebDriver")},
	{"Xvfb", "the checkout in WebKit", false, "xvfb", "", inPath("Xvfb")},
	{"nginx", "nginx in front of the checkout", false, "nginx-light", "nginx", inPath("nginx")},
	{"Caddy", "Caddy in front of the checkout", false, "caddy", "caddy", inPath("caddy")},
	{"systemd-analyze", "the unit of systemd", false, "systemd", "", inPath("systemd-analyze")},
	{"zbarimg", "QR codes, read by a second scanner", false, "zbar-tools", "zbar",
		inPath("zbarimg")},
	{"hledger", "the journal of a month", false, "hledger", "hledger", inPath("hledger")},
	{"Beancount", "the journal of a month", false, "beancount", "", inPath("bean-check")},
	{"LibreOffice", "the month in a spreadsheet", false, "libreoffice-calc-nogui", "",
		inPath("soffice")},
	{"ip", "HTTP/3, and networks that lose packets", false, "iproute2", "", inPath("ip")},
	{"strace", "disks and networks that fail", false, "strace", "", inPath("strace")},
	{"sqlite3", "restores of SQLite", false, "sqlite3", "sqlite", inPath("sqlite3")},
	{"PgBouncer", "PgBouncer between instances and database", false, "pgbouncer", "pgbouncer",
		inPath("pgbouncer")},
	{"etcd", "failovers of PostgreSQL", false, "etcd-server", "", inPath("etcd")},
	{"Patroni", "failovers of PostgreSQL", false, "patroni python3-etcd", "", inPath("patroni")},
	{"HAProxy", "failovers of PostgreSQL", false, "haproxy", "", inPath("haproxy")},
}

const laravel = `require "Illuminate/autoload.php"; require "GuzzleHttp/autoload.php";
	new PDO("sqlite::memory:");`

func inPath(command string) func() bool {
	return func() bool {
		_, err := exec.LookPath(command)
		return err == nil
	}
}

func runs(command string, args ...string) func() bool {
	return func() bool { return exec.Command(command, args...).Run() == nil }
}

// hasPostgreSQL looks where Debian keeps the programs of the server, too: not in the PATH.
func hasPostgreSQL() bool {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb") // the pattern is right
	return len(found) > 0 || inPath("initdb")()
}

// hasWordPress looks where Debian has it, and for what WordPress reads its database by.
func hasWordPress() bool {
	_, err := os.Stat("/usr/share/wordpress/wp-settings.php")
	return err == nil && runs("php", "-r", "exit((int) !extension_loaded('mysqli'));")()
}

// command is what a person types to install the tool on this system.
func (t tool) command() string {
	switch {
	case runtime.GOOS != "darwin":
		return "sudo apt-get install " + t.packages
	case t.name == "a C compiler":
		return "xcode-select --install"
	case t.brew != "":
		return "brew install " + t.brew
	}
	return "not available on macOS"
}
