package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"coinslot/bff/payment"
	"coinslot/client"
)

// triggers are the events, with the simulated payment that causes each; "" = none is needed.
var triggers = map[string]string{
	"checkout.pending":   "",
	"checkout.partial":   "half",
	"checkout.confirmed": "pay",
	"checkout.expired":   "expire",
	"checkout.cancelled": "cancel",
	"checkout.review":    "tenfold",
	"checkout.refund":    "over",
}

// triggerOf returns the kind of payment for an event. Errors: an unknown event.
func triggerOf(event string) (kind string, err error) {
	kind, ok := triggers[event]
	if !ok {
		err = fmt.Errorf("unknown event %q: choose one of %s", event,
			strings.Join(slices.Sorted(maps.Keys(triggers)), ", "))
	}
	return kind, err
}

// runTrigger causes an event at a sandbox: it opens a session, chooses a coin and simulates a
// payment.
func runTrigger(ctx context.Context, args []string, s streams) error {
	flags := flag.NewFlagSet("trigger", flag.ContinueOnError)
	// the event may precede the flags
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		args = append(slices.Clone(args[1:]), args[0])
	}

	api, err := apiClient(flags, args, s)
	if err != nil {
		return err
	}

	event := strings.Join(flags.Args(), " ")
	kind, err := triggerOf(event)
	if err != nil {
		return err
	}

	ctx, stop := context.WithTimeout(ctx, 30*time.Second)
	defer stop()
	simulate := func(session, kind string) error {
		return api.Do(ctx, "POST", "/checkout/"+session+"/simulate",
			map[string]string{"kind": kind}, nil)
	}
	// ask for a session that does not exist: only a sandbox knows the path
	err = simulate("cs_"+strings.Repeat("a", 26), "pay")
	switch {
	case client.IsCode(err, "not_found"):
		return fmt.Errorf("%s takes real money: trigger needs a sandbox, such as coinslot demo",
			api.URL)
	case !client.IsCode(err, "session_unknown"):
		return fmt.Errorf("%w: is this a checkout, and running? coinslot demo starts one", err)
	}

	order := client.NewSession{AmountUSD: "25.00", OrderRef: "test-" + rand.Text()[:8]}
	session, err := api.CreateSession(ctx, order)
	if err != nil {
		return err
	}

	fmt.Fprintf(s.out, "Opened session %s, order %s, 25.00 USD\n", session.ID, order.OrderRef)
	coin := map[string]string{"currency_symbol": "USDT", "network_code": "trc20"}
	if err := api.Do(ctx, "POST", "/checkout/"+session.ID+"/attempts", coin, nil); err != nil {
		return err
	}

	fmt.Fprint(s.out, "Chose USDT on trc20\n")
	if kind != "" {
		if err := simulate(session.ID, kind); err != nil {
			return err
		}
		fmt.Fprintf(s.out, "Simulated %q\n", kind)
	}
	if event == string(payment.EventRefund) {
		if err := refundExcess(ctx, api, session.ID, s); err != nil {
			return err
		}
	}

	return awaitEvent(ctx, api, session.ID, event, s)
}

// refundExcess records that what a shopper paid too much went back.
func refundExcess(
	ctx context.Context, api *client.Client, session string, s streams,
) error {
	err := awaitEvent(ctx, api, session, string(payment.EventConfirmed), s)
	if err != nil {
		return err
	}
	paid, err := api.Session(ctx, session)
	if err != nil {
		return err
	}

	refund := client.NewRefund{
		Amount:         paid.OverpaidAmount,
		CurrencySymbol: "USDT",
		NetworkCode:    "trc20",
		TxID:           fmt.Sprintf("%x", sha256.Sum256([]byte(rand.Text()))),
		Reason:         "a test",
	}
	if _, err := api.Refund(ctx, session, refund); err != nil {
		return err
	}
	fmt.Fprintf(s.out, "Recorded a refund of %s USDT\n", refund.Amount)
	return nil
}

// awaitEvent waits for an event of a session, and prints it.
func awaitEvent(
	ctx context.Context, api *client.Client, session, event string, s streams,
) error {
	for {
		for page, err := range api.Events(ctx, client.EventQuery{Session: session}) {
			if err != nil {
				return fmt.Errorf("waiting for %s: %w", event, err)
			}
			for _, e := range page.Events {
				if e.Type == event {
					fmt.Fprintf(s.out, "%s happened: %s\n", event, e.ID)
					return nil
				}
			}
		}

		sleep(ctx, 500*time.Millisecond)
		if _, err := api.Recheck(ctx, session); err != nil { // instead of waiting for the poller
			return fmt.Errorf("waiting for %s: %w", event, err)
		}
	}
}
