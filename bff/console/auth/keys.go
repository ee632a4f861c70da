package auth

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"strconv"
	"strings"
	"time"
)

// loginLifetime is how long a login is valid.
const loginLifetime = 12 * time.Hour

// keys sign logins and the tokens of forms. They are made of the secret key and
// the hash of the password, so that changing either ends every login.
type keys struct{ logins, forms []byte }

func newKeys(secret, hash string) keys {
	root := mac([]byte(secret), "coinslot console", hash)
	return keys{logins: mac(root, "logins"), forms: mac(root, "forms")}
}

// mac is HMAC-SHA256 of parts, none of which holds a line break.
func mac(key []byte, parts ...string) []byte {
	m := hmac.New(sha256.New, key)
	m.Write([]byte(strings.Join(parts, "\n")))
	return m.Sum(nil)
}

func encode(raw []byte) string { return base64.RawURLEncoding.EncodeToString(raw) }

// newLogin returns a login, the value of its cookie.
func (k keys) newLogin(now time.Time) string {
	body := strconv.FormatInt(now.Add(loginLifetime).Unix(), 10) + "." + rand.Text()
	return body + "." + encode(mac(k.logins, body))
}

// validLogin reports whether login is one of ours that has not run out, and until when.
func (k keys) validLogin(login string, now time.Time) (until time.Time, ok bool) {
	end := strings.LastIndexByte(login, '.')
	if end < 0 || !hmac.Equal([]byte(login[end+1:]), []byte(encode(mac(k.logins, login[:end])))) {
		return until, false
	}
	seconds, _, _ := strings.Cut(login, ".")
	unix, err := strconv.ParseInt(seconds, 10, 64) // signed: it is a number
	until = time.Unix(unix, 0)
	return until, err == nil && now.Before(until)
}

// loginID is what a login is stored by when it has ended: all of it but its signature.
func loginID(login string) string { return login[:strings.LastIndexByte(login, '.')] }

// token returns what the forms of a login carry now. It is different for every
// login; login holds no line break.
func (k keys) token(login string) string { return encode(mac(k.forms, login)) }

// validToken reports whether token is of that login's forms.
func (k keys) validToken(token, login string) bool {
	return hmac.Equal([]byte(token), []byte(k.token(login)))
}
