package console

import (
	"maps"
	"slices"

	"coinslot/app/wire"
	"coinslot/bff/payment"
	"coinslot/bff/retention"
)

// statusBadges are the words for what a session's status is.
var statusBadges = map[wire.Status]badge{
	wire.Confirmed: {Kind: "good", Word: "Confirmed"},
	wire.Review:    {Kind: "bad", Word: "Review"},
	wire.Pending:   {Kind: "wait", Word: "Pending"},
	wire.Preparing: {Kind: "wait", Word: "Preparing"},
	wire.Open:      {Word: "Open"},
	wire.Expired:   {Word: "Expired"},
	wire.Cancelled: {Word: "Cancelled"},
}

// statusBadge is how a session stands.
func statusBadge(s wire.Status) badge {
	b, known := statusBadges[s]
	if !known {
		b.Word = string(s)
	}
	b.Status = string(s)
	return b
}

// attemptState is a badge and a sentence.
type attemptState struct{ kind, word, Means string }

// Badge is the state's.
func (s attemptState) Badge() badge { return badge{Kind: s.kind, Word: s.word} }

const lateMoney = "Late money is looked for during three days, " +
	"and told for as long as the gateway lists it."

// states say what the state of an attempt means to an operator.
var states = map[payment.State]attemptState{
	payment.Creating: {
		"wait", "Being created",
		"The gateway is being asked for an address. If its answer is lost, its list is searched.",
	},
	payment.Unknown: {
		"warn", "Answer lost",
		"The gateway may or may not have opened a transaction. Its list is searched until that " +
			"is known; nothing has to be done.",
	},
	payment.Waiting: {
		"wait", "Waiting for money",
		"The address is shown to the shopper, and the gateway is asked again and again.",
	},
	payment.Confirmed: {"good", "Confirmed", "The gateway has proven that it was paid."},
	payment.Expired:   {"", "Expired", "The time to pay is over. " + lateMoney},
	payment.Cancelled: {"", "Cancelled", "It was called off. " + lateMoney},
	payment.Refused: {
		"warn", "Refused by the gateway",
		"The gateway said no; nothing exists there, and another coin can be chosen.",
	},
	payment.Lost: {
		"", "Given up",
		"Nobody has seen its address. If the gateway has opened it after all, it is called off " +
			"there.",
	},
	payment.Rejected: {
		"bad", "Answer refused",
		"The gateway's answer failed our checks: its address was never shown, and it is " +
			"called off.",
	},
	payment.InReview: {
		"bad", "In review",
		"The gateway reports it as paid in a way that proves nothing. A human has to settle it.",
	},
	payment.Stray: {
		"warn", "Second transaction",
		"The gateway has opened two for one request. This one was never shown and is called off.",
	},
}

// byHand is the state of what an operator has resolved as paid.
var byHand = attemptState{
	"good", "Settled as paid", "Somebody has settled it as paid. The gateway had not proven it.",
}

// absent is the state of what the gateway does not know any more.
var absent = attemptState{"bad", "In review", "The gateway does not know the transaction any more. " +
	"Nothing was reported as paid. If the gateway knows it again, the review ends by itself."}

// stateOf says where an attempt stands.
func stateOf(a payment.Attempt) attemptState {
	if a.State == payment.InReview && a.Reason == "transaction_absent" {
		return absent
	}
	if a.ByHand() {
		return byHand
	}
	return states[a.State]
}

// reviewReason says why a payment is not proven, and what to do.
type reviewReason struct{ What, Todo string }

// reviewReasons are all there are, by their code.
var reviewReasons = map[string]reviewReason{
	"tracking_code_mismatch": {
		"The gateway answered for another transaction",
		"Ask the gateway's support with the tracking code below before you settle it.",
	},
	"order_id_mismatch": {
		"The gateway's order number is not ours",
		"The money may belong to another order. Compare the tracking code in the gateway's own " +
			"panel before you settle it.",
	},
	"amount_usd_mismatch": {
		"The gateway reports another price",
		"Compare the order's amount with the gateway's panel. Do not ship on this alone.",
	},
	"currency_mismatch": {
		"It was reported in another coin or network",
		"Look at the transaction in the explorer: which coin has come, and to which address?",
	},
	"pay_amount_mismatch": {
		"The gateway asks for another amount than it first said",
		"Look at the transaction in the explorer and compare what has come with what was asked.",
	},
	"paid_amount_unreadable": {
		"The gateway reports an amount that cannot be read",
		"Look at the transaction in the explorer for what has come.",
	},
	"paid_amount_short": {
		"Paid, says the gateway, but too little has come",
		"Look at the transaction in the explorer. If you take less, settle it as confirmed; else " +
			"refund and settle it as cancelled.",
	},
	"paid_amount_excessive": {
		"The gateway reports far too much",
		"Look at the transaction in the explorer. If the order's amount has arrived, resolve the " +
			"payment as " +
			"confirmed and refund the excess. If the gateway's figure is wrong, tell its support.",
	},
	"gateway_changed": {
		"The gateway's address or key has changed since",
		"It was opened with another key. Look it up in that account before you settle it.",
	},
	"transaction_id_reused": {
		"The same transaction has paid another order",
		"An exchange may pay two orders at once: then the amount of the transaction covers both. " +
			"If it does not, this order is not paid.",
	},
	"session_confirmed_already": {
		"The order was paid twice",
		"One order is paid once. Refund the second payment, and settle it as cancelled.",
	},
	"settled_before": {
		"It was settled as not paid, and now the gateway proves it",
		"Was the money refunded? Then settle it as not paid again. If not, send what was ordered " +
			"and settle it as paid, or refund it and settle it as not paid.",
	},
	"transaction_absent": {
		"The gateway no longer knows the transaction",
		"Nothing was reported as paid. Check that the gateway's address and key are those that " +
			"the transaction " +
			"was opened with, and ask the gateway's support with the tracking code below. Look " +
			"at the address " +
			"in the explorer before you resolve the payment.",
	},
	"confirmation_taken_back": {
		"The gateway has taken the confirmation back",
		"It said confirmed, and three times since that it is not. It stays confirmed here: look " +
			"at the transaction in the explorer and ask the gateway.",
	},
	"paid_after_confirmation": {
		"More money has come after the payment was confirmed",
		"The shopper has paid more than once or too much. Refund what is too much.",
	},
}

