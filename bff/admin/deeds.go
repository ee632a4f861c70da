package admin

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"unicode/utf8"

	"coinslot/app/widget/node"
	"coinslot/app/wire"
	"coinslot/bff/admin/page"
	"coinslot/bff/outbox"
	"coinslot/bff/payment"
	"coinslot/bff/records"
	"coinslot/bff/retention"
)

// deed is what can be done about a payment. Each has a page of its own that says
// what will happen, and is written down before it is done.
type deed struct {
	path, part string // the address below the payment's, and the button's data-part
	name       string // of the button that leads to the page
	title      string
	button     string
	will       []string
	never      []string // what cannot be undone
	record     string   // of the audit log
	done       string   // of notices
	reason     bool     // asks for one
	first      bool     // what is likely wanted
	possible   func(payment.Session) bool
	do         func(ctx context.Context, v *visit, id string) error
}

// deeds are all there are, in the order of their buttons.
func deeds() []deed {
	return []deed{
		{
			path: "recheck", part: "recheck", name: "Ask the gateway now",
			title: "Ask the gateway now?", button: "Ask now", first: true,
			will: []string{
				"The gateway is asked how the payment stands. If it has ended, the gateway is " +
					"first asked to look at the chain again.",
				"What it answers is judged as always: it may confirm the payment, or put it into " +
					"review.",
			},
			record: "session.recheck", done: "rechecked", possible: recheckable,
			do: func(ctx context.Context, v *visit, id string) error {
				s, err := v.Checkout.Recheck(ctx, id)
				if err != nil {
					return err
				}
				return v.Checkout.Nudge(ctx, s)
			},
		},
		{
			path: "confirm", part: "resolve-confirmed", name: "Settle as paid",
			title: "Settle as paid?", button: "Settle as paid", reason: true,
			will: []string{
				"The payment becomes confirmed on your word, although the gateway has not " +
					"proven it.",
				"The shopper's page says that it is paid, and gives a signed receipt.",
				"Your server gets the webhook checkout.confirmed, and will probably ship.",
			},
			never: []string{
				"A confirmed payment is never taken back.",
				"What ships on it is gone, if the money is not there.",
			},
			record: "session.confirm", done: "confirmed", possible: inReview,
			do: resolve(wire.Confirmed),
		},
		{
			path: "discard", part: "resolve-cancelled", name: "Settle as not paid",
			title: "Settle as not paid?", button: "Settle as not paid", reason: true,
			will: []string{
				"The payment becomes cancelled: this order cannot be paid any more.",
				"Your server gets the webhook checkout.cancelled.",
				"Money that has come stays where it is: you refund it by hand, from your wallet.",
				"If the gateway proves the payment later, it does not become confirmed: it comes " +
					"back into review, and you decide.",
			},
			never:  []string{"The order is closed. The shopper needs a new one to pay."},
			record: "session.discard", done: "discarded", possible: inReview,
			do: resolve(wire.Cancelled),
		},
		{
			path: "cancel", part: "cancel", name: "Call off", title: "Call this payment off?",
			button: "Call it off",
			will: []string{
				"An open transaction is cancelled at the gateway, unless money is on its way: " +
					"then nothing happens, and you are told.",
				"The shopper's page says that the shop has called it off.",
				"Your server gets the webhook checkout.cancelled.",
			},
			never: []string{
				"The order is closed for good: no coin can be chosen for it any more.",
				"Money that is sent to its address all the same is looked for during three days, " +
					"and for as long as the gateway lists it, and would still confirm it.",
			},
			record: "session.cancel", done: "cancelled", possible: cancellable,
			do: func(ctx context.Context, v *visit, id string) error {
				_, err := v.Checkout.CancelBy(ctx, id, v.by())
				return err
			},
		},
		{
			path: "erase", part: "erase", name: "Erase personal data",
			title: "Erase personal data?", button: "Erase",
			will: []string{
				"The e-mail, the comment, the description and free text in the timeline " +
					"are erased, here and in the events and webhooks of this payment.",
				"Amounts, coin, address, transaction, order reference and metadata stay for your " +
					"books.",
				"Webhooks that were delivered stay with your server, and the gateway keeps what " +
					"it was sent: erase it there too.",
			},
			never:  []string{"Erased data cannot be restored."},
			record: retention.EraseRecord, done: "erased", possible: erasable,
			do: func(ctx context.Context, v *visit, id string) error {
				return retention.EraseByRequest(ctx, v.Eraser, id, v.Now().UTC())
			},
		},
	}
}

