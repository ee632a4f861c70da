package shop

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"coinslot/app/wire"
	"coinslot/bff/checkout"
	"coinslot/bff/payment"
	"coinslot/bff/web"

	qrcode "github.com/piglig/go-qr"
)

// qr is GET /checkout/{session}/qr.svg: the current attempt's address, with ?kind=uri its payment
// URI, or with ?kind=page the URL of the page, in the language of ?lang=, for another device. The
// gateway's own QR code is never used.
func (s *sessionReads) qr(w http.ResponseWriter, r *http.Request) error {
	session, err := s.sessions.find(r.Context(), r.PathValue("session"))
	if err != nil {
		return err
	}

	text, err := s.qrText(session, r.URL.Query())
	if err != nil {
		return err
	}

	drawn, err := drawQR(text)
	if err != nil {
		return err
	}

	s.pages.site.SetKind(w, web.KindPicture)
	w.Header().Set("Content-Type", "image/svg+xml")
	web.Send(w, r, http.StatusOK, drawn)
	return nil
}

// qrText returns the content of the code that q asks for. Errors: the attempt "a" is given and is
// not the current one; there is no such code.
func (s *sessionReads) qrText(session payment.Session, q url.Values) (string, error) {
	kind := q.Get("kind")
	if kind == "page" {
		lang := s.pages.hosts.parse(q).lang
		return s.checkout.Page + session.ID + embedOptions{lang: lang}.query(), nil
	}

	options := checkout.ViewOptions{Now: session.CreatedAt, Tokens: s.checkout.Tokens}
	a := checkout.View(&session, options).Attempt
	number := q.Get("a")
	switch {
	case a == nil || a.Address == "":
		return "", web.Refuse(wire.CodeNotFound, "")
	case number != "" && number != strconv.Itoa(a.Number):
		// The page that asks is older than the attempt.
		return "", web.Refuse(wire.CodeNotFound, "a")
	case kind == "" || kind == "address":
		return a.Address, nil
	case kind == "uri" && a.URI != "":
		return a.URI, nil
	}

	return "", web.Refuse(wire.CodeNotFound, "kind")
}

// drawQR returns an SVG with a quiet zone of four modules, one unit per module. Its path has a
// line for each run of dark modules, relative to the one before: that is a third of the bytes, on
// the wire, of the library's outlines.
func drawQR(text string) ([]byte, error) {
	code, err := qrcode.EncodeText(text, qrcode.Medium)
	if err != nil {
		return nil, fmt.Errorf("drawing a QR code: %w", err)
	}

	const quiet = 4
	size := code.Size()
	var path bytes.Buffer
	for y := range size {
		fmt.Fprintf(&path, "M%d %d.5", quiet, quiet+y)
		for x := 0; x < size; {
			end := x
			for end < size && code.Module(end, y) == code.Module(x, y) {
				end++
			}
			move := "m%d 0"
			if code.Module(x, y) {
				move = "h%d"
			}
			fmt.Fprintf(&path, move, end-x)
			x = end
		}
	}

	return fmt.Appendf(nil, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %[1]d %[1]d"`+
		` shape-rendering="crispEdges"><path fill="#fff" d="M0 0h%[1]dv%[1]dH0z"/>`+
		`<path stroke="#000" d="%[2]s"/></svg>`, size+2*quiet, path.Bytes()), nil
}
