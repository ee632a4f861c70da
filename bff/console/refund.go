package console

import (
	"cmp"
	"errors"
	"net/http"
	"slices"
	"strings"

	"coinslot/app/wire"
	"coinslot/bff/payment"
)

// refundRecord is what the audit log says of a refund.
const refundRecord = "session.refund"

// refundable reports whether money came for s that no payment is waiting for any more.
func refundable(s payment.Session) bool {
	return s.EverPaid() && !s.Deleted && (s.Status.Final() || inReview(s))
}

// refundView is what the form of a refund shows.
type refundView struct {
	Holdings []refundHolding
	Sent     *amount // what the form is about, if it is more than arrived; nil = it is not
	Payable  bool    // the shopper can still pay
}

// refundHolding is money of a payment in one coin.
type refundHolding struct {
	Amount  amount
	Excess  amount // none if there is none
	Network string
	Less    bool // a part of it went back already
}

// refundRow is a refund on the page of a payment.
type refundRow struct {
	payment.Refund
	Sum     amount
	Network string
	Tx      tx
}

// refundRows are the refunds of s.
func (c *console) refundRows(s payment.Session) (list []refundRow) {
	for _, r := range s.Refunds {
		list = append(list, refundRow{
			Refund:  r,
			Sum:     refundSum(r),
			Network: networkOf(s, r),
			Tx:      tx{r.TxID, s.RefundURL(r, c.Tokens)},
		})
	}
	return list
}

func refundSum(r payment.Refund) amount {
	return amount{payment.FormatAmount(r.Amount), r.CurrencySymbol}
}

// networkOf is the network of r as the gateway has named it for s, else its code.
func networkOf(s payment.Session, r payment.Refund) string {
	for _, a := range s.Attempts {
		if payment.SameName(a.NetworkCode, r.NetworkCode) && a.NetworkName != "" {
			return a.NetworkName
		}
	}
	return r.NetworkCode
}

// refundPage is GET /admin/payments/{session}/refund. It asks for the excess, if there is one.
func (r *request) refundPage(s payment.Session) page {
	first := s.Holdings(r.Tokens)[0]
	filled := ""
	if first.Excess.IsPositive() {
		filled = payment.FormatAmount(first.Excess)
	}
	return r.refundForm(s, filled, "")
}

// refundForm is the form of a refund of s, filled with an amount and what was posted. problem is
// why it is shown again; empty = it is not.
func (r *request) refundForm(s payment.Session, amount, problem string) page {
	posted := r.r.PostFormValue
	f := form{Path: paymentPath(s.ID) + "/refund", Part: "do-refund"}

	holdings := s.Holdings(r.Tokens)
	unit := " in the coin"
	if len(holdings) == 1 {
		f.Hidden = []hidden{{"coin", coinValue(holdings[0])}}
		unit = " in " + holdings[0].Attempt.CurrencySymbol
	} else {
		f.Fields = append(f.Fields, coinField(holdings, posted("coin")))
	}
	f.Fields = append(f.Fields,
		field{
			Name: "amount", Label: "Amount" + unit, Value: amount, Max: 64, Required: true,
			Hint: "What you sent, without the network's fee.",
		},
		field{
			Name: "tx_id", Label: "Transaction id", Value: posted("tx_id"), Max: 200,
			Required: true, Hint: "Of the transaction that sent it, from your wallet.",
		},
		field{
			Name: "reason", Label: "Reason (optional)", Value: posted("reason"), Max: maxReason,
			Hint: "For your records. The customer does not see it.",
		},
	)

	p := r.confirmPage("refund", aboutPayment(s), link{paymentPath(s.ID), "The payment"}, f)
	view := p.View.(confirmation)
	view.Refund = r.refundView(s)
	view.Problem = problem
	p.View = view
	if problem != "" {
		p.Status = http.StatusUnprocessableEntity
	}
	return p
}

// coinField chooses one of the coins that arrived.
func coinField(holdings []payment.Holding, value string) field {
	f := field{Name: "coin", Label: "Coin", Value: value}
	for _, h := range holdings {
		network := cmp.Or(h.Attempt.NetworkName, h.Attempt.NetworkCode)
		f.Options = append(f.Options, option{
			Value: coinValue(h),
			Label: cleanText(h.Attempt.CurrencySymbol + " on " + network),
		})
	}
	return f
}

// coinValue is how the form names a coin.
func coinValue(h payment.Holding) string {
	return h.Attempt.CurrencySymbol + " " + h.Attempt.NetworkCode
}