func inReview(s payment.Session) bool { return s.Status == wire.Review }

func recheckable(s payment.Session) bool {
	a := s.Current()
	return a != nil && a.TrackingCode != "" && a.State != payment.Confirmed
}

func cancellable(s payment.Session) bool {
	switch s.Status {
	case wire.Open, wire.Pending, wire.Expired:
		return s.ClosedBy != payment.ClosedByMerchant
	}
	return false
}

// erasable: what a shopper who is still paying has typed may be needed at the gateway.
func erasable(s payment.Session) bool { return s.Finished() && s.ErasedAt.IsZero() }

// resolve settles what the page that asked has shown, and nothing that has come since.
func resolve(as wire.Status) func(context.Context, *visit, string) error {
	return func(ctx context.Context, v *visit, id string) error {
		seen := v.r.PostFormValue("review")
		if seen == "" {
			return &wire.Error{Code: wire.CodeInvalid, Param: "review"}
		}
		_, err := v.Checkout.Settle(ctx, id, payment.Settlement{
			As: as, Reason: v.r.PostFormValue("reason"), By: v.by(), Review: seen,
		})
		return err
	}
}

// mostReason is how long the reason of a settlement may be; see checkout.Service.Resolve.
const mostReason = 500

// asks is GET of a deed: the page that says what will happen.
func (s *console) asks(d deed) reader {
	return func(v *visit) (page.Page, error) {
		session, err := s.Checkout.Session(v.r.Context(), v.r.PathValue("session"))
		if err != nil {
			return page.Page{}, err
		}
		if !d.possible(session) {
			return page.Page{}, &wire.Error{Code: wire.CodeNotPossible}
		}
		form := page.Form{
			Path: paymentPath(session.ID) + "/" + d.path, Token: v.token(), Button: d.button,
			Part: "do-" + d.part, Danger: len(d.never) > 0, Cancel: paymentPath(session.ID),
		}
		if d.reason { // it settles what is shown here
			form.Hidden = []page.Option{{Value: "review", Label: session.Review()}}
			form.Fields = []page.Field{
				{
					Name: "reason", Label: "Reason", Required: true, Max: mostReason,
					Hint: "For the trail: what you have looked at, and what it showed. One line.",
				},
			}
		}
		return page.Page{
			Title: d.title, Section: paymentsPath,
			Back: page.Back{To: paymentPath(session.ID), Label: "The payment"},
			Body: []node.Node{page.Confirm(page.Facts(
				page.Fact{Name: "Order", Value: order(session)},
				page.Fact{Name: "Amount", Value: page.USD(session.Order.AmountUSD.StringFixed(2))},
				page.Fact{Name: "Status", Value: page.Status(session.Status)},
			), d.will, d.never, form)},
		}, nil
	}
}

// does is POST of a deed.
func (s *console) does(d deed) actor {
	return func(v *visit) (to, done string, err error) {
		id := v.r.PathValue("session")
		if _, err := s.Checkout.Session(v.r.Context(), id); err != nil {
			return "", "", err
		}
		err = v.attempt(
			d.record, id, v.r.PostFormValue("reason"),
			func() error { return d.do(v.r.Context(), v, id) },
		)
		return paymentPath(id), d.done, err
	}
}

