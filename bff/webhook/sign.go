package webhook

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// tolerance is how far a message's timestamp may be from the receiver's clock, in both directions.
const tolerance = 5 * time.Minute

// maxSignatures bounds the work that one received message can ask for.
const maxSignatures = 20

// What [Keys.Verify] answers besides success.
var (
	ErrUnsigned  = errors.New("webhook headers missing or malformed")
	ErrSignature = errors.New("webhook signature does not match")
	ErrTimestamp = errors.New("webhook timestamp out of tolerance")
)

// Keys are the secrets in use, the current one first. Several of them are the
// overlap of a rotation: every one signs, and any of them verifies.
type Keys struct {
	hooks []*standardwebhooks.Webhook
}

// ParseKeys reads secrets ("whsec_…", see [CheckSecret]). None gives Keys that sign nothing and
// verify nothing. Errors name the secret by its position, from 1, and never hold its value.
func ParseKeys(secrets []string) (Keys, error) {
	var k Keys
	for i, raw := range secrets {
		key, err := parseSecret(raw)
		if err != nil {
			return Keys{}, fmt.Errorf("reading webhook secret %d: %w", i+1, err)
		}
		hook, err := standardwebhooks.NewWebhookRaw(key)
		if err != nil {
			return Keys{}, fmt.Errorf("reading webhook secret %d: not usable", i+1)
		}
		k.hooks = append(k.hooks, hook)
	}

	return k, nil
}

// Sign returns the value of webhook-signature for one try at that time: one
// "v1,<base64>" for each key, separated by spaces. id is the event's, without
// ".", since a dot ends it in what is signed. Without keys the value is empty.
// Errors: the id is empty or has a dot. Source: Standard Webhooks 1.0.0.
func (k Keys) Sign(id string, at time.Time, body []byte) (string, error) {
	if id == "" || strings.Contains(id, ".") {
		return "", fmt.Errorf("signing event %q: id is empty or has a dot", id)
	}

	signatures := make([]string, len(k.hooks))
	for i, hook := range k.hooks {
		s, err := hook.Sign(id, at, body)
		if err != nil {
			return "", fmt.Errorf("signing event %q: %w", id, err)
		}
		signatures[i] = s
	}

	return strings.Join(signatures, " "), nil
}

// Verify reports whether a message is ours and fresh: body is what was received, byte for byte. The
// caller still has to remember webhook-id, since the same event can come more than once. Signatures
// are compared in constant time.
//
// Errors: [ErrUnsigned] if a header is missing or not readable, or if more
// than 20 signatures are given; [ErrTimestamp] if the message is more than five
// minutes older or newer than now; [ErrSignature] for anything else.
func (k Keys) Verify(h http.Header, body []byte, now time.Time) error {
	id := h.Get("webhook-id")
	stamp := h.Get("webhook-timestamp")
	signatures := h.Get(
		"webhook-signature",
	)
	if id == "" || strings.Contains(id, ".") || signatures == "" ||
		strings.Count(signatures, " ") >= maxSignatures {
		return ErrUnsigned
	}

	at, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil {
		return ErrUnsigned
	}

	limit := int64(tolerance / time.Second)
	seconds := now.Unix()
	if at < seconds-limit || at > seconds+limit {
		return ErrTimestamp
	}

	for _, hook := range k.hooks {
		if hook.VerifyIgnoringTimestamp(body, h) == nil {
			return nil
		}
	}

	return ErrSignature
}

// secretPrefix marks a symmetric secret, as Standard Webhooks spells it.
const secretPrefix = "whsec_"

// CheckSecret reports what is wrong with a signing secret: it has to be "whsec_" and 24 to 64 bytes
// in padded standard base64. The error's text never holds the value, so that it can be printed.
//
// Source: Standard Webhooks 1.0.0, "Signature scheme".
func CheckSecret(raw string) error {
	_, err := parseSecret(raw)
	return err
}

// parseSecret returns the key's bytes; its errors do not quote raw.
func parseSecret(raw string) ([]byte, error) {
	text, marked := strings.CutPrefix(raw, secretPrefix)
	if !marked {
		return nil, errors.New(`it does not begin with "whsec_"`)
	}
	// The decoder skips line breaks; a secret with one is a mistake of copying
	// that other libraries would refuse.
	if strings.ContainsAny(text, "\r\n") {
		return nil, errors.New("it contains a line break")
	}

	key, err := base64.StdEncoding.Strict().DecodeString(text)
	if err != nil {
		return nil, errors.New(`what follows "whsec_" is not standard base64 with padding`)
	}
	if len(key) < 24 || len(key) > 64 {
		return nil, fmt.Errorf("it decodes to %d bytes; 24 to 64 are required", len(key))
	}

	return key, nil
}
