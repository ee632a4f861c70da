package web

import (
	"net/http"
	"strconv"

	"coinslot/app/wire"
)

// receipt is GET /checkout/{session}/receipt: the page of a paid session on its
// own, to be kept or printed.
func (s *server) receipt(w http.ResponseWriter, r *http.Request) error {
	session, err := s.shopperSession(r.Context(), r.PathValue("session"))
	if err != nil {
		return err
	}
	if session.Status != wire.Confirmed {
		return refuse(wire.CodeNotPossible, "")
	}
	all := s.framedOf(r, r.URL.Query())
	f := framed{lang: all.lang, accept: all.accept}
	p := s.sessionPage(r.Context(), session, f)
	p.Receipt = true
	return s.write(w, r, http.StatusOK, p, f)
}

// keySet is GET /.well-known/jwks.json: the public keys by which receipts are
// verified, for anybody and from anywhere. A new key is known to all five minutes
// after it signs. Sources: RFC 7517, 8.5.1; RFC 8615.
func (s *server) keySet(w http.ResponseWriter, _ *http.Request) error {
	s.as(w, kindPublished)
	w.Header().Set("Content-Type", "application/jwk-set+json")
	w.Header().Set("Content-Length", strconv.Itoa(len(s.KeySet)))
	w.WriteHeader(http.StatusOK)
	w.Write(s.KeySet) // a client that has gone is not our error
	return nil
}
