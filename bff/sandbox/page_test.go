package sandbox

import (
	"image"
	"image/color"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"coinslot/bff/fortest"

	go_qr "github.com/piglig/go-qr"
)

// visit sends what a browser would and does not follow redirects.
func visit(s *Server, method, target, form string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "http://127.0.0.1"+target, strings.NewReader(form))
	if method == "POST" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

func TestHostedPage(t *testing.T) {
	const callback = `"https://shop.example/back?cart=1&x=a%20b#top"`
	tests := []struct {
		name     string
		callback string
		orderID  string
		kind     Kind // none = pending
		refresh  string
		location string
		text     string
	}{
		{"pending", callback, "", "", "3", "", "Send exactly"},
		{"half", callback, "", KindHalf, "3", "", `id="paid">12.5 USDT`},
		{
			"confirmed", callback, "123456", KindPay,
			"3;url=https://shop.example/back?cart=1&amp;x=a%20b&amp;order_id=123456&amp;status=confirmed&amp;tracking_code=CODE#top",
			"", "Payment received",
		},
		{
			"confirmed without order", callback, "", KindPay,
			"3;url=https://shop.example/back?cart=1&amp;x=a%20b&amp;status=confirmed&amp;tracking_code=CODE#top",
			"", "Payment received",
		},
		{
			"expired", callback, "123456", KindExpire, "",
			"https://shop.example/back?cart=1&x=a%20b&order_id=123456&status=expired&tracking_code=CODE#top",
			"",
		},
		{
			"cancelled", `"https://shop.example"`, "", KindCancel, "",
			"https://shop.example?status=cancelled&tracking_code=CODE", "",
		},
		{"confirmed, no callback", "", "", KindPay, "", "", "25 USDT arrived"},
		{"expired, no callback", "", "", KindExpire, "", "", "Payment expired"},
		{"cancelled, no callback", "", "", KindCancel, "", "", "Payment cancelled"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := New(Config{})
			code := createWith(
				t,
				s,
				with(t, map[string]string{"callback_url": tt.callback, "order_id": tt.orderID}),
			).TrackingCode
			if tt.kind != "" {
				fortest.OK(t, s.Pay(code, tt.kind))
			}
			w := visit(s, "GET", "/pay/"+code, "")
			location := strings.ReplaceAll(w.Header().Get("Location"), code, "CODE")
			body := strings.ReplaceAll(w.Body.String(), code, "CODE")
			if location != tt.location || !strings.Contains(body, tt.text) {
				t.Errorf("location %q; want %q; text %q is in the page: %t", location, tt.location,
					tt.text, strings.Contains(body, tt.text))
			}
			refresh := ""
			found := regexp.MustCompile(`http-equiv="refresh" content="([^"]*)"`).FindStringSubmatch(body)
			if found != nil {
				refresh = strings.ReplaceAll(found[1], "&#43;", "+")
			}
			fortest.Equal(t, refresh, tt.refresh, "refresh")
			fortest.Equal(t, w.Header().Get("Cache-Control"), "no-store", "the page may be cached")
		})
	}
}

func TestHostedPageActs(t *testing.T) {
	s := New(Config{})
	made := create(t, s)
	code := made.TrackingCode
	fortest.Equal(t, "http://gateway.example/pay/"+code, made.PaymentURL,
		"payment_url = %q; want", made.PaymentURL)
	page := visit(s, "GET", "/pay/"+code, "").Body.String()
	for _, part := range []string{
		made.WalletAddress, ">25</span> USDT", "<svg", `action="/pay/` + code + `/pay"`,
		`action="/pay/` + code + `/cancel"`,
	} {
		fortest.Has(t, "the page", page, part)
	}
	w := visit(s, "POST", "/pay/"+code+"/pay", "")
	if w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/pay/"+code {
		t.Errorf("pressing pay = %d to %q", w.Code, w.Header().Get("Location"))
	}
	fortest.Equal(t, status(t, s, code).Status, Confirmed, "after pressing pay")
	for target, want := range map[string]int{
		"/pay/" + code + "/cancel": 409,
		"/pay/" + code + "/steal":  422,
		"/pay/nobody/pay":          404,
	} {
		fortest.Equal(t, visit(s, "POST", target, "").Code, want, "POST %s", target)
	}
	fortest.Equal(t, visit(s, "GET", "/pay/nobody", "").Code, http.StatusNotFound,
		"page of an unknown code")
}

func TestHostedPageExpiresByTheClock(t *testing.T) {
	c := newClock()
	s := New(Config{Now: c.now})
	code := createWith(t, s,
		with(t, map[string]string{"callback_url": `"https://shop.example/back"`})).TrackingCode
	fortest.Answer(t, "the page", visit(s, "GET", "/pay/"+code, ""), 200, "14m59s")
	c.advance(15 * time.Minute)
	got, err := url.Parse(visit(s, "GET", "/pay/"+code, "").Header().Get("Location"))
	if err != nil || got.Host != "shop.example" || got.Query().Get("status") != "expired" {
		t.Errorf("location = %v, %v", got, err)
	}
}

// TestHostileText shows comments as text.
func TestHostileText(t *testing.T) {
	s := New(Config{})
	createWith(t, s, with(t, map[string]string{"comment": `"<script>alert(1)</script>"`}))
	body := visit(s, "GET", "/sandbox/", "").Body.String()
	if strings.Contains(body, "<script") || !strings.Contains(body, "&lt;script&gt;") {
		t.Error("the control page shows a comment as markup")
	}
}

// TestQRCode draws the SVG's path and reads it back.
func TestQRCode(t *testing.T) {
	const text = "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"
	svg := string(qrCode(text))
	size := fortest.Must(strconv.Atoi(regexp.MustCompile(`viewBox="0 0 (\d+) `).FindStringSubmatch(svg)[1]))(t)
	const scale = 8
	picture := image.NewGray(image.Rect(0, 0, size*scale, size*scale))
	for i := range picture.Pix {
		picture.Pix[i] = 255
	}
	for _, m := range regexp.MustCompile(`M(\d+) (\d+)h1v1h-1z`).FindAllStringSubmatch(svg, -1) {
		x, _ := strconv.Atoi(m[1])
		y, _ := strconv.Atoi(m[2])
		for dy := range scale {
			for dx := range scale {
				picture.SetGray(x*scale+dx, y*scale+dy, color.Gray{})
			}
		}
	}
	if got, err := go_qr.Decode(picture); err != nil || got != text {
		t.Errorf("the code reads %q, %v; want %q", got, err, text)
	}
}
