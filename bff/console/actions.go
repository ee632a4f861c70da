package console

import (
	"context"
	"errors"
	"strings"

	"coinslot/app/wire"
	"coinslot/bff/checkout"
	"coinslot/bff/payment"
	"coinslot/bff/token"
)

// action is an operator's change of a payment. Each has a confirmation page (in words.json,
// by its path), and is recorded before it is done.
type action struct {
	path, part string // the address below the payment's, and the button's data-part
	record     string // what the audit log says
	done       string // the notice after it was done
	asks       field  // for the reason; zero = for nothing
	possible   func(payment.Session) bool
	do         func(ctx context.Context, r *request, id string) error
	// show and post replace the confirmation page and do, for a form of its own; nil = they do not.
	// post may answer by itself, for example to ask again: then done is false.
	show func(r *request, s payment.Session) page
	post func(r *request, s payment.Session) (done bool, err error)
}

// actions are all there are, in the order of their buttons: the first is what is likely
// wanted.
func actions() []action {
	return []action{
		{
			path:     "recheck",
			part:     "recheck",
			record:   "session.recheck",
			done:     "rechecked",
			possible: recheckable,
			do:       recheck,
		},
		{
			path:     "confirm",
			part:     "resolve-confirmed",
			record:   "session.confirm",
			done:     "confirmed",
			asks:     reasonField,
			possible: inReview,
			do:       resolve(wire.Confirmed),
		},
		{
			path:     "discard",
			part:     "resolve-cancelled",
			record:   "session.discard",
			done:     "discarded",
			asks:     reasonField,
			possible: inReview,
			do:       resolve(wire.Cancelled),
		},
		{
			path:     "refund",
			part:     "refund",
			record:   refundRecord,
			done:     "refunded",
			possible: refundable,
			show:     (*request).refundPage,
			post:     (*request).recordRefund,
		},
		{
			path:     "settle",
			part:     "settle",
			record:   settleRecord,
			done:     "settled",
			asks:     reasonField,
			possible: unsettled,
			do:       settle,
		},
		{
			path:     "note",
			part:     "note",
			record:   noteRecord,
			done:     "noted",
			asks:     noteField,
			possible: notable,
			do:       writeNote,
		},
		{
			path:     "cancel",
			part:     "cancel",
			record:   "session.cancel",
			done:     "cancelled",
			possible: cancellable,
			do: func(ctx context.Context, r *request, id string) error {
				_, err := r.Checkout.CancelBy(ctx, id, r.by())
				return err
			},
		},
		{
			path:     "erase",
			part:     "erase",
			record:   EraseRecord,
			done:     "erased",
			possible: erasable,
			do: func(ctx context.Context, r *request, id string) error {
				return checkout.EraseByRequest(ctx, r.Eraser, id, r.now())
			},
		},
	}
}

func recheck(ctx context.Context, r *request, id string) error {
	s, err := r.Checkout.Recheck(ctx, id)
	if err != nil {
		return err
	}
	return r.Checkout.Nudge(ctx, s)
}

func inReview(s payment.Session) bool { return s.Status.MerchantCan(wire.Resolve) }

// EraseRecord is the action that records an erasure in the audit log; EraseRecorded follows it
// once it is done.
const (
	EraseRecord   = "session.erase"
	EraseRecorded = EraseRecord + doneSuffix
)

// settleRecord is the action that records that money was dealt with.
const settleRecord = "session.settle"

// unsettled reports whether money has arrived that pays for nothing, or a confirmation was taken
// back, and no operator has dealt with it.
func unsettled(s payment.Session) bool { return len(s.Unsettled(token.Builtin())) > 0 }

func settle(ctx context.Context, r *request, id string) error {
	reason := strings.TrimSpace(r.r.PostFormValue("reason"))
	_, err := r.Checkout.SettleBy(ctx, id, reason, r.by())
	return err
}

// noteRecord is what the audit log says of an operator's note about a payment. The record is all
// that a note is.
const noteRecord = "session.note"

func notable(s payment.Session) bool { return !s.Deleted }

// writeNote only checks: the note is in the audit log already.
func writeNote(_ context.Context, r *request, _ string) error {
	if strings.TrimSpace(r.r.PostFormValue("reason")) == "" {
		return &wire.Error{Code: wire.CodeInvalid, Param: "reason"}
	}
	return nil
}

func recheckable(s payment.Session) bool {
	a := s.Current()
	return a != nil && a.TrackingCode != "" && a.State != payment.Confirmed
}

func cancellable(s payment.Session) bool {
	return s.Status.MerchantCan(wire.Cancel) && s.ClosedBy != payment.ClosedByMerchant
}

// erasable: what a shopper who is still paying has typed may be needed at the gateway.
func erasable(s payment.Session) bool {
	return s.Status.MerchantCan(wire.Erase) && s.ErasedAt.IsZero()
}

