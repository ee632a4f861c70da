package shop

import (
	"net/http"

	"coinslot/app/wire"
	"coinslot/bff/web"
)

// receipt is GET /checkout/{session}/receipt: a paid session's page, to be printed.
func (s *server) receipt(w http.ResponseWriter, r *http.Request) error {
	session, err := s.shopperSession(r.Context(), r.PathValue("session"))
	if err != nil {
		return err
	}
	if session.Status != wire.Confirmed {
		return web.Refuse(wire.CodeNotPossible, "")
	}
	all := s.readEmbed(r, r.URL.Query())
	f := embedOptions{lang: all.lang, accept: all.accept}
	p := s.sessionPage(r.Context(), session, f)
	p.Receipt = true
	return s.writePage(w, r, http.StatusOK, p, f)
}
