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

// ReadBody returns a JSON body. Errors: *wire.Error if its type is another, or it is too large.
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
		if _, is := errors.AsType[*http.MaxBytesError](err); is {
			return nil, Refuse(wire.CodeTooLarge, "")
		}
		return nil, Refuse(wire.CodeBadJSON, "")
	}

	return raw, nil
}

// ReadJSON decodes a JSON body into v, strictly; it ignores a form and an empty body. Errors:
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

// ReadEmpty accepts no body, an empty JSON object, or a form with display options only. Errors:
// *wire.Error.
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
		switch name {
		case "embed", "origin", "theme", "lang", "qr", "open":
		default:
			return Refuse(wire.CodeUnknownField, order.ShortenName(name))
		}
	}

	return nil
}

// ContentType returns the media type of a request's body, "" if it is absent or invalid. Errors:
// *wire.Error, also for a compressed body.
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

// SingleHeader returns the value of a header, "" if it is absent. It refuses repeated ones with
// code: a proxy may have used the other value.
func SingleHeader(r *http.Request, name string, code wire.Code) (string, error) {
	if len(r.Header.Values(name)) > 1 {
		return "", Refuse(code, name)
	}
	return r.Header.Get(name), nil
}

var idempotencyKey = regexp.MustCompile(`^[\x21-\x7e]{1,255}$`)

// ValidIdempotencyKey reports whether key can be one, of a header or a page.
func ValidIdempotencyKey(key string) bool { return idempotencyKey.MatchString(key) }

// MediaType returns a Content-Type without parameters, "" if it is invalid.
func MediaType(header string) string {
	kind, _, err := mime.ParseMediaType(header)
	if err != nil {
		return ""
	}
	return kind
}

// WantsJSON reports whether a request sends JSON, or accepts JSON and not HTML.
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
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(body)+1))
	w.WriteHeader(status)
	w.Write(append(body, '\n'))
	return nil
}