// explainReview explains the reason of a review.
func explainReview(code string) reviewReason {
	if r, ok := reviewReasons[code]; ok {
		return r
	}
	return reviewReason{
		"This payment is not proven",
		"Look it up in the gateway's own panel and in the explorer before you settle it.",
	}
}

// events say what an entry of a timeline means; its detail goes behind it.
var events = map[string]string{
	"session.created":   "The order came.",
	"session.cancelled": "The payment was called off.",
	"session.expired":   "Nobody chose a coin in time.",
	"session.resolved":  "Settled by hand:",
	"attempt.intended":  "A coin was chosen:",
	"attempt.pending":   "The gateway gave an address. Tracking code",
	"attempt.refused":   "The gateway refused:",
	"attempt.put_off": "The gateway takes no requests now, so nothing was opened. " +
		"It is asked again after",
	"attempt.not_sent":    "The gateway was not asked again:",
	"attempt.rejected":    "The gateway's answer failed our checks and was not shown:",
	"attempt.unknown":     "The gateway's answer was lost; its list is searched:",
	"attempt.late_answer": "The gateway's answer came late. Tracking code",
	"attempt.found":       "Found in the gateway's list:",
	"attempt.stray": "The gateway has opened a second transaction, which is " +
		"called off:",
	"attempt.handed_over": "It could not be called off: the gateway's own page is shown. " +
		"Tracking code",
	"attempt.lost": "Given up and called off. Tracking code",
	"attempt.abandoned": "Nothing was found out for ten minutes: given up, and searched " +
		"for further. Tracking code",
	"attempt.confirmed":          "The gateway has proven the payment. Tracking code",
	"attempt.expired":            "The time to pay is over. Tracking code",
	"attempt.cancelled":          "Called off at the gateway. Tracking code",
	"attempt.review":             "Reported as paid, but not proven:",
	"attempt.absent":             "The gateway does not know it any more. Tracking code",
	"attempt.reappeared":         "The gateway knows it again. Tracking code",
	"attempt.paid_more":          "More money has come; in all",
	"attempt.regressed":          "The gateway says otherwise than before:",
	"attempt.shares_transaction": "Paid by the same transaction as another order:",
}

// happened says what an entry of a timeline means.
func happened(e payment.Entry) string {
	switch words := events[e.What]; {
	case e.What == "attempt.confirmed" && e.By != "gateway":
		return "Confirmed on somebody's word. Tracking code"
	case words == "":
		return e.What
	default:
		return words
	}
}

// actionWords say what an operator has done, by the word of the audit log. What changes
// something has two: what was requested, and that it was done.
var actionWords = map[string]string{
	"login":                 "signed in",
	"login.failed":          "tried a wrong password",
	"logout":                "signed out",
	"payments.export":       "exported payments",
	"transactions.export":   "exported the gateway's transactions",
	"withdrawals.export":    "exported withdrawals",
	"reconciliation.export": "exported a comparison",
	"origins.export":        "exported refused origins",
	"webhooks.export":       "exported webhooks",
	"reconcile":             "compared gateway and database",
	"refused":               "was refused",

	"session.recheck":                "asked to have the gateway asked again",
	"session.recheck" + doneSuffix:   "had the gateway asked again",
	"session.cancel":                 "asked to call the payment off",
	"session.cancel" + doneSuffix:    "called the payment off",
	"session.confirm":                "asked to settle the payment as paid",
	"session.confirm" + doneSuffix:   "settled the payment as paid",
	retention.EraseRecord:            "asked to erase personal data",
	retention.EraseRecorded:          "erased personal data",
	"session.discard":                "asked to settle the payment as not paid",
	"session.discard" + doneSuffix:   "settled the payment as not paid",
	"webhook.redeliver":              "asked to send a webhook again",
	"webhook.redeliver" + doneSuffix: "sent a webhook again",
	"webhook.reroute":                "asked to move webhooks to the configured URL",
	"webhook.reroute" + doneSuffix:   "moved webhooks to the configured URL",
	"webhook.test":                   "asked to send a test webhook",
	"webhook.test" + doneSuffix:      "sent a test webhook",
	"webhook.replay":                 "asked to send the webhooks of a time again",
	"webhook.replay" + doneSuffix:    "sent the webhooks of a time again",
}

// describeAction is what an action was, in words.
func describeAction(what string) string {
	if words := actionWords[what]; words != "" {
		return words
	}
	return what
}

func sorted(pairs map[string]string) []string { return slices.Sorted(maps.Keys(pairs)) }
