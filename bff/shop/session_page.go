package shop

import (
	"net/http"
	"net/url"
	"strings"

	"coinslot/app/widget"
	"coinslot/app/wire"
	"coinslot/bff/checkout"
	"coinslot/bff/web"
)

// sessionReads answers reads of a stored session: its page, view, receipt and QR codes.
type sessionReads struct {
	checkout *checkout.Service
	pages    *pages
	sessions *sessions
}

// show is GET /checkout/{session}: the page, which works without WebAssembly and JavaScript. It
// schedules a check.
func (s *sessionReads) show(w http.ResponseWriter, r *http.Request) error {
	session, err := s.sessions.find(r.Context(), r.PathValue("session"))
	if err != nil {
		return err
	}
	s.sessions.nudge(r, session)

	q := r.URL.Query()
	f := s.pages.hosts.read(r, q)
	page := s.pages.ofSession(r.Context(), session, f)
	page.Changing = q.Get("change") == "1" && session.Status != wire.Confirmed
	return s.pages.write(w, r, http.StatusOK, applyLinks(page, q), f)
}

// maxPasted is the maximum length of a pasted address, in characters.
const maxPasted = 200

// applyLinks applies the choices of a shopper without WebAssembly, made by links and a form: the
// content of the QR code and the open part, which links then carry, and an address to compare.
func applyLinks(page widget.Page, q url.Values) widget.Page {
	page.QRKind = web.OneOf(q.Get("qr"), "uri", "address")
	if page.QRKind != "" {
		page.Carry = append(page.Carry, widget.Field{Name: "qr", Value: page.QRKind})
	}

	page.Opened = web.OneOf(q.Get("open"), "check", "device", "scan", "apps")
	if page.Opened != "" {
		page.Carry = append(page.Carry, widget.Field{Name: "open", Value: page.Opened})
	}

	pasted := []rune(strings.ToValidUTF8(strings.TrimSpace(q.Get("check")), "\ufffd"))
	page.Pasted = string(pasted[:min(len(pasted), maxPasted)])
	return page
}
