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

// showSession is GET /checkout/{session}: the page, complete without WebAssembly
// and without JavaScript. Opening it makes the next check sooner.
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

// shopperSession returns the session of that id for a shopper, who cannot open a
// finished one for longer than COINSLOT_PAGES_FOR. Errors: *wire.Error with
// CodeSessionUnknown; the store's.
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

// isClosed reports whether shoppers cannot open the session any more.
func (s *server) isClosed(session payment.Session) bool {
	return session.Tombstone() || session.FinishedFor(s.PagesFor, s.Now())
}

// checkOpen refuses a shopper's post to a session that they cannot open any more. The
// extra read is made only where that can happen.
func (s *server) checkOpen(ctx context.Context, id string) error {
	if s.PagesFor <= 0 {
		return nil
	}
	_, err := s.shopperSession(ctx, id)
	return err
}

// maxPasted is how many characters of a pasted address are taken.
const maxPasted = 200

// applyLinks sets what a shopper without WebAssembly asks of the pay screen by links
// and a form: what the QR code holds, which part is open, and what an address is
// to be compared with. The first two stay for as long as nothing else is asked.
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
	return web.Respond(
		w, http.StatusOK, s.sessionPage(r.Context(), session, s.readEmbed(r, r.URL.Query())).View,
	)
}