// resolve resolves the state that the page has shown, not a later one.
func resolve(as wire.Status) func(context.Context, *request, string) error {
	return func(ctx context.Context, r *request, id string) error {
		seen := r.r.PostFormValue("review")
		if seen == "" {
			return &wire.Error{Code: wire.CodeInvalid, Param: "review"}
		}
		_, err := r.Checkout.ResolveBy(ctx, id, payment.Resolution{
			As:       as,
			Reason:   r.r.PostFormValue("reason"),
			By:       r.by(),
			ReviewID: seen,
		})
		return err
	}
}

// maxReason is how long the reason of a resolution may be, in characters.
const maxReason = 500

var (
	reasonField = field{
		Name:     "reason",
		Label:    "Reason",
		Required: true,
		Max:      maxReason,
		Hint:     "For the timeline: what you checked and the result, in one line.",
	}
	noteField = field{
		Name:     "reason",
		Label:    "Note",
		Required: true,
		Max:      maxReason,
		Hint:     "What you found out, or agreed on with the shopper, in one line.",
	}
)

type confirmation struct {
	Problem  string // why the form is shown again; empty = it is not
	Question question
	Payment  *confirmedPayment // nil = it is about none
	Webhook  *deliveryRow      // nil = it is about none
	Rate     *heldRate         // nil = it is about none
	Refund   *refundView       // nil = it is about none
	Form     form
}

type confirmedPayment struct {
	Order  orderName
	Price  price
	Status badge
}

// confirmPage returns the confirmation page that words.json has under key; f submits it.
func (r *request) confirmPage(key string, about *confirmedPayment, back link, f form) page {
	q := words().Confirmations[key]
	f.Token = r.FormToken()
	f.Button = q.Button
	f.Danger = len(q.Never) > 0
	f.Cancel = back.To
	return page{
		Title:    q.Title,
		Section:  sectionOf(f.Path).Path,
		Back:     back,
		template: "confirm",
		View:     confirmation{Question: q, Payment: about, Form: f},
	}
}

// confirmAction is GET /admin/payments/{session}/{action}.
func (c *console) confirmAction(r *request, a action) (page, error) {
	s, err := c.Checkout.Session(r.r.Context(), r.r.PathValue("session"))
	if err != nil {
		return page{}, err
	}
	if !a.possible(s) {
		return page{}, &wire.Error{Code: wire.CodeNotPossible}
	}
	if a.show != nil {
		return a.show(r, s), nil
	}

	f := form{Path: paymentPath(s.ID) + "/" + a.path, Part: "do-" + a.part}
	if a.asks.Name != "" { // it resolves what is shown here
		f.Hidden = []hidden{{"review", s.ReviewID()}}
		f.Fields = []field{a.asks}
	}

	return r.confirmPage(a.path, aboutPayment(s), link{paymentPath(s.ID), "The payment"}, f), nil
}

// aboutPayment is what a confirmation page shows of s.
func aboutPayment(s payment.Session) *confirmedPayment {
	return &confirmedPayment{nameOf(s), priceOf(s.Order), statusBadge(s.Status)}
}

// doAction is POST /admin/payments/{session}/{action}.
func (c *console) doAction(r *request, a action) error {
	ctx := r.r.Context()
	id := r.r.PathValue("session")
	s, err := c.Checkout.Session(ctx, id)
	if err != nil {
		return err
	}
	if a.post != nil {
		done, err := a.post(r, s)
		if err != nil || !done {
			return err
		}
		return r.redirect(paymentPath(id), a.done)
	}

	err = r.record(a.record, id, r.r.PostFormValue("reason"))
	if err != nil {
		return err
	}

	err = a.do(ctx, r, id)
	r.recordResult(a.record, id, err)
	if err != nil {
		return err
	}

	return r.redirect(paymentPath(id), a.done)
}

// recordResult records how what was requested has ended: failed is nil if it was done. It only
// logs errors.
func (r *request) recordResult(what, session string, failed error) {
	result := what + doneSuffix
	why := ""
	var known *wire.Error
	if errors.As(failed, &known) {
		result = "refused"
		why = what + ": " + string(known.Code)
	} else if failed != nil {
		result = "refused"
		why = what + ": something went wrong, request " + r.id()
	}

	r.r = r.r.WithContext(context.WithoutCancel(r.r.Context())) // the client may have gone
	if err := r.record(result, session, why); err != nil {
		r.Log.Error("recording the result of an action failed", "what", what,
			"session", session, "error", err)
	}
}

// doneSuffix follows the word for what was requested, once it is done.
const doneSuffix = ".done"

// record records what is requested. What cannot be recorded must not be done.
func (r *request) record(what, session, detail string) error {
	err := r.Records.Record(r.r.Context(), Action{
		By:      r.by(),
		From:    r.site.Client(r.r),
		What:    what,
		Session: session,
		Detail:  cleanText(truncateText(detail, maxReason)),
	})
	if err != nil {
		return &wire.Error{
			Code:   wire.CodeStorageUnavailable,
			Detail: "recording " + what + ": " + err.Error(),
		}
	}

	r.Log.Info("operator action recorded", "who", r.Name, "what", what, "session", session)
	return nil
}
