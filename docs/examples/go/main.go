// A shop with a Coinslot checkout, in Go with the client of package coinslot/client.
//
// export COINSLOT_URL=http://localhost:8080 # the checkout's COINSLOT_PUBLIC_URL
// export COINSLOT_SECRET_KEY=... # the same value
// export COINSLOT_WEBHOOK_SECRET=whsec_... # the same value
// go run ./docs/examples/go
//
// It listens on SHOP_LISTEN (127.0.0.1:3000), and browsers reach it at SHOP_URL
// (http://127.0.0.1:3000). In the checkout, set COINSLOT_ORIGINS to SHOP_URL and
// COINSLOT_WEBHOOK_URL to SHOP_URL/hooks/coinslot. SHOP_TEST=1 accepts play money: never set it in
// production.
//
// Copy coinslot.go into your shop. orders.go stands for your database, and the goods below for
// your products.
package main

import (
	"context"
	"crypto/rand"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"log"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"coinslot/client"
)

// product is something that the shop sells. Only the server's prices count.
type product struct {
	ID, Name, About string
	Cents           int64 // US cents
}

var goods = []product{
	{"notebook", "Notebook", "Stitched, 144 pages, lies flat", 1400},
	{"pencils", "Pencils", "Six, in a tin", 950},
	{"postcards", "Postcards", "Ten birds of the coast", 420},
}

//go:embed pages.html shop.css
var files embed.FS

var pages = template.Must(template.New("").
	Funcs(template.FuncMap{"dollars": dollars}).ParseFS(files, "pages.html"))

// dollars formats cents for the checkout: "14.00".
func dollars(cents int64) string { return fmt.Sprintf("%d.%02d", cents/100, cents%100) }

// shop serves browsers and receives webhooks.
type shop struct {
	url        string // of this shop
	test       bool   // accepts play money
	checkout   client.Client
	hookSecret string // whsec_...
	orders     orders
}

func main() {
	s := &shop{
		url:  setting("SHOP_URL", "http://127.0.0.1:3000"),
		test: os.Getenv("SHOP_TEST") == "1",
		checkout: client.Client{
			URL: setting("COINSLOT_URL", "http://localhost:8080"),
			Key: setting("COINSLOT_SECRET_KEY", ""),
		},
		hookSecret: setting("COINSLOT_WEBHOOK_SECRET", ""),
		orders:     orders{byID: map[string]order{}, events: map[string]bool{}},
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	server := &http.Server{
		Addr: setting("SHOP_LISTEN", "127.0.0.1:3000"), Handler: s.routes(),
		ReadHeaderTimeout: 5 * time.Second,
	}
	go func() {
		<-ctx.Done()
		if err := server.Shutdown(context.Background()); err != nil {
			log.Printf("shop: stopping: %v", err)
		}
	}()
	log.Printf("shop: open %s", s.url)
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		log.Fatalf("shop: %v", err)
	}
}

// setting returns an environment variable or its default; without a default it is required.
func setting(name, standard string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	if standard == "" {
		log.Fatalf("shop: %s is not set", name)
	}
	return standard
}

func (s *shop) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.showGoods)
	mux.HandleFunc("POST /orders", s.buy)
	mux.HandleFunc("GET /orders/{id}", s.showOrder)
	mux.HandleFunc("GET /orders/{id}/thanks", s.showThanks)
	mux.HandleFunc("POST /hooks/coinslot", s.receiveWebhook)
	mux.Handle("GET /shop.css", http.FileServerFS(files))
	return mux
}

// showGoods shows the page with the cart. The form has an order number, so that sending it twice
// makes one order.
func (s *shop) showGoods(w http.ResponseWriter, _ *http.Request) {
	s.show(w, "goods", map[string]any{"Goods": goods, "Order": rand.Text()[:12]})
}

// buy stores the order, creates its session and redirects to its page.
func (s *shop) buy(w http.ResponseWriter, r *http.Request) {
	o := cart(r)
	if o.Cents == 0 || len(o.ID) != 12 {
		http.Redirect(w, r, "/", http.StatusSeeOther)
		return
	}
	o = s.orders.add(o)
	if o.Session == "" {
		session, err := s.openSession(r.Context(), o)
		if err != nil {
			log.Printf("shop: order %s: %v", o.ID, err)
			http.Error(w, "The checkout does not answer. Nothing was charged; "+
				"please go back and try again.", http.StatusBadGateway)
			return
		}
		s.orders.setSession(o.ID, session)
	}
	http.Redirect(w, r, "/orders/"+o.ID, http.StatusSeeOther)
}

// cart reads the quantities from the form; names and prices are the server's own.
func cart(r *http.Request) order {
	o := order{ID: r.PostFormValue("order")}
	var names []string
	for _, p := range goods {
		n, err := strconv.Atoi(r.PostFormValue(p.ID))
		if err != nil || n < 1 || n > 9 {
			continue
		}
		o.Cents += int64(n) * p.Cents
		names = append(names, fmt.Sprintf("%d × %s", n, p.Name))
	}
	o.Title = strings.Join(names, ", ")
	return o
}

// showOrder shows an order with its checkout until it is paid.
func (s *shop) showOrder(w http.ResponseWriter, r *http.Request) {
	switch o, ok := s.orders.find(r.PathValue("id")); {
	case !ok || o.Session == "":
		http.NotFound(w, r)
	case o.Paid:
		http.Redirect(w, r, "/orders/"+o.ID+"/thanks", http.StatusSeeOther)
	default:
		s.show(w, "order", map[string]any{"Order": o, "Checkout": s.checkout.URL})
	}
}

// showThanks shows the order's status from the shop's own records. It ignores the rest of the
// address, like status=confirmed.
func (s *shop) showThanks(w http.ResponseWriter, r *http.Request) {
	o, ok := s.orders.find(r.PathValue("id"))
	if !ok || o.Session == "" {
		http.NotFound(w, r)
		return
	}
	s.show(w, "thanks", map[string]any{"Order": o, "Checkout": s.checkout.URL})
}

// show writes a page with a strict policy: it allows only the checkout's script and frame.
func (s *shop) show(w http.ResponseWriter, page string, data any) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; "+
		"form-action 'self'; base-uri 'none'; frame-ancestors 'none'; "+
		"script-src "+s.checkout.URL+"; frame-src "+s.checkout.URL)
	if err := pages.ExecuteTemplate(w, page, data); err != nil {
		log.Printf("shop: %v", err)
	}
}
