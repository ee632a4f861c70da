package console

import (
	"context"
	"errors"
	"unicode/utf8"

	"coinslot/app/wire"
	"coinslot/bff/payment"
	"coinslot/bff/records"
	"coinslot/bff/retention"
)

// action is what an operator can do about a payment. Each has a page of its own that says
// what will happen, and is recorded before it is done.
type action struct {
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
	do         func(ctx context.Context, r *request, id string) error
}

// actions are all there are, in the order of their buttons.
func actions() []action {
	return []action{
		{
			path: "recheck", part: "recheck", name: "Check now",
			title: "Check now?", button: "Check now", first: true,
			will: []string{
				"The gateway is asked how the payment stands. If it has ended, the gateway is " +
					"first asked to look at the chain again.",
				"What it answers is judged as always: it may confirm the payment, or put it into " +
					"review.",
			},
			record: "session.recheck", done: "rechecked", possible: recheckable,
			do: func(ctx context.Context, r *request, id string) error {
				s, err := r.Checkout.Recheck(ctx, id)
				if err != nil {
					return err
				}
				return r.Checkout.Nudge(ctx, s)
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
			do: func(ctx context.Context, r *request, id string) error {
				_, err := r.Checkout.CancelBy(ctx, id, r.by())
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
			do: func(ctx context.Context, r *request, id string) error {
				return retention.EraseByRequest(ctx, r.Eraser, id, r.Now().UTC())
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

// resolve resolves what the page that asked has shown, and nothing that has come since.
func resolve(as wire.Status) func(context.Context, *request, string) error {
	return func(ctx context.Context, r *request, id string) error {
		seen := r.r.PostFormValue("review")
		if seen == "" {
			return &wire.Error{Code: wire.CodeInvalid, Param: "review"}
		}
		_, err := r.Checkout.Settle(ctx, id, payment.Settlement{
			As: as, Reason: r.r.PostFormValue("reason"), By: r.by(), Review: seen,
		})
		return err
	}
}

// maxReason is how long the reason of a resolution may be, in characters.
const maxReason = 500

// confirmedPayment is the payment that a confirmation is about.
type confirmedPayment struct {
	Order     orderName
	AmountUSD string
	Status    badge
}

// confirmAction is GET of an action: the page that says what will happen.
func (c *console) confirmAction(a action) showHandler {
	return func(r *request) (page, error) {
		session, err := c.Checkout.Session(r.r.Context(), r.r.PathValue("session"))
		if err != nil {
			return page{}, err
		}
		if !a.possible(session) {
			return page{}, &wire.Error{Code: wire.CodeNotPossible}
		}
		back := paymentPath(session.ID)
		f := form{
			Path: back + "/" + a.path, Token: r.FormToken(), Button: a.button,
			Part: "do-" + a.part, Danger: len(a.never) > 0, Cancel: back,
		}
		if a.reason { // it resolves what is shown here
			f.Hidden = []hidden{{"review", session.Review()}}
			f.Fields = []field{{
				Name: "reason", Label: "Reason", Required: true, Max: maxReason,
				Hint: "For the trail: what you have looked at, and what it showed. One line.",
			}}
		}
		return page{
			Title: a.title, Section: paymentsPath, Back: link{back, "The payment"},
			template: "confirm", View: confirmation{
				Payment: &confirmedPayment{
					nameOf(session), session.Order.AmountUSD.StringFixed(2),
					statusBadge(session.Status),
				},
				Will: a.will, Never: a.never, Form: f,
			},
		}, nil
	}
}

// doAction is POST of an action.
func (c *console) doAction(a action) actHandler {
	return func(r *request) (to, done string, err error) {
		id := r.r.PathValue("session")
		if _, err := c.Checkout.Session(r.r.Context(), id); err != nil {
			return "", "", err
		}
		err = r.audited(
			a.record, id, r.r.PostFormValue("reason"),
			func() error { return a.do(r.r.Context(), r, id) },
		)
		return paymentPath(id), a.done, err
	}
}

// audited records what is requested, does it, and records the result. What cannot be
// recorded is not done.
func (r *request) audited(what, session, detail string, do func() error) error {
	if err := r.record(what, session, detail); err != nil {
		return err
	}
	result, why, failed := what+doneSuffix, "", do()
	if failed != nil {
		result, why = "refused", what+": "+r.reasonOf(failed)
	}
	r.r = r.r.WithContext(context.WithoutCancel(r.r.Context())) // the client may have gone
	if err := r.record(result, session, why); err != nil {
		r.Log.Error("recording the result of an action failed", "what", what,
			"session", session, "error", err)
	}
	return failed
}

// doneSuffix follows the word for what was requested, once it is done.
const doneSuffix = ".done"

// record writes a line of the audit log.
func (r *request) record(what, session, detail string) error {
	err := r.Records.Record(r.r.Context(), records.Action{
		By: r.by(), From: r.Auth.Server.Address(r.r), What: what, Session: session,
		Detail: clean(truncated(detail, maxReason)),
	})
	if err != nil {
		return &wire.Error{
			Code: wire.CodeStorageUnavailable, Detail: "recording " + what + ": " + err.Error(),
		}
	}
	r.Log.Info("operator action recorded", "who", r.Name, "what", what, "session", session)
	return nil
}

// reasonOf is why something was not done, for the audit log.
func (r *request) reasonOf(err error) string {
	var known *wire.Error
	if errors.As(err, &known) {
		return string(known.Code)
	}
	return "something went wrong, request " + r.id()
}

// truncated is text, at most n characters of it.
func truncated(text string, n int) string {
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	return string([]rune(text)[:n]) + "…"
}
