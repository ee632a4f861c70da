package shop

import (
	"net/http"

	"coinslot/app/wire"
	"coinslot/bff/web"
)

// receipt is GET /checkout/{session}/receipt: a paid session's page, to be printed.
func (s *sessionReads) receipt(w http.ResponseWriter, r *http.Request) error {
	session, err := s.sessions.find(r.Context(), r.PathValue("session"))
	if err != nil {
		return err
	}
	if session.Status != wire.Confirmed {
		return web.Refuse(wire.CodeNotPossible, "")
	}

	all := s.pages.hosts.read(r, r.URL.Query())
	f := embedOptions{lang: all.lang, accept: all.accept}
	page := s.pages.ofSession(r.Context(), session, f)
	page.Receipt = true
	return s.pages.write(w, r, http.StatusOK, page, f)
}
