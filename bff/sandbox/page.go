package sandbox

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	go_qr "github.com/piglig/go-qr"
	"github.com/shopspring/decimal"
)

//go:embed html
var pageFiles embed.FS

// parsePages reads the embedded pages. It panics if one is broken, which a test notices.
func parsePages() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"clock": func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05") },
		"label": Kind.label,
		"kinds": Transaction.possible,
	}).ParseFS(pageFiles, "html/*.html"))
}

// labels are the texts of the buttons; the others are named after their kind.
var labels = map[Kind]string{
	KindPay:       "Pay exactly",
	KindHalf:      "Pay half",
	KindParts:     "Pay in parts",
	KindOver:      "Pay too much",
	KindTenfold:   "Pay ten times too much",
	KindTolerated: "Pay a little less",
	KindLate:      "Pay too late",
}

func (k Kind) label() string { return cmp.Or(labels[k], capitalized(string(k))) }

type payPage struct {
	Transaction
	Refresh string          // content of the refresh header element; empty = none
	Payable decimal.Decimal // what is still to be sent, as a wallet can send it
	Paid    decimal.Decimal
	Left    time.Duration // until the end of the window, whole seconds
	QR      template.HTML
	Kinds   []Kind // what the buttons do
}

// servePage shows the hosted payment page. A pending one looks again every
// three seconds. A final one leads to the callback URL if there is one: at once
// if expired or cancelled, after three seconds if confirmed.
func (s *Server) servePage(w http.ResponseWriter, r *http.Request) {
	t, ok := s.transaction(r.PathValue("code"))
	if !ok {
		http.Error(w, "There is no such payment.", http.StatusNotFound)
		return
	}

	page := payPage{
		Transaction: t,
		Paid:        t.paid(),
		Left:        t.ExpiredAt.Sub(s.now()).Truncate(time.Second),
	}
	page.Payable = decimal.Max(decimal.Zero, t.PayAmount.Sub(page.Paid)).RoundCeil(t.Decimals)
	switch {
	case t.Status == Pending:
		page.Refresh = "3"
		page.QR = qrCode(t.WalletAddress)
		page.Kinds = []Kind{KindPay, KindHalf, KindOver, KindCancel}
	case t.CallbackURL != "" && t.Status == Confirmed:
		page.Refresh = "3;url=" + t.callback()
	case t.CallbackURL != "":
		noStore(w)
		http.Redirect(w, r, t.callback(), http.StatusSeeOther)
		return
	}

	s.render(w, "pay.html", page)
}

func (t *Transaction) callback() string {
	u, err := url.Parse(t.CallbackURL)
	if err != nil {
		panic("sandbox: callback URL was accepted but cannot be read: " + err.Error())
	}
	added := url.Values{"status": {string(t.Status)}, "tracking_code": {t.TrackingCode}}
	if t.OrderIDGiven {
		added.Set("order_id", strconv.FormatInt(t.OrderID, 10))
	}
	u.RawQuery = strings.TrimPrefix(u.RawQuery+"&"+added.Encode(), "&")
	return u.String()
}

func (s *Server) servePageAction(w http.ResponseWriter, r *http.Request) {
	code := r.PathValue("code")
	if err := s.Pay(code, Kind(r.PathValue("kind"))); err != nil {
		http.Error(w, err.Error(), statusOf(err))
		return
	}
	http.Redirect(w, r, "/pay/"+url.PathEscape(code), http.StatusSeeOther)
}

func statusOf(err error) int {
	switch {
	case errors.Is(err, ErrUnknownCode):
		return http.StatusNotFound
	case errors.Is(err, ErrPaid), errors.Is(err, ErrNotPending):
		return http.StatusConflict
	}
	return http.StatusUnprocessableEntity
}

// qrCode draws text as an inline SVG, dark on light in any color scheme, with
// the quiet zone of four modules that scanners need.
func qrCode(text string) template.HTML {
	code, err := go_qr.EncodeText(text, go_qr.Medium)
	if err != nil {
		return "" // longer than any address; the page has the text as well
	}

	var path strings.Builder
	for y := range code.Size() {
		for x := range code.Size() {
			if code.Module(x, y) {
				fmt.Fprintf(&path, "M%d %dh1v1h-1z", x+4, y+4)
			}
		}
	}

	size := code.Size() + 8
	return template.HTML(fmt.Sprintf(`<svg class="qr" viewBox="0 0 %d %d" role="img" `+
		`aria-label="QR code of the address" shape-rendering="crispEdges">`+
		`<path fill="#fff" d="M0 0h%dv%dH0z"/><path d="%s"/></svg>`, size, size, size, size,
		path.String()))
}

// render writes a page. Its styles are inline and it has no scripts.
func (s *Server) render(w http.ResponseWriter, name string, data any) {
	var page strings.Builder
	if err := s.pages.ExecuteTemplate(&page, name, data); err != nil {
		panic("sandbox: rendering " + name + ": " + err.Error())
	}
	noStore(w)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy",
		"default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'")
	w.Header().Set("Referrer-Policy", "same-origin")
	fmt.Fprint(w, page.String())
}

func noStore(w http.ResponseWriter) { w.Header().Set("Cache-Control", "no-store") }
