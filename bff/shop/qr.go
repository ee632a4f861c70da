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

// drawQR returns an SVG with a quiet zone of four modules, one unit per module.
func drawQR(text string) ([]byte, error) {
	code, err := qrcode.EncodeText(text, qrcode.Medium)
	if err != nil {
		return nil, fmt.Errorf("drawing a QR code: %w", err)
	}
	picture, err := code.ToSVGBytes(qrcode.NewQrCodeImgConfig(1, 4, qrcode.WithOptimalSVG()))
	if err != nil {
		return nil, fmt.Errorf("drawing a QR code: %w", err)
	}
	return bytes.Replace(
		picture, []byte(` stroke="none"`), []byte(` shape-rendering="crispEdges"`), 1,
	), nil
}
