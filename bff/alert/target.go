package alert

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/mail"
	"net/url"
	"slices"
	"strings"

	"coinslot/bff/webhook"
)

// Target is where alerts go. Its zero value is none.
type Target struct {
	form form
	// to is an e-mail address, or the URL to post to, which may hold a secret.
	to string
}

// form is how a target takes a message.
type form int

const (
	byMail form = iota // over SMTP
	plain              // a POST with the text as its body, as ntfy takes it
	slack              // a POST of Slack's JSON
)

// maxTargets bounds the targets of a shop.
const maxTargets = 10

// ParseTargets reads a comma-separated list of targets: e-mail addresses, with mailto: in front or
// not; URLs that take plain text; URLs that take Slack's JSON, with slack+ in front. Errors count
// targets from 1 and never hold one. See also [CheckTargets].
func ParseTargets(list string) (targets []Target, err error) {
	for i, text := range strings.Split(list, ",") {
		t, err := parseTarget(strings.TrimSpace(text))
		if err == nil && slices.Contains(targets, t) {
			err = errors.New("it is listed twice")
		}
		if err != nil {
			return nil, fmt.Errorf("target %d: %w", i+1, err)
		}
		targets = append(targets, t)
	}
	if len(targets) > maxTargets {
		return nil, fmt.Errorf("there are %d targets; at most %d are allowed",
			len(targets), maxTargets)
	}
	return targets, nil
}

// CheckTargets returns an error if URLs are http, or lead to this machine or its network, unless
// allowPrivate is set. It is like that of [ParseTargets].
func CheckTargets(targets []Target, allowPrivate bool) error {
	for i, t := range targets {
		if t.form == byMail {
			continue
		}
		if err := webhook.CheckEndpoint(t.to, allowPrivate); err != nil {
			return fmt.Errorf("target %d: %w", i+1, err)
		}
	}
	return nil
}

func parseTarget(text string) (Target, error) {
	address, isMail := strings.CutPrefix(text, "mailto:")
	if isMail || !strings.Contains(text, "://") {
		return Target{form: byMail, to: address}, checkAddress(address)
	}

	t := Target{form: plain, to: text}
	if hook, isSlack := strings.CutPrefix(text, "slack+"); isSlack {
		t = Target{form: slack, to: hook}
	}
	return t, webhook.CheckEndpoint(t.to, true)
}

// checkAddress accepts the bare form of an address, in ASCII.
func checkAddress(text string) error {
	parsed, err := mail.ParseAddress(text)
	if err != nil || parsed.Address != text || strings.ContainsFunc(text, notPlain) {
		return errors.New("it must be an e-mail address like owner@shop.example, or a URL")
	}
	return nil
}

func notPlain(r rune) bool { return r <= ' ' || r > '~' }

// Name is what a target may be called where people read it: the address, or the host of a URL.
func (t Target) Name() string {
	if t.form == byMail {
		return t.to
	}
	return webhook.HostOf(t.to)
}

// IsMail reports whether alerts reach the target by SMTP.
func (t Target) IsMail() bool { return t.form == byMail }

// URL returns where alerts are posted; nil = the target gets mail.
func (t Target) URL() *url.URL {
	if t.form == byMail {
		return nil
	}
	u, err := url.Parse(t.to)
	if err != nil { // it was checked
		return nil
	}
	return u
}

// String is Name: a target prints without its secret.
func (t Target) String() string { return t.Name() }

// GoString is String, for %#v.
func (t Target) GoString() string { return t.String() }

// MarshalText is String, for encoders and structured logs.
func (t Target) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// key names a target in the database, which does not need its secret.
func (t Target) key() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s", t.form, t.to))
	return hex.EncodeToString(sum[:8])
}
