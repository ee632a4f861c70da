package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"coinslot/bff/check"
	"coinslot/bff/config"
	"coinslot/bff/console/auth/password"
	"coinslot/deploy"

	"golang.org/x/term"
)

// Folders of a machine with systemd.
const (
	settingsFolder = "/etc/coinslot"
	unitPath       = "/etc/systemd/system/coinslot@.service"
)

// newShop is what coinslot init writes.
type newShop struct {
	name       string // of the instance: coinslot@name
	publicURL  string
	origins    string
	gatewayURL string
	gatewayKey string
	webhookURL string // empty = none
	tls        string // as COINSLOT_TLS; "proxy" = http for a proxy on this machine
}

var shopName = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?$`)

// runInit writes the settings of a shop, with fresh keys, and systemd's unit. It asks for what the
// flags do not say if it can, and never overwrites a file.
func runInit(_ context.Context, args []string, s streams) error {
	shop := newShop{name: "shop"}
	var keyFile string
	var dry bool
	flags := flag.NewFlagSet("init", flag.ContinueOnError)
	flags.StringVar(&shop.publicURL, "public-url", "",
		"origin of the checkout, like https://pay.shop.example")
	flags.StringVar(&shop.origins, "origins", "",
		"origins of the pages that may embed it, comma separated, like https://shop.example")
	flags.StringVar(&shop.gatewayURL, "gateway-url", "", "base URL of the gateway API")
	flags.StringVar(&keyFile, "gateway-key-file", "",
		"file with the gateway's key; - = the standard input")
	flags.StringVar(&shop.webhookURL, "webhook-url", "",
		"URL of your server that receives webhooks; unset = none")
	flags.StringVar(&shop.tls, "tls", "auto", "auto = https with a certificate by ACME; "+
		"certificate.pem,key.pem = https with these files; proxy = http, for a proxy here")
	flags.BoolVar(&dry, "dry-run", false, "print what would be written, without keys")
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		shop.name = args[0]
		args = args[1:]
	}
	if err := parse(flags, args, s); err != nil {
		return err
	}
	if !shopName.MatchString(shop.name) {
		return errors.New("the name of a shop has small letters, digits and -, like shop2")
	}

	path := filepath.Join(settingsFolder, shop.name+".env")
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("%s exists, and coinslot init overwrites nothing: choose another name, "+
			"or move it", path)
	}
	if err := shop.ask(keyFile, s); err != nil {
		return err
	}
	used, err := usedSettings()
	if err != nil {
		return err
	}

	phrase := rand.Text()
	entries, err := shop.entries(used, phrase)
	if err != nil {
		return err
	}
	if _, err := config.Load(entries, nil); err != nil {
		return err
	}
	if dry {
		fmt.Fprintf(s.out, "%s:\n\n%s\n%s:\n\n%s", path, shop.file(hideKeys(entries)), unitPath,
			deploy.Unit)
		return nil
	}

	kept, err := writeUnit()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(settingsFolder, 0o700); err != nil {
		return fmt.Errorf("writing the settings: %w", err)
	}
	if err := create(path, shop.file(entries), 0o600); err != nil {
		return err
	}
	shop.printNext(s.out, path, phrase, kept)
	return nil
}

// ask prompts, on a terminal, for what the flags do not say. Errors: it is no terminal, and names
// the flags that are missing; the key cannot be read.
func (n *newShop) ask(keyFile string, s streams) error {
	questions := []struct {
		answer     *string
		flag, text string
	}{
		{&n.publicURL, "-public-url", "Address of the checkout (https://pay.shop.example): "},
		{&n.origins, "-origins", "Address of your shop (https://shop.example): "},
		{&n.gatewayURL, "-gateway-url", "Address of the gateway's API: "},
	}
	isTerminal := term.IsTerminal(int(os.Stdin.Fd()))
	in := bufio.NewReader(os.Stdin)
	var missing []string
	for _, q := range questions {
		switch {
		case *q.answer != "":
		case isTerminal:
			fmt.Fprint(s.out, q.text)
			line, err := in.ReadString('\n')
			if err != nil {
				return fmt.Errorf("reading an answer: %w", err)
			}
			*q.answer = strings.TrimSpace(line)
		default:
			missing = append(missing, q.flag)
		}
	}
	if keyFile == "" && !isTerminal {
		missing = append(missing, "-gateway-key-file")
	}
	if len(missing) > 0 {
		return fmt.Errorf("this is no terminal to ask at: add %s", strings.Join(missing, ", "))
	}

	key, err := readKey(keyFile, in, s.out)
	if err != nil {
		return fmt.Errorf("reading the gateway's key: %w", err)
	}
	n.gatewayKey = strings.TrimSpace(key)
	return nil
}

// readKey reads a file, the standard input for "-", or the terminal without echo for "".
func readKey(file string, in *bufio.Reader, prompt io.Writer) (string, error) {
	switch file {
	case "":
		fmt.Fprint(prompt, "Key of the gateway's API: ")
		key, err := term.ReadPassword(int(os.Stdin.Fd()))
		fmt.Fprintln(prompt)
		return string(key), err
	case "-":
		line, err := in.ReadString('\n')
		if errors.Is(err, io.EOF) {
			err = nil
		}
		return line, err
	}
	key, err := os.ReadFile(file)
	return string(key), err
}

// usedSettings returns the settings of the shops on this machine, as entries.
func usedSettings() (used []string, err error) {
	files, err := filepath.Glob(settingsFolder + "/*.env")
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		entries, err := config.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		used = append(used, entries...)
	}
	return used, nil
}

// entries are the settings of the shop, with fresh keys, and with ports that no other shop uses.
// Errors: a password cannot be hashed; another shop has the ports of https.
func (n *newShop) entries(used []string, phrase string) ([]string, error) {
	hash, err := password.New(phrase)
	if err != nil {
		return nil, err
	}

	list := []string{"COINSLOT_PUBLIC_URL=" + n.publicURL}
	switch {
	case n.tls == "proxy":
		list = append(list, "COINSLOT_LISTEN="+freeAddress(used, 8080),
			"COINSLOT_TRUSTED_PROXIES=127.0.0.1/32,::1/128")
	case slices.ContainsFunc(used, isTLS):
		return nil, errors.New("another shop on this machine serves https itself: " +
			"put a proxy in front of both (-tls proxy), or give each an address of its own " +
			"(COINSLOT_LISTEN, COINSLOT_HTTP_LISTEN)")
	default:
		list = append(list, "COINSLOT_TLS="+n.tls)
	}

	list = append(list,
		"COINSLOT_OPS_LISTEN="+freeAddress(used, 9090),
		"COINSLOT_DATABASE="+filepath.Join(check.StateFolder, n.name, "coinslot.db"),
		"COINSLOT_ORIGINS="+n.origins,
		"COINSLOT_GATEWAY_URL="+n.gatewayURL,
		"COINSLOT_GATEWAY_KEY="+n.gatewayKey,
		"COINSLOT_SECRET_KEY="+hex.EncodeToString(randomBytes()),
	)
	if n.webhookURL != "" {
		list = append(list,
			"COINSLOT_WEBHOOK_URL="+n.webhookURL,
			"COINSLOT_WEBHOOK_SECRET=whsec_"+base64.StdEncoding.EncodeToString(randomBytes()))
	}
	return append(list, "COINSLOT_ADMIN_PASSWORD="+hash), nil
}

func isTLS(entry string) bool { return strings.HasPrefix(entry, "COINSLOT_TLS=") }

func randomBytes() []byte {
	key := make([]byte, 32)
	rand.Read(key) // never fails
	return key
}

// freeAddress returns the first address of this machine, from a port on, that no setting has.
func freeAddress(used []string, port int) string {
	for {
		address := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
		isUsed := func(entry string) bool { return strings.HasSuffix(entry, "="+address) }
		if !slices.ContainsFunc(used, isUsed) {
			return address
		}
		port++
	}
}

// hideKeys replaces the secrets among entries.
func hideKeys(entries []string) []string {
	var list []string
	for _, entry := range entries {
		name, value, _ := strings.Cut(entry, "=")
		switch name {
		case "COINSLOT_GATEWAY_KEY", "COINSLOT_SECRET_KEY", "COINSLOT_WEBHOOK_SECRET",
			"COINSLOT_ADMIN_PASSWORD":
			value = "…"
		}
		list = append(list, name+"="+value)
	}
	return list
}

// file is the text of the settings.
func (n *newShop) file(entries []string) string {
	var text strings.Builder
	fmt.Fprintf(&text, "# Settings of coinslot@%s, by coinslot init. docs/settings.md explains them and has more.\n"+
		"# Keep a copy elsewhere: receipts depend on COINSLOT_SECRET_KEY.\n", n.name)
	for _, entry := range entries {
		name, value, _ := strings.Cut(entry, "=")
		fmt.Fprintln(&text, config.Quote(name, value))
	}
	return text.String()
}

// writeUnit writes the unit of all shops unless there is one. kept = there is another one, which
// stays.
func writeUnit() (kept bool, err error) {
	old, err := os.ReadFile(unitPath)
	if errors.Is(err, fs.ErrNotExist) {
		return false, create(unitPath, deploy.Unit, 0o644)
	}
	if err != nil {
		return false, fmt.Errorf("reading the unit: %w", err)
	}
	return !bytes.Equal(old, []byte(deploy.Unit)), nil
}

// create writes a new file. Errors: it exists; it cannot be written.
func create(path, text string, mode fs.FileMode) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err // names the path
	}
	_, err = file.WriteString(text)
	return errors.Join(err, file.Close())
}

// printNext says what was written and what comes next. It prints the password, which is stored as a
// hash only.
func (n *newShop) printNext(out io.Writer, path, phrase string, kept bool) {
	fmt.Fprintf(out, "Written: %s, with fresh keys. Only root can read it.\n", path)
	if kept {
		fmt.Fprintf(out, "Kept: %s, which differs from this release's.\n", unitPath)
	}
	fmt.Fprintf(out, `
Password of the console, %s/admin (shown only now): %s
Your server needs COINSLOT_SECRET_KEY and COINSLOT_WEBHOOK_SECRET from that file.

Next:
  coinslot check -settings %s
  systemctl daemon-reload && systemctl enable --now coinslot@%s
`, n.publicURL, phrase, path, n.name)
}
