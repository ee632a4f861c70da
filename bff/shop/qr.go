package shop

import (
	"bytes"
	"fmt"
	"net/http"
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
func (s *server) qr(w http.ResponseWriter, r *http.Request) error {
	session, err := s.shopperSession(r.Context(), r.PathValue("session"))
	if err != nil {
		return err
	}
	q := r.URL.Query()
	text := s.Checkout.Page + session.ID + embedOptions{lang: s.parseEmbed(q).lang}.query()
	if kind := q.Get("kind"); kind != "page" {
		text, err = s.paymentText(session, kind, q.Get("a"))
	}
	if err != nil {
		return err
	}
	drawn, err := drawQR(text)
	if err != nil {
		return err
	}
	s.SetKind(w, web.KindPicture)
	w.Header().Set("Content-Type", "image/svg+xml")
	web.Send(w, r, http.StatusOK, drawn)
	return nil
}

// paymentText returns the content of a code of that kind for the current attempt. Errors: number
// is given and is another attempt's.
func (s *server) paymentText(session payment.Session, kind, number string) (string, error) {
	a := checkout.View(&session, checkout.ViewOptions{
		Now: session.CreatedAt, Tokens: s.Checkout.Tokens,
	}).Attempt
	switch {
	case a == nil || a.Address == "":
		return "", web.Refuse(wire.CodeNotFound, "")
	case number != "" && number != strconv.Itoa(a.Number):
		// the page that asks is older than the attempt
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
			end, move := x, "m%d 0"
			for end < size && code.Module(end, y) == code.Module(x, y) {
				end++
			}
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
