package check

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"coinslot/bff/diagnose"
	"coinslot/bff/gateway"
	"coinslot/bff/payment"
	"coinslot/bff/token"
)

// How wrong a clock may be. Receivers of webhooks and tokens allow five minutes.
const (
	skewWarning = 10 * time.Second
	skewFailure = 2 * time.Minute
)

// gateway reads the list of currencies with the key, as the server does.
func (x *checker) gateway(ctx context.Context) findings {
	if !x.understood("COINSLOT_GATEWAY_URL", "COINSLOT_GATEWAY_KEY") {
		return nil
	}
	clocks := make(chan findings, 1)
	go func() { clocks <- x.clockSkew(ctx) }()
	client, err := gateway.New(gateway.Config{
		URL: x.Settings.GatewayURL, Key: x.Settings.GatewayKey.Reveal(),
	})
	if err != nil {
		return findings{
			fail("gateway", err.Error(), "COINSLOT_GATEWAY_URL and COINSLOT_GATEWAY_KEY"),
		}
	}
	defer client.Close()
	list, err := client.CurrencyList(ctx)
	if err != nil {
		return append(findings{gatewayFailure(err)}, <-clocks...)
	}
	findings := x.currencies(list.Currencies)
	if len(list.LeftOut) > 0 {
		findings = append(findings, skippedEntries(list.LeftOut))
	}
	return append(findings, <-clocks...)
}

// skippedEntries names what the gateway lists and shoppers are not offered.
func skippedEntries(list []string) diagnose.Finding {
	f := warn("gateway", plural(len(list), "item")+" of its currency list left out: "+list[0],
		"ask its operator to correct the list")
	f.Details = list
	return f
}

// gatewayFailure is why there is no list.
func gatewayFailure(err error) diagnose.Finding {
	refused, is := errors.AsType[*payment.RefusedError](err)
	switch {
	case is && refused.Reason == payment.ReasonKey:
		return fail(
			"gateway", fmt.Sprintf("it does not accept the key (status %d)", refused.Status),
			"COINSLOT_GATEWAY_KEY (or its file): copy it anew, for this gateway, production "+
				"or test",
		)
	case is && refused.Status != 0:
		return fail("gateway", oneLine(err), "ask its operator")
	case is && refused.Err != nil: // nothing was sent
		return fail("gateway", "it cannot be reached: "+oneLine(refused.Err),
			"COINSLOT_GATEWAY_URL: is it the right address, and may this machine connect to it?")
	}
	return fail("gateway", oneLine(err), "COINSLOT_GATEWAY_URL: is it the right address?")
}

// currencies is what can be paid with.
func (x *checker) currencies(list []payment.Currency) findings {
	tokens, err := token.Load(x.Settings.Tokens)
	if err != nil {
		tokens = nil // said elsewhere
	}
	f := ok("gateway", "")
	networks, without := 0, 0
	for _, c := range list {
		for _, n := range c.Networks {
			networks++
			known, link := describeToken(tokens, c.Symbol, n.Code)
			if !link {
				without++
			}
			f.Details = append(f.Details, fmt.Sprintf(
				"%s on %s (%s): $%s to $%s; %s", c.Symbol, n.Name, n.Code, n.MinimumUSD,
				n.MaximumUSD, known,
			))
		}
	}
	f.Text = fmt.Sprintf("the key is accepted; %s on %s in all", plural(len(list), "coin"),
		plural(networks, "network"))
	if networks == 0 {
		return findings{fail(
			"gateway", "the key is accepted, but no coin is enabled: nobody can pay",
			"enable coins at the gateway",
		)}
	}
	if without > 0 {
		return findings{
			f,
			warn(
				"coins",
				fmt.Sprintf(
					"%d of %d have no payment link: shoppers copy address and amount", without,
					networks,
				),
				"add them to COINSLOT_TOKENS (docs/tokens.md); the list above names them",
			),
		}
	}
	return findings{f}
}

// describeToken is what links and rounding rest on, to be compared with what the
// gateway's operator says: a wrong contract sends money astray.
func describeToken(tokens *token.Registry, symbol, network string) (text string, link bool) {
	if tokens == nil {
		return "", true
	}
	t, known := tokens.Token(symbol, network)
	switch {
	case !known:
		return "not in the list of coins: no payment link", false
	case t.Native:
		return fmt.Sprintf("the network's own coin, %d digits", t.Decimals), true
	case t.Contract == "":
		return fmt.Sprintf("%d digits, contract not known: no payment link", t.Decimals), false
	}
	return fmt.Sprintf("%d digits, contract %s", t.Decimals, t.Contract), true
}

// clockSkew compares the clocks by the Date of an answer of the gateway's host, to a
// request without the key.
func (x *checker) clockSkew(ctx context.Context) findings {
	req, err := http.NewRequestWithContext(ctx, http.MethodHead, x.Settings.GatewayURL+"/", nil)
	if err != nil {
		return nil // the gateway's own finding says it
	}
	asked := time.Now()
	resp, err := x.client().Do(req)
	if err != nil {
		return nil
	}
	resp.Body.Close()
	there, err := http.ParseTime(resp.Header.Get("Date"))
	if err != nil {
		return nil
	}
	here := x.Now().Add(-time.Since(asked) / 2)
	// A date has whole seconds: half of one is expected.
	off := here.Sub(there.Add(500 * time.Millisecond)).Abs().Round(time.Second)
	const way = "let both machines set their clocks: timedatectl set-ntp true here"
	switch text := "this clock and the gateway's differ by " + off.String(); {
	case off > skewFailure:
		return findings{
			fail("clock", text+": webhooks, order tokens and receipts are refused", way),
		}
	case off > skewWarning:
		return findings{warn("clock", text, way)}
	}
	return findings{ok("clock", "agrees with the gateway's")}
}

// client is for requests without a key: no redirect, no proxy, and the network of
// the Config.
func (x *checker) client() *http.Client {
	return &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		},
		Transport: &http.Transport{
			TLSClientConfig: x.tls(""), DisableKeepAlives: true, DisableCompression: true,
			ForceAttemptHTTP2: false,
			DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
				return x.dial(ctx, network, address)
			},
		},
	}
}
