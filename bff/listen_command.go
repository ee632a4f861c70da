package main

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"coinslot/bff/config"
	"coinslot/bff/webhook"
	"coinslot/client"
)

// apiClient reads the flags of a command that calls a checkout, and the checkout's key.
func apiClient(flags *flag.FlagSet, args []string, s streams) (*client.Client, error) {
	c := &client.Client{URL: "http://localhost:8080"}
	env := slices.DeleteFunc(slices.Clone(s.env), func(v string) bool {
		name, value, _ := strings.Cut(v, "=")
		if name == "COINSLOT_URL" && value != "" {
			c.URL = value
		}
		return name == "COINSLOT_URL" // it is no setting of a server
	})
	flags.StringVar(&c.URL, "server", c.URL, "URL of the checkout; or set COINSLOT_URL")
	if err := parseFlags(flags, args, func() { printFlags(s.out, flags) }); err != nil {
		return nil, err
	}
	if err := client.CheckURL(c.URL); err != nil {
		return nil, fmt.Errorf("-server or COINSLOT_URL: %w", err)
	}

	key, err := config.Lookup(env, nil, "COINSLOT_SECRET_KEY")
	c.Key, _, _ = strings.Cut(key, ",") // the first during a rotation
	return c, err
}

// listener forwards events.
type listener struct {
	*client.Client
	to, secret string
	types      []string // empty = all
	replay     string   // id of the only event to send; empty = all
	accepted   bool     // the last event
	out        io.Writer
}

// runListen forwards events to a local address until ctx ends.
func runListen(ctx context.Context, args []string, s streams) error {
	flags := flag.NewFlagSet("listen", flag.ContinueOnError)
	l := &listener{out: s.out}
	flags.StringVar(&l.to, "forward-to", "", "URL of your server that receives webhooks")
	flags.StringVar(&l.replay, "replay", "", "send the event of this id once more, then stop")
	flags.Func("events", "types to forward, comma separated; unset = all", func(v string) error {
		l.types = strings.Split(v, ",")
		for _, name := range l.types {
			if _, err := triggerOf(name); err != nil {
				return err
			}
		}
		return nil
	})
	api, err := apiClient(flags, args, s)
	err = noArguments(flags, err)
	if err != nil {
		return err
	}

	l.Client = api
	if err := webhook.CheckEndpoint(l.to, true); err != nil {
		return fmt.Errorf("-forward-to: %w: set a URL like http://localhost:3000/hooks/coinslot", err)
	}

	// derived, so that a restart does not change it
	mac := hmac.New(sha256.New, []byte(l.Key))
	io.WriteString(mac, "coinslot listen\n"+l.to)
	l.secret = "whsec_" + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	fmt.Fprintf(s.out, "Forwarding events of %s to %s\nSigning secret, the same each time for "+
		"this key and URL: %s\n", l.URL, webhook.HostOf(l.to), l.secret)
	if l.replay == "" {
		return l.follow(ctx)
	}
	if _, err := l.forward(ctx, ""); err != nil || l.accepted {
		return err
	}

	return fmt.Errorf("replaying %s: it is not in the event log, or was not accepted", l.replay)
}

// follow forwards new events until ctx ends. Errors: the checkout refuses a request.
func (l *listener) follow(ctx context.Context) error {
	ready := false
	for after := client.Latest; ctx.Err() == nil; sleep(ctx, time.Second) {
		err := l.persist(ctx, "The checkout", func() (err error) {
			after, err = l.forward(ctx, after)
			return err
		})
		switch {
		case client.IsCode(err, "cursor_gone"):
			fmt.Fprint(l.out, "The checkout has another event log: only its new events follow.\n")
			after = client.Latest
		case err != nil:
			return err
		case !ready && ctx.Err() == nil:
			fmt.Fprint(l.out, "Waiting for new events. Press Ctrl-C to stop.\n\n")
			ready = true
		}
	}

	return nil
}

// forward delivers the events after a cursor, and returns the next one.
func (l *listener) forward(ctx context.Context, after string) (string, error) {
	for page, err := range l.Events(ctx, client.EventQuery{After: after}) {
		if err != nil {
			return after, err
		}
		for _, e := range page.Events {
			if (l.types == nil || slices.Contains(l.types, e.Type)) &&
				(l.replay == "" || l.replay == e.ID) {
				l.deliver(ctx, e)
			}
		}
		after = page.Next
	}

	return after, nil
}

// deliver sends an event as the checkout does and prints the answer. It waits for a server that
// cannot be reached.
func (l *listener) deliver(ctx context.Context, e client.Event) {
	id := e.ID
	e.ID = ""                  // it is no member of a webhook
	body, _ := json.Marshal(e) // it was JSON
	var sent webhook.TestDelivery
	err := l.persist(ctx, "Your server", func() (err error) {
		sent, err = webhook.Once(ctx,
			webhook.Config{Secrets: []string{l.secret}, AllowPrivate: true},
			webhook.Delivery{EventID: id, Endpoint: l.to, Body: body})
		if sent.Failure.Code == "not_connected" {
			return errors.New(sent.Note)
		}
		return err
	})
	if err != nil || ctx.Err() != nil {
		return
	}

	l.accepted = sent.Delivered
	result := fmt.Sprintf("%d in %d ms", sent.Status, sent.Took.Milliseconds())
	if !sent.Delivered {
		result += ": " + sent.Failure.Meaning + " " + sent.Note
	}

	session, _ := e.Session() // for display only
	fmt.Fprintf(l.out, "%s  %-18s  %s  %q  %s\n", time.Now().Format(time.TimeOnly), e.Type, id,
		cmp.Or(session.OrderRef, session.ID), result)
}

// persist repeats try until it succeeds or the checkout refuses it, and returns the refusal. It
// reports an outage once, and its end.
func (l *listener) persist(ctx context.Context, who string, try func() error) error {
	const first = time.Second
	for wait := first; ; wait = min(2*wait, 15*time.Second) {
		err := try()
		refused, _ := errors.AsType[*client.Error](err)
		switch {
		case ctx.Err() != nil:
			return nil
		case err == nil && wait > first:
			fmt.Fprintf(l.out, "%s answers again.\n", who)
			return nil
		case err == nil, refused != nil && !refused.Temporary():
			return err
		case wait == first:
			fmt.Fprintf(l.out, "%s does not answer: %v. Trying until it does.\n", who, err)
		}

		sleep(ctx, wait)
	}
}

// sleep waits for d or the end of ctx.
func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
