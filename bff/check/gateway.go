package check

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"coinslot/bff/gateway"
	"coinslot/bff/payment"
	"coinslot/bff/token"
)

// Allowed clock skew. Receivers of webhooks and tokens allow five minutes.
const (
	skewWarning = 10 * time.Second
	skewFailure = 2 * time.Minute
)

// gateway reads the currency list with the key, as the server does.
func (ch *checker) gateway(ctx context.Context) findings {
	if !ch.valid("COINSLOT_GATEWAY_URL", "COINSLOT_GATEWAY_KEY") {
		return nil
	}

	skew := make(chan findings, 1)
	go func() { skew <- ch.clockSkew(ctx) }()
	client, err := gateway.New(gateway.Config{
		URL: ch.Settings.GatewayURL,
		Key: ch.Settings.GatewayKey.Reveal(),
	})
	if err != nil {
		return fail("gateway", err.Error(), "correct COINSLOT_GATEWAY_URL and COINSLOT_GATEWAY_KEY")
	}

	defer client.Close()
	list, err := client.CurrencyList(ctx)
	if err != nil {
		return append(gatewayFailure(err), <-skew...)
	}

	findings := ch.currencies(list.Currencies)
	if skipped := list.LeftOut; len(skipped) > 0 {
		f := warn("gateway",
			plural(len(skipped), "invalid entry")+" of its currency list skipped: "+skipped[0],
			"ask the gateway's operator to correct the list")
		f[0].Details = skipped
		findings = append(findings, f...)
	}

	return append(findings, <-skew...)
}

// gatewayFailure explains why the currency list could not be read.
func gatewayFailure(err error) findings {
	refused, is := errors.AsType[*payment.RefusedError](err)
	switch {
	case is && refused.Reason == payment.ReasonKey:
		return fail("gateway", fmt.Sprintf("it rejects the key (status %d)", refused.Status),
			"copy COINSLOT_GATEWAY_KEY (or its file) again, for this gateway: production or test")
	case is && refused.Status != 0:
		return fail("gateway", oneLine(err), "ask its operator")
	case is && refused.Err != nil: // nothing was sent
		return fail("gateway", "it cannot be reached: "+oneLine(refused.Err),
			"check COINSLOT_GATEWAY_URL, and whether this machine may connect to it")
	}

	return fail("gateway", oneLine(err), "check COINSLOT_GATEWAY_URL")
}

// currencies lists what shoppers can pay with.
func (ch *checker) currencies(list []payment.Currency) findings {
	tokens, err := token.Load(ch.Settings.Tokens)
	if err != nil {
		tokens = nil // the part files reports it
	}

	networks := 0
	unlinked := 0
	details := []string(nil)
	for _, c := range list {
		for _, n := range c.Networks {
			networks++
			text, link := describeToken(tokens, c.Symbol, n.Code)
			if !link {
				unlinked++
			}
			details = append(details, fmt.Sprintf("%s on %s (%s): $%s to $%s; %s", c.Symbol, n.Name,
				n.Code, n.MinimumUSD, n.MaximumUSD, text))
		}
	}
	if networks == 0 {
		return fail("gateway", "it accepts the key, but no coin is enabled: no order can be paid",
			"enable coins at the gateway")
	}

	found := ok("gateway", fmt.Sprintf("it accepts the key; %s on %s", plural(len(list), "coin"),
		plural(networks, "network")))
	found[0].Details = details
	if unlinked > 0 {
		found = append(found, warn("coins", fmt.Sprintf("%d of %d have no payment link: shoppers "+
			"copy address and amount", unlinked, networks),
			"add them to COINSLOT_TOKENS (docs/tokens.md); check -v lists them")...)
	}

	return found
}

// describeToken says what payment links and rounding are based on. Compare it with the
// gateway's documentation: a wrong contract sends money to the wrong place.
func describeToken(tokens *token.Registry, symbol, network string) (text string, link bool) {
	if tokens == nil {
		return "", true
	}

	t, known := tokens.Token(symbol, network)
	switch {
	case !known:
		return "not in the token list: no payment link", false
	case t.Native:
		return fmt.Sprintf("native coin, %d digits", t.Decimals), true
	case t.Contract == "":
		return fmt.Sprintf("%d digits, unknown contract: no payment link", t.Decimals), false
	}

	return fmt.Sprintf("%d digits, contract %s", t.Decimals, t.Contract), true
}

// clockSkew compares the clocks by the Date header of the gateway's host, without the key.
func (ch *checker) clockSkew(ctx context.Context) findings {
	req, err := http.NewRequestWithContext(ctx, http.MethodHead, ch.Settings.GatewayURL+"/", nil)
	if err != nil {
		return nil // the part gateway reports it
	}

	sent := time.Now()
	resp, err := ch.client().Do(req)
	if err != nil {
		return nil
	}

	resp.Body.Close()
	there, err := http.ParseTime(resp.Header.Get("Date"))
	if err != nil {
		return nil
	}

	here := ch.Now().Add(-time.Since(sent) / 2)
	// A date has whole seconds: half of one is expected.
	skew := here.Sub(there.Add(500 * time.Millisecond)).Abs().Round(time.Second)
	const fix = "synchronize both clocks: timedatectl set-ntp true on this machine"
	text := "this clock and the gateway's differ by " + skew.String()
	switch {
	case skew > skewFailure:
		return fail("clock", text+": webhooks, order tokens and receipts will be rejected", fix)
	case skew > skewWarning:
		return warn("clock", text, fix)
	}

	return ok("clock", "agrees with the gateway's")
}

// client is for requests without a key: no redirects, no proxy, and the Config's network. It
// closes each connection after its answer.
func (ch *checker) client() *http.Client {
	return &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		},
		Transport: &http.Transport{
			TLSClientConfig:    ch.tls(""),
			DisableKeepAlives:  true,
			DisableCompression: true,
			DialContext:        ch.dial,
		},
	}
}