// attempt writes down what is asked for, has it done, and writes down what has come
// of it. What cannot be written down is not done.
func (v *visit) attempt(what, session, detail string, do func() error) error {
	if err := v.record(what, session, detail); err != nil {
		return err
	}
	outcome, why, failed := what+ended, "", do()
	if failed != nil {
		outcome, why = "refused", what+": "+v.because(failed)
	}
	v.r = v.r.WithContext(context.WithoutCancel(v.r.Context())) // who asked may have gone
	if err := v.record(outcome, session, why); err != nil {
		v.Log.Error(
			"writing down what has come of it", "what", what, "session", session, "error", err,
		)
	}
	return failed
}

// ended follows the word for what was asked for, once it is done.
const ended = ".done"

// record writes a line of the audit log.
func (v *visit) record(what, session, detail string) error {
	err := v.Records.Record(v.r.Context(), records.Action{
		By: v.by(), From: v.Door.Within.Address(v.r), What: what, Session: session,
		Detail: page.Harmless(clipped(detail, mostReason)),
	})
	if err != nil {
		return &wire.Error{
			Code: wire.CodeStorageUnavailable, Detail: "writing down " + what + ": " + err.Error(),
		}
	}
	v.Log.Info("written to the audit", "who", v.Name, "what", what, "session", session)
	return nil
}

// because is why something was not done.
func (v *visit) because(err error) string {
	var known *wire.Error
	if errors.As(err, &known) {
		return string(known.Code)
	}
	return "something went wrong, request " + v.request()
}

// clipped is text, at most n characters of it.
func clipped(text string, n int) string {
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	return string([]rune(text)[:n]) + "…"
}

// redeliverPath is where a webhook is sent again from, on any page.
const redeliverPath = "/admin/webhooks/send"

// sendAgain is the button that sends a webhook once more. list says that it
// stands in the list of all, which it leads back to. Addresses of endpoints may
// hold keys, so that the form has only a mark of them.
func (v *visit) sendAgain(d outbox.DeliveryRow, list bool) node.Node {
	f := page.Form{Path: redeliverPath, Token: v.token(), Button: "Send again", Part: "redeliver",
		Quiet: true, Hidden: []page.Option{
			{Value: "event", Label: d.Event}, {Value: "endpoint", Label: marked(d.Endpoint)}}}
	if list {
		f.Hidden = append(f.Hidden, page.Option{Value: "back", Label: "list"})
	}
	return f.Draw()
}

// marked is a short mark of an endpoint, which says nothing of it.
func marked(endpoint string) string {
	sum := sha256.Sum256([]byte(endpoint))
	return hex.EncodeToString(sum[:8])
}

// endpoint is the one of that mark, if it is configured.
func (s *console) endpoint(ctx context.Context, mark string) (string, error) {
	list, err := s.Records.Backlogs(ctx)
	if err != nil {
		return "", err
	}
	for _, b := range list {
		if marked(b.Endpoint) == mark {
			return b.Endpoint, nil
		}
	}
	return "", outbox.ErrEndpoint
}

// redeliver is POST /admin/webhooks/send: the delivery of an event to an endpoint
// is due now. It leads back to where it was asked for.
func (s *console) redeliver(v *visit) (to, done string, err error) {
	event := v.r.PostFormValue("event")
	session, err := s.Records.SessionOf(v.r.Context(), event)
	if err != nil {
		return "", "", err
	}
	endpoint, err := s.endpoint(v.r.Context(), v.r.PostFormValue("endpoint"))
	if err != nil {
		return "", "", err
	}
	err = v.attempt("webhook.redeliver", session, event+" to "+host(endpoint), func() error {
		return s.Records.Redeliver(v.r.Context(), event, endpoint)
	})
	if err != nil {
		return "", "", err
	}
	s.Deliver()
	to, done = paymentPath(session), "sent-again"
	if v.r.PostFormValue("back") == "list" {
		to = webhooksPath
	}
	if slices.Contains(s.gone(), endpoint) {
		done = "sent-later"
	}
	return to, done, nil
}
