package webhook

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
)

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
