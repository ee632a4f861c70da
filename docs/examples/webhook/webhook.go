// Package webhook checks Coinslot's webhooks with Go's standard library.
package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Verify reports whether body, byte for byte as it came, was signed with secret
// ("whsec_…") within five minutes of now.
func Verify(secret string, h http.Header, body []byte, now time.Time) bool {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || len(key) < 24 {
		return false
	}

	// Get finds canonical names only, and a header made from a map may have others.
	header := http.Header{}
	for name, values := range h {
		for _, value := range values {
			header.Add(name, value)
		}
	}

	id := header.Get("webhook-id")
	stamp := header.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if id == "" || err != nil || now.Sub(time.Unix(seconds, 0)).Abs() > 5*time.Minute {
		return false
	}

	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", id, stamp, body)
	want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	// several while the secret is changed
	for _, got := range strings.Fields(header.Get("webhook-signature")) {
		if hmac.Equal([]byte(got), []byte(want)) {
			return true
		}
	}

	return false
}

// Receive answers the checkout's POST: 401 to what it did not sign, 500 if take returns an error,
// so that it is sent again, and else 204. take stores the event under its id and returns nil also
// for an id that it has stored before; it may be called by several goroutines.
func Receive(secret string, take func(id string, body []byte) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
		if err != nil || !Verify(secret, r.Header, body, time.Now()) {
			http.Error(w, "not signed by the checkout", http.StatusUnauthorized)
			return
		}
		if err := take(r.Header.Get("webhook-id"), body); err != nil {
			http.Error(w, "not stored, send it again", http.StatusInternalServerError)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	}
}
