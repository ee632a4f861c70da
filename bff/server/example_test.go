package server_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/config"
	"coinslot/bff/payment"
	"coinslot/bff/sandbox"
	bff "coinslot/bff/server"
	"coinslot/bff/webhook"

	"github.com/shopspring/decimal"
)

// A shop in Go runs the checkout in its own process: under another host name of its server, without
// API calls, and with the event log instead of webhooks. The gateway is simulated, and its Pay stands
// for the shopper's wallet.
func Example() {
	gateway := sandbox.New(sandbox.Config{})
	api := httptest.NewServer(gateway)
	defer api.Close()
	folder, err := os.MkdirTemp("", "coinslot-example-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)

	settings, err := config.Load(os.Environ(), map[string]string{
		"public-url": "https://pay.shop.example", "origins": "https://shop.example",
		"gateway-url":      api.URL,
		"gateway-page-url": api.URL + "/pay",
		"gateway-key":      sandbox.DefaultKey,
		"secret-key":       "an-example-key-of-the-api-0123456789",
		"database":         filepath.Join(folder, "coinslot.db"),
		"poll-interval":    "100ms",
	})
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	pay, err := bff.New(ctx, settings, bff.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer pay.Close()
	ended := make(chan error, 1)
	go func() { ended <- pay.Run(ctx) }() // watches payments
	defer func() { stop(); <-ended }()

	mux := http.NewServeMux() // of the shop's server
	mux.Handle("pay.shop.example/", pay)
	mux.HandleFunc("shop.example/",
		func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "the shop") })

	session, _, err := pay.Open(
		ctx,
		payment.Order{
			Ref:       "1001",
			AmountUSD: decimal.RequireFromString("25.00"),
			Title:     "Two tickets",
		},
		"",
	)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(session.OrderRef, session.Status)

	choose(mux, session.URL) // in the shopper's browser
	if err := gateway.Pay(gateway.Transactions()[0].TrackingCode, sandbox.KindPay); err != nil {
		log.Fatal(err)
	}
	after := ""
	for range time.Tick(50 * time.Millisecond) { // in the shop: release what is confirmed, and store after with it
		page, err := pay.Events(ctx, webhook.EventQuery{After: after})
		if err != nil {
			log.Fatal(err)
		}
		for _, event := range page.Events {
			fmt.Println(event.Type)
			if event.Type == payment.EventConfirmed {
				session, err = pay.Session(ctx, event.Session)
				fmt.Println(session.OrderRef, session.Status, session.Status == wire.Confirmed, err)
				return
			}
		}
		after = page.Next
	}

	// Output:
	// 1001 open
	// checkout.pending
	// checkout.confirmed
	// 1001 confirmed true <nil>
}

// choose posts the form of the checkout page.
func choose(h http.Handler, page string) {
	form := url.Values{"currency_symbol": {"USDT"}, "network_code": {"trc20"}}
	r := httptest.NewRequest("POST", page+"/attempts", strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", "https://pay.shop.example")
	w := httptest.NewRecorder()
	if h.ServeHTTP(w, r); w.Code != http.StatusSeeOther {
		log.Fatalf("choosing a coin: %s", w.Body)
	}
}
