package demo

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"coinslot/bff/config"
	"coinslot/bff/internal/background"
	"coinslot/client"
	"coinslot/static"
)

// shop opens sessions with its secret key, shows them by the script tag, and trusts signed webhooks
// only.
type shop struct {
	*http.ServeMux
	api    *client.Client
	secret config.Secret // signs webhooks
	page   *template.Template

	mu       sync.Mutex // guards messages
	messages []string   // received webhooks, newest first
}

// product has the Session and URL of the shopper's order, and the address of its checkout's frame.
// Price is Amount and Currency for people.
type product struct {
	ID          string
	Title       string
	Description string
	Amount      string
	Currency    string
	Price       string
	Session     string
	URL         string
	Frame       string
}

func products() []product {
	return []product{
		{
			ID:          "coffee",
			Title:       "House blend, 500 g",
			Amount:      "18.50",
			Currency:    "USD",
			Price:       "$18.50",
			Description: "Whole beans, roasted on Tuesdays.",
		},
		{
			ID:          "tickets",
			Title:       "Two tickets, Saturday",
			Amount:      "25.00",
			Currency:    "USD",
			Price:       "$25.00",
			Description: "Doors open at eight.",
		},
		{
			ID:          "moka",
			Title:       "Moka pot, three cups",
			Amount:      "32.00",
			Currency:    "EUR",
			Price:       "€32.00",
			Description: "Polished steel, from Naples.",
		},
	}
}

// newShop returns the shop of a folder like package static; nil = the built-in one. webhooks are
// those of an earlier run.
func newShop(c config.Config, from fs.FS, webhooks []string) (*shop, error) {
	if from == nil {
		from = static.Shop
	}

	files, err := fs.Sub(from, "shop")
	if err != nil {
		return nil, fmt.Errorf("making the demo shop: %w", err)
	}

	page, err := template.ParseFS(files, "index.html", "orders.html")
	if err != nil {
		return nil, fmt.Errorf("making the demo shop: %w", err)
	}

	s := &shop{
		ServeMux: http.NewServeMux(),
		page:     page,
		secret:   c.WebhookSecrets[0],
		messages: webhooks,
		api:      &client.Client{URL: c.PublicURL, Key: c.SecretKeys[0].Reveal()},
	}
	s.HandleFunc("GET /{$}", s.home)
	s.HandleFunc("GET /orders", s.orders)
	s.HandleFunc("POST "+webhookPath, s.webhook)
	s.Handle("GET /", http.FileServerFS(files))
	return s, nil
}

var cartID = regexp.MustCompile(`^[a-z0-9]{4,8}$`)

// home shows the shop. The cart in the URL keeps the orders on a reload.
func (s *shop) home(w http.ResponseWriter, r *http.Request) {
	cart := r.URL.Query().Get("cart")
	if !cartID.MatchString(cart) {
		http.Redirect(w, r, "/?cart="+strings.ToLower(rand.Text()[:4]), http.StatusSeeOther)
		return
	}

	items := products()
	for i := range items {
		if err := s.open(r.Context(), &items[i], cart); err != nil {
			http.Error(w, "the checkout does not answer: "+err.Error(), http.StatusBadGateway)
			return
		}
	}

	var out bytes.Buffer
	if err := s.page.Execute(&out, map[string]any{"Base": s.api.URL, "Items": items}); err != nil {
		http.Error(w, "showing the shop: "+err.Error(), http.StatusInternalServerError)
		return
	}

	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy",
		"default-src 'none'; script-src 'self' "+s.api.URL+
			"; style-src 'self'; img-src 'self' data:; connect-src 'self'; frame-src "+s.api.URL)
	w.Write(out.Bytes())
}

// open opens the session of a product in a cart by the public API. A repeated order_ref returns the
// same session.
func (s *shop) open(ctx context.Context, p *product, cart string) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	order := client.NewSession{
		Amount:   p.Amount,
		Currency: p.Currency,
		OrderRef: cart + "-" + p.ID,
		Title:    p.Title,
	}
	session, err := s.api.CreateSession(ctx, order)
	for client.IsCode(err, "rate_unavailable") && background.Sleep(ctx, 50*time.Millisecond) {
		session, err = s.api.CreateSession(ctx, order) // the demo's rates are read when it starts
	}
	p.Session = session.ID
	p.URL = session.URL
	p.Frame = client.CheckoutFrame(s.api.URL, client.Frame{Session: session.ID, Lang: "en"})
	return err
}

// webhook receives webhooks and rejects those without a valid signature.
func (s *shop) webhook(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 256<<10))
	if err != nil {
		http.Error(w, "unreadable", http.StatusBadRequest)
		return
	}

	event, err := client.VerifyWebhook(s.secret.Reveal(), r.Header, body)
	if err != nil {
		http.Error(w, "not signed by the checkout", http.StatusUnauthorized)
		return
	}

	session, err := event.Session()
	if err != nil {
		http.Error(w, "not understood", http.StatusBadRequest)
		return
	}

	s.addMessage(event.Type + "  " + session.OrderRef)
}

// addMessage keeps the latest fifty messages.
func (s *shop) addMessage(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.messages = append([]string{time.Now().Format("15:04:05") + "  " + line}, s.messages...)
	s.messages = s.messages[:min(len(s.messages), 50)]
}

func (s *shop) listMessages() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.messages)
}

// orders lists received webhooks, newest first.
func (s *shop) orders(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_ = s.page.ExecuteTemplate(w, "orders.html", s.listMessages()) // fails if the client has gone
}
