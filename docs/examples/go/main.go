// A shop with a Coinslot checkout, with package coinslot/client. ../README.md says how to start it
// and what to replace.
package main

import (
	"cmp"
	"crypto/rand"
	"embed"
	"fmt"
	"html/template"
	"io"
	"log"
	"net/http"
	"os"
	"sync"

	"coinslot/client"
)

// Prices are in US cents. Only the server's prices count.
var goods = []struct {
	Key, Name string
	Cents     int
}{{"notebook", "Notebook", 1400}, {"pencils", "Pencils", 950}, {"postcards", "Postcards", 420}}

func dollars(cents int) string { return fmt.Sprintf("%d.%02d", cents/100, cents%100) }

// frame returns the address of the checkout's frame in the page.
func frame(session string) string {
	return client.CheckoutFrame(checkout.URL, client.Frame{
		Session: session,
		Origin:  shop,
		Lang:    "en",
	})
}

type order struct {
	ID, Title, Amount, Session string
	Paid                       bool
}

//go:embed shop.html shop.css
var files embed.FS

var (
	page = template.Must(template.New("").
		Funcs(template.FuncMap{"dollars": dollars, "frame": frame}).
		ParseFS(files, "shop.html"))
	checkout = client.Client{
		URL: cmp.Or(os.Getenv("COINSLOT_URL"), "http://localhost:8080"),
		Key: os.Getenv("COINSLOT_SECRET_KEY"),
	}
	shop = cmp.Or(os.Getenv("SHOP_URL"), "http://127.0.0.1:3000")

	mu     sync.Mutex // guards the maps, which stand for two tables:
	orders = map[string]order{}
	events = map[string]bool{} // with a unique index on the event's id
)

func main() {
	http.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		show(w, map[string]any{"Goods": goods, "Number": rand.Text()})
	})
	http.Handle("GET /shop.css", http.FileServerFS(files))
	http.HandleFunc("POST /orders", buy)
	http.HandleFunc("GET /orders/{id}", showOrder)
	http.HandleFunc("GET /orders/{id}/thanks", showOrder)
	http.HandleFunc("POST /hooks/coinslot", receiveWebhook)
	log.Printf("open %s", shop)
	log.Fatal(http.ListenAndServe(cmp.Or(os.Getenv("SHOP_LISTEN"), "127.0.0.1:3000"), nil))
}

// buy stores an order, creates its session and leads to its page. A form that is sent twice is one
// order, because the session has the order's number as its idempotency key.
func buy(w http.ResponseWriter, r *http.Request) {
	o := order{ID: r.PostFormValue("order")}
	cents := 0
	for _, p := range goods {
		n := r.PostFormValue(p.Key)
		if len(n) == 1 && "1" <= n && n <= "9" {
			cents += int(n[0]-'0') * p.Cents
			o.Title += ", " + n + " × " + p.Name
		}
	}
	if cents == 0 || len(o.ID) != len(rand.Text()) {
		http.Redirect(w, r, "/", http.StatusSeeOther)
		return
	}

	o.Title = o.Title[2:]
	o.Amount = dollars(cents)
	mu.Lock()
	before, known := orders[o.ID]
	if known && before.Title != o.Title { // another cart is another order
		o.ID = rand.Text()
		known = false
	}
	if !known {
		orders[o.ID] = o
	}

	mu.Unlock()
	session, err := checkout.CreateSession(r.Context(), client.NewSession{
		AmountUSD:      o.Amount,
		OrderRef:       o.ID,
		IdempotencyKey: o.ID,
		Title:          o.Title,
		SuccessURL:     shop + "/orders/" + o.ID + "/thanks",
	})
	if err != nil {
		log.Printf("order %s: %v", o.ID, err)
		http.Error(w, "The checkout does not answer. Nothing was charged; please go back and "+
			"try again.", http.StatusBadGateway)
		return
	}

	mu.Lock()
	o = orders[o.ID] // it may be paid by now
	o.Session = session.ID
	orders[o.ID] = o
	mu.Unlock()
	http.Redirect(w, r, "/orders/"+o.ID, http.StatusSeeOther)
}

// showOrder shows an order by the shop's own records. The address proves nothing, even with
// status=confirmed.
func showOrder(w http.ResponseWriter, r *http.Request) {
	mu.Lock()
	o, ok := orders[r.PathValue("id")]
	mu.Unlock()
	if !ok {
		http.NotFound(w, r)
		return
	}
	show(w, map[string]any{"Order": o, "Thanks": r.URL.Path != "/orders/"+o.ID})
}

func show(w http.ResponseWriter, data map[string]any) {
	data["Checkout"] = checkout.URL
	if err := page.ExecuteTemplate(w, "shop.html", data); err != nil {
		log.Print(err)
	}
}

// receiveWebhook answers the checkout, which sends an event again unless the status is 2xx.
func receiveWebhook(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20)) // what is cut off is not signed
	e, err := client.VerifyWebhook(os.Getenv("COINSLOT_WEBHOOK_SECRET"), r.Header, body)
	if err != nil {
		http.Error(w, "not signed by the checkout", http.StatusUnauthorized)
		return
	}

	paid, err := e.Session()
	status := http.StatusNoContent
	if e.Type == "checkout.confirmed" && err == nil {
		status = record(e.ID, paid)
	}

	w.WriteHeader(status)
}

// record marks an order as paid, once. It returns the status for the checkout, and logs money that
// fits no order.
func record(event string, paid client.Session) int {
	mu.Lock()
	defer mu.Unlock()
	o, ok := orders[paid.OrderRef]
	payment := fmt.Sprintf("order %q, amount %q", paid.OrderRef, paid.AmountUSD)
	switch {
	case paid.Test && os.Getenv("SHOP_TEST") != "1":
		log.Print(payment + ": rejected play money; SHOP_TEST=1 accepts it")
	case o.Amount != paid.AmountUSD:
		log.Print(payment + ": the shop has no such order: needs review")
		if paid.OrderRef != "" && !ok {
			return http.StatusServiceUnavailable // it may not be stored yet
		}
	case !events[event] && !o.Paid:
		log.Printf("order %s is paid: ship it", o.ID)
		o.Paid = true
		orders[o.ID] = o
		events[event] = true
	}

	return http.StatusNoContent
}