// refundView shows what arrived for s.
func (r *request) refundView(s payment.Session) *refundView {
	view := &refundView{Payable: cancellable(s)}
	for _, h := range s.Holdings(r.Tokens) {
		held := refundHolding{
			Amount:  amount{payment.FormatAmount(h.Amount), h.Attempt.CurrencySymbol},
			Network: cmp.Or(h.Attempt.NetworkName, h.Attempt.NetworkCode),
			Less:    len(s.Refunds) > 0,
		}
		if h.Excess.IsPositive() {
			held.Excess = amount{payment.FormatAmount(h.Excess), h.Attempt.CurrencySymbol}
		}
		view.Holdings = append(view.Holdings, held)
	}
	return view
}

// moreThanArrivedPage asks whether refund, which is more than arrived, was really sent.
func (r *request) moreThanArrivedPage(s payment.Session, refund payment.Refund) page {
	back := link{paymentPath(s.ID) + "/refund", "The form"}
	p := r.confirmPage("refund-more", aboutPayment(s), back, form{
		Path: paymentPath(s.ID) + "/refund",
		Part: "do-refund-more",
		Hidden: []hidden{
			{"coin", refund.CurrencySymbol + " " + refund.NetworkCode},
			{"amount", payment.FormatAmount(refund.Amount)},
			{"tx_id", refund.TxID},
			{"reason", refund.Reason},
			{"confirm_excess", "true"},
		},
	})
	view := p.View.(confirmation)
	view.Refund = r.refundView(s)
	sent := refundSum(refund)
	view.Refund.Sent = &sent
	p.View = view
	return p
}

// recordRefund is POST /admin/payments/{session}/refund. What cannot be recorded as it is, is asked
// for again, and is not in the audit log.
func (r *request) recordRefund(s payment.Session) (done bool, err error) {
	if !refundable(s) {
		return false, &wire.Error{Code: wire.CodeNotPossible}
	}

	terms := payment.RefundTerms{
		ConfirmExcess: r.r.PostFormValue("confirm_excess") == "true",
		Coins:         r.Tokens,
	}
	refund, err := r.readRefund(s)
	if err == nil {
		probe := s.Snapshot()
		err = probe.Refund(refund, terms, r.now())
	}

	known, _ := errors.AsType[*wire.Error](err)
	switch {
	case errors.Is(err, payment.ErrUnchanged):
		return false, r.redirect(paymentPath(s.ID), "refund-known")
	case known != nil && known.Code == wire.CodeRefundExceeds:
		r.show(r.moreThanArrivedPage(s, refund))
		return false, nil
	case known != nil && known.Code != wire.CodeNotPossible: // 50 are recorded
		r.show(r.refundForm(s, r.r.PostFormValue("amount"), describeRefusal(known)))
		return false, nil
	case err != nil:
		return false, err
	}

	detail := payment.FormatAmount(refund.Amount) + " " + refund.CurrencySymbol + " on " +
		refund.NetworkCode + " by " + refund.TxID
	if refund.Reason != "" {
		detail += ": " + refund.Reason
	}
	if err := r.record(refundRecord, s.ID, detail); err != nil {
		return false, err
	}

	_, _, err = r.Checkout.Refund(r.r.Context(), s.ID, refund, terms.ConfirmExcess)
	r.recordResult(refundRecord, s.ID, err)
	return err == nil, err
}

// readRefund reads the form. Errors: *wire.Error for an amount that is none, or for a coin that has
// not arrived: the API records those.
func (r *request) readRefund(s payment.Session) (payment.Refund, error) {
	posted := func(name string) string { return strings.TrimSpace(r.r.PostFormValue(name)) }
	amount, err := payment.ParseRefundAmount(posted("amount"))
	if err != nil {
		return payment.Refund{}, err
	}

	coin := posted("coin")
	symbol, network, _ := strings.Cut(coin, " ")
	arrived := slices.ContainsFunc(s.Holdings(r.Tokens), func(h payment.Holding) bool {
		return coinValue(h) == coin
	})
	if !arrived {
		return payment.Refund{}, &wire.Error{Code: wire.CodeInvalid, Param: "coin"}
	}

	return payment.Refund{
		Amount:         amount,
		CurrencySymbol: symbol,
		NetworkCode:    network,
		TxID:           posted("tx_id"),
		Reason:         posted("reason"),
		By:             r.by(),
	}, nil
}

// describeRefusal says what is wrong with a refund.
func describeRefusal(e *wire.Error) string {
	if e.Detail == "" || e.Detail == string(e.Code) {
		return words().Failures[e.Code].Text
	}
	return capitalize(e.Detail) + "."
}
