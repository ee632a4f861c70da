package shop

import (
	"errors"
	"net/http"

	"coinslot/app/wire"
	"coinslot/bff/web"
)

// checkPost refuses a shopper's post unless it is of the same origin, with a body that is JSON, a
// form or empty. It sets r.PostForm if the body is a form. Errors: *wire.Error.
func checkPost(site *web.Server, r *http.Request) error {
	if err := site.SameOrigin(r); err != nil {
		return err
	}
	kind, err := web.ContentType(r)
	if err != nil {
		return err
	}
	switch {
	case kind == "application/json":
		return nil
	case kind == "application/x-www-form-urlencoded":
		return parseForm(r)
	case kind == "" && r.ContentLength == 0:
		return nil
	}
	return web.Refuse(wire.CodeMediaType, "Content-Type")
}

func parseForm(r *http.Request) error {
	err := r.ParseForm()
	if err == nil {
		return nil
	}
	if _, is := errors.AsType[*http.MaxBytesError](err); is {
		return web.Refuse(wire.CodeTooLarge, "")
	}
	return web.Refuse(wire.CodeInvalid, "")
}
