package demo

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"coinslot/bff/sandbox"
)

// state has the keys of the demo's parts, the sandbox gateway's transactions, and the shop's
// webhooks.
type state struct {
	GatewayKey    string                `json:"gateway_key"`
	SecretKey     string                `json:"secret_key"`
	OrderKey      string                `json:"order_key"`
	WebhookSecret string                `json:"webhook_secret"`
	Password      string                `json:"password"` // signs in to the console
	Transactions  []sandbox.Transaction `json:"transactions"`
	Webhooks      []string              `json:"webhooks"` // newest first
}

func newState() state {
	key := make([]byte, 32)
	rand.Read(key) // never fails; documented by crypto/rand
	return state{
		GatewayKey:    "demo-" + rand.Text(),
		SecretKey:     rand.Text() + rand.Text(),
		OrderKey:      rand.Text() + rand.Text(),
		WebhookSecret: "whsec_" + base64.StdEncoding.EncodeToString(key),
		Password:      strings.ToLower(rand.Text()[:16]),
	}
}

func stateFile(folder string) string { return filepath.Join(folder, "demo.json") }

// loadState reads the state of an earlier run, or returns a new one. Errors: the file is invalid.
func loadState(folder string) (state, error) {
	text, err := os.ReadFile(stateFile(folder))
	if errors.Is(err, fs.ErrNotExist) {
		return newState(), nil
	}
	if err != nil {
		return state{}, fmt.Errorf("reading the demo's data: %w", err)
	}

	var s state
	if err := json.Unmarshal(text, &s); err != nil {
		return state{}, fmt.Errorf("reading the demo's data: %s: %w: remove the folder to "+
			"start over", stateFile(folder), err)
	}

	return s, nil
}

// saveState saves a changed state every second, and when ctx ends.
func (d *demo) saveState(ctx context.Context) error {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	var saved []byte
	for {
		text, err := json.MarshalIndent(d.currentState(), "", " ")
		if err != nil {
			return fmt.Errorf("encoding the demo's data: %w", err)
		}
		if !bytes.Equal(text, saved) {
			if err := replaceFile(stateFile(d.Data), text); err != nil {
				return fmt.Errorf("saving the demo's data: %w", err)
			}
			saved = text
		}
		if ctx.Err() != nil {
			return nil
		}

		select {
		case <-ctx.Done():
		case <-ticker.C:
		}
	}
}

func (d *demo) currentState() state {
	s := d.state
	s.Transactions = d.sandbox.Transactions()
	s.Webhooks = d.store.listMessages()
	return s
}

// replaceFile replaces a file atomically.
func replaceFile(path string, text []byte) error {
	if err := os.WriteFile(path+".new", text, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}
