package shop

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"coinslot/app/widget"
	"coinslot/app/wire"
	"coinslot/bff/payment"
	"coinslot/bff/web"
)

// showSession is GET /checkout/{session}: the page, which works without WebAssembly and
// JavaScript. It schedules a check.
func (s *server) showSession(w http.ResponseWriter, r *http.Request) error {
	session, err := s.shopperSession(r.Context(), r.PathValue("session"))
	if err != nil {
		return err
	}
	s.nudge(r, session)
	f := s.readEmbed(r, r.URL.Query())
	p := s.sessionPage(r.Context(), session, f)
	p.Changing = r.URL.Query().Get("change") == "1" && session.Status != wire.Confirmed
	return s.writePage(w, r, http.StatusOK, applyLinks(p, r.URL.Query()), f)
}

// shopperSession returns a session unless it finished more than COINSLOT_PAGES_FOR ago. Errors:
// *wire.Error with CodeSessionUnknown; the store's.
func (s *server) shopperSession(ctx context.Context, id string) (payment.Session, error) {
	session, err := s.Checkout.Session(ctx, id)
	if err == nil && s.isClosed(session) {
		err = web.Refuse(wire.CodeSessionUnknown, "")
	}
	if err != nil {
		return payment.Session{}, web.StorageError(err)
	}
	return session, nil
}

// isClosed reports whether shoppers can no longer open the session.
func (s *server) isClosed(session payment.Session) bool {
	return session.Tombstone() || session.FinishedFor(s.PagesFor, s.Now())
}

// checkOpen refuses a post to a closed session. It reads the session only if sessions can close.
func (s *server) checkOpen(ctx context.Context, id string) error {
	if s.PagesFor <= 0 {
		return nil
	}
	_, err := s.shopperSession(ctx, id)
	return err
}

// maxPasted is the maximum length of a pasted address, in characters.
const maxPasted = 200

// applyLinks applies the choices of a shopper without WebAssembly, made by links and a form: the
// content of the QR code and the open part, which links then carry, and an address to compare.
func applyLinks(p widget.Page, q url.Values) widget.Page {
	p.LinkQR = q.Get("qr") == "uri"
	if p.LinkQR {
		p.Carry = append(p.Carry, widget.Field{Name: "qr", Value: "uri"})
	}
	if p.Opened = web.OneOf(q.Get("open"), "check", "device"); p.Opened != "" {
		p.Carry = append(p.Carry, widget.Field{Name: "open", Value: p.Opened})
	}
	pasted := []rune(strings.ToValidUTF8(strings.TrimSpace(q.Get("check")), "\ufffd"))
	p.Pasted = string(pasted[:min(len(pasted), maxPasted)])
	return p
}

// view is GET /checkout/{session}/view.
func (s *server) view(w http.ResponseWriter, r *http.Request) error {
	session, err := s.shopperSession(r.Context(), r.PathValue("session"))
	if err != nil {
		return err
	}
	s.nudge(r, session)
	return s.respondView(w, r, session)
}

func (s *server) respondView(
	w http.ResponseWriter, r *http.Request, session payment.Session,
) error {
	p := s.sessionPage(r.Context(), session, s.readEmbed(r, r.URL.Query()))
	return web.Respond(w, http.StatusOK, p.View)
}
