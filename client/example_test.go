package client_test

import (
	"context"
	"fmt"
	"os"

	"coinslot/client"
)

// example is the Go of docs/clients.md.
func example(ctx context.Context, cursor string) error {
	checkout := client.Client{
		URL: os.Getenv("COINSLOT_URL"), // http://localhost:8080 for coinslot demo
		Key: os.Getenv("COINSLOT_SECRET_KEY"),
	}
	session, err := checkout.CreateSession(ctx, client.NewSession{
		AmountUSD: "25.00", OrderRef: "1001", Title: "Two tickets", IdempotencyKey: "order-1001",
	})
	if client.IsCode(err, "order_conflict") {
		return err // order 1001 had another amount or title
	} else if err != nil {
		return err
	}
	fmt.Println("send the shopper to", session.URL)
	for page, err := range checkout.Events(ctx, client.EventQuery{After: cursor}) {
		if err != nil {
			return err
		}
		for _, event := range page.Events {
			paid, err := event.Session()
			if err == nil && event.Type == "checkout.confirmed" && !paid.Test {
				fmt.Println("ship order", paid.OrderRef)
			}
		}
		cursor = page.Next // store it in the transaction that marks the orders as paid
	}
	return nil
}
