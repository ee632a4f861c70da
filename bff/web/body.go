package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"coinslot/app/wire"
	"coinslot/bff/order"
)

// ReadBody returns a body that must be declared as JSON and be neither encoded nor too large.
// Errors: *wire.Error.
func ReadBody(r *http.Request) ([]byte, error) {
	kind, err := ContentType(r)
	if err != nil {
		return nil, err
	}
	if kind != "application/json" {
		return nil, Refuse(wire.CodeMediaType, "Content-Type")
	}
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		var tooLarge *http.MaxBytesError
		if errors.As(err, &tooLarge) {
			return nil, Refuse(wire.CodeTooLarge, "")
		}
		return nil, Refuse(wire.CodeBadJSON, "")
	}
	return raw, nil
}

// ReadJSON decodes a JSON body into v, strictly; a form or an empty body is left alone. Errors:
// *wire.Error.
func ReadJSON(r *http.Request, v any) error {
	if r.PostForm != nil || r.ContentLength == 0 {
		return nil
	}
	raw, err := ReadBody(r)
	if err != nil {
		return err
	}
	return order.Strict(raw, v)
}

// ReadEmpty reads the body of a request that has nothing to say: none, an empty JSON
// object, or a form that says at most how its page is shown. Errors: *wire.Error.
func ReadEmpty(r *http.Request) error {
	if r.ContentLength == 0 {
		_, err := ContentType(r)
		return err
	}
	if r.PostForm == nil {
		raw, err := ReadBody(r)
		if err != nil {
			return err
		}
		return order.Strict(raw, &struct{}{})
	}
	for _, name := range slices.Sorted(maps.Keys(r.PostForm)) {
		if !slices.Contains(
			[]string{"embed", "origin", "theme", "lang", "from", "qr", "open"}, name,
		) {
			return Refuse(wire.CodeUnknownField, order.ShortenName(name))
		}
	}
	return nil
}

// ContentType returns the media type that a request says its body is of, "" if it
// says none that can be read. A body that is encoded is of no type we take. Errors: *wire.Error.
func ContentType(r *http.Request) (string, error) {
	kind, err := SingleHeader(r, "Content-Type", wire.CodeMediaType)
	if err != nil {
		return "", err
	}
	coding, err := SingleHeader(r, "Content-Encoding", wire.CodeMediaType)
	if err != nil {
		return "", err
	}
	if coding != "" {
		return "", Refuse(wire.CodeMediaType, "Content-Type")
	}
	return MediaType(kind), nil
}

// SingleHeader returns the value of a header that decides something, "" if it is absent.
// One that is given twice is refused with code: somebody on the way may have read
// the other one.
func SingleHeader(r *http.Request, name string, code wire.Code) (string, error) {
	if len(r.Header.Values(name)) > 1 {
		return "", Refuse(code, name)
	}
	return r.Header.Get(name), nil
}

// idempotencyKey is what the header of that name, and the key of a page, may hold.
var idempotencyKey = regexp.MustCompile(`^[\x21-\x7e]{1,255}$`)

// ValidIdempotencyKey reports whether key can be one.
func ValidIdempotencyKey(key string) bool { return idempotencyKey.MatchString(key) }

// MediaType returns a Content-Type without parameters, "" if it cannot be read.
func MediaType(header string) string {
	kind, _, err := mime.ParseMediaType(header)
	if err != nil {
		return ""
	}
	return kind
}

// WantsJSON reports whether the request comes from a program: it sends JSON, or
// it asks for JSON and not for a page.
func WantsJSON(r *http.Request) bool {
	if MediaType(r.Header.Get("Content-Type")) == "application/json" {
		return true
	}
	accept := r.Header.Get("Accept")
	return strings.Contains(accept, "application/json") && !strings.Contains(accept, "text/html")
}

// OneOf returns value if it is allowed, else "".
func OneOf(value string, allowed ...string) string {
	if slices.Contains(allowed, value) {
		return value
	}
	return ""
}

// Respond writes v as JSON.
func Respond(w http.ResponseWriter, status int, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encoding an answer: %w", err)
	}
	h := w.Header()
	h["Content-Type"] = asJSON
	h.Set("Content-Length", strconv.Itoa(len(body)+1))
	w.WriteHeader(status)
	w.Write(append(body, '\n'))
	return nil
}
