package web

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"

	"coinslot/app/wire"
	"coinslot/bff/logs"
	"coinslot/bff/web/problems"
)

// Refuse returns an error that clients may see.
func Refuse(code wire.Code, param string) error {
	return &wire.Error{Code: code, Param: param, Detail: string(code)}
}

// publicError is what clients may see of an error.
func publicError(err error) wire.Error {
	e := wire.Error{Code: wire.CodeInternal}
	own := ""
	if known, is := errors.AsType[*wire.Error](err); is {
		e.Code = known.Code
		e.Param = known.Param
		e.Status = known.Status
		own = ownDetail(known)
	} else if _, is := errors.AsType[*http.MaxBytesError](err); is {
		e.Code = wire.CodeTooLarge
	}

	a, ok := problems.Answers[e.Code]
	if !ok {
		e.Code = wire.CodeInternal
		a = problems.Answers[e.Code]
	}

	e.Type = errorDocs + string(e.Code)
	e.Status = cmp.Or(e.Status, a.Status)
	e.Title = http.StatusText(e.Status)
	e.Detail = cmp.Or(own, a.Detail)
	return e
}

// ownDetail returns the error's own sentence about a value, "" for that of the table. It quotes
// nothing of the request.
func ownDetail(e *wire.Error) string {
	if e.Detail == string(e.Code) {
		return ""
	}
	switch e.Code {
	case wire.CodeInvalid, wire.CodeOrderInvalid, wire.CodeBadJSON,
		wire.CodeAmountInvalid, wire.CodeCurrencyUnsupported, wire.CodeRateUnavailable:
		return e.Detail
	}
	return ""
}

// errorDocs is the page that explains the codes, docs/errors.md.
const errorDocs = "/docs/errors#"

// StorageError marks an error of the database; it returns nil and a *wire.Error unchanged.
func StorageError(err error) error {
	_, known := errors.AsType[*wire.Error](err)
	if err == nil || known {
		return err
	}
	return fmt.Errorf("%w: %w", Refuse(wire.CodeStorageUnavailable, ""), err)
}

// writeProblem writes err as application/problem+json. Source: RFC 9457.
func (s *Server) writeProblem(w http.ResponseWriter, r *http.Request, err error) {
	e := s.logError(r, err)
	s.SetKind(w, KindData)
	h := w.Header()
	h.Set("Content-Type", "application/problem+json")
	if e.Status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", `Bearer realm="coinslot"`)
	}

	setRetryAfter(h, e.Status, err)
	if e.Status == http.StatusUpgradeRequired { // RFC 9110, 15.5.22; RFC 6455, 4.4
		h.Set("Connection", "Upgrade")
		h.Set("Upgrade", "websocket")
		h.Set("Sec-WebSocket-Version", "13")
	}

	w.WriteHeader(e.Status)
	json.NewEncoder(w).Encode(e)
}

// logError logs err, at level error if it is the server's fault, and returns its public form.
func (s *Server) logError(r *http.Request, err error) wire.Error {
	e := publicError(err)
	e.RequestID = logs.Request(r.Context())
	level := slog.LevelDebug
	if e.Status >= 500 && !errors.Is(err, context.Canceled) {
		level = slog.LevelError
	}
	s.Log.Log(r.Context(), level, "request refused", "code", e.Code, "route", routePath(r), "error",
		err)
	return e
}
