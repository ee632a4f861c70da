package shop

import (
	"strings"
	"testing"
	"time"

	"coinslot/bff/check"
	"coinslot/bff/fortest"
)

func TestDoctorText(t *testing.T) {
	e := check.Embedding{
		URL: "https://pay.example", Version: "1.0.0", API: true,
		Given: "https://shop.example", Origin: "https://shop.example", Listed: true,
		Pasted: "content-security-policy: frame-src 'self'", Code: "csp_frame_src",
	}
	var b strings.Builder
	newReport(e, time.Unix(0, 0)).print(&b)
	for _, want := range []string{
		"Checkout at https://pay.example, checkout.js 1.0.0, 1970-01-01T00:00:00.000Z\n\n",
		"csp_frame_src: ",
		"    frame-src https://pay.example\n",
		"  FAIL  page-frame     Your page's policy: the frame. frame-src blocks the frame.",
		"    frame-src 'self' https://pay.example\n",
		"11 more checks",
		"'https://pay.example/checkout/doctor?origin=https://shop.example'",
	} {
		fortest.Has(t, "the text", b.String(), want)
	}
}
