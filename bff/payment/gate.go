package payment

import (
	"coinslot/app/wire"

	"github.com/shopspring/decimal"
)

// MaxTolerancePercent caps the share of an amount that may be missing, whatever the gateway
// tolerates.
var MaxTolerancePercent = decimal.NewFromInt(2)

// A payment is excessive if it is at least excessMultiple times the requested amount and the
// excess is worth at least excessUSD. No shopper overpays tenfold by mistake, but a gateway that
// reports dollars instead of coins does: 25 for 0.0408 BNB. Small orders may be overpaid by
// more, because exchanges have minimum withdrawals of up to about 50 USD.
var (
	excessMultiple = decimal.NewFromInt(10)
	excessUSD      = decimal.NewFromInt(100)
)

// Why a reported payment is not proven: the "reason" of a review in the API and in webhooks.
const (
	reasonTracking    = "tracking_code_mismatch"
	reasonOrderID     = "order_id_mismatch"
	reasonAmountUSD   = "amount_usd_mismatch"
	reasonCurrency    = "currency_mismatch"
	reasonPayAmount   = "pay_amount_mismatch"
	reasonPaidText    = "paid_amount_unreadable"
	reasonPaidShort   = "paid_amount_short"
	reasonPaidExcess  = "paid_amount_excessive"
	reasonEnvironment = "gateway_changed"
	ReasonTxUsed      = "transaction_id_reused"
	reasonPaidTwice   = "session_confirmed_already"
	reasonResolved    = "settled_before"
	// nothing was reported as paid; see Session.CountAbsence
	reasonTxAbsent = "transaction_absent"
	// of a confirmed attempt, which stays confirmed
	reasonRegressed = "confirmation_taken_back"
	reasonPaidMore  = "paid_after_confirmation"
)

// checkGate is the confirm gate: it returns why r does not prove that a is paid, or "" if it does.
// r must come from a status read made for a just now (never from a list, a recheck, a redirect or a
// webhook) whose envelope said 200; env is the gateway it was read from. Whether the transaction id
// belongs to another session is checked by the store, which can do it atomically.
func checkGate(s *Session, a *Attempt, r Record, env string) string {
	switch {
	case r.TrackingCode != a.TrackingCode || r.Status != "confirmed":
		return reasonTracking
	case s.Environment != env:
		return reasonEnvironment
	case a.OrderID != 0 && r.OrderID != a.OrderID:
		return reasonOrderID
	case !r.AmountUSD.Equal(a.AmountUSD) || !r.AmountUSD.Equal(s.Order.AmountUSD):
		return reasonAmountUSD
	case !sameCoin(a, r):
		return reasonCurrency
	case !a.PayAmount.IsPositive() || !r.PayAmount.Equal(a.PayAmount):
		return reasonPayAmount
	case !r.PaidReadable:
		return reasonPaidText
	case r.Paid.LessThan(LeastPaid(a.PayAmount, a.Tolerance)):
		return reasonPaidShort
	case excessive(r.Paid, a.PayAmount, a.AmountUSD):
		return reasonPaidExcess
	case s.status() == wire.Confirmed:
		return reasonPaidTwice // another attempt has paid: one order is paid once
	case s.resolvedUnpaid():
		return reasonResolved // an operator resolved it as unpaid, and may have refunded it
	}

	return ""
}

// sameCoin reports whether r has the coin and network of a. The combined code is
// "<symbol>_<network_code>" in lower case.
func sameCoin(a *Attempt, r Record) bool {
	return SameName(r.NetworkCode, a.NetworkCode) &&
		SameName(r.CurrencyCode, a.CurrencySymbol+"_"+a.NetworkCode)
}

// LeastPaid returns the least amount that counts as paid in full: pay less tolerance percent,
// rounded up at eight digits.
func LeastPaid(pay, tolerance decimal.Decimal) decimal.Decimal {
	hundred := decimal.NewFromInt(100)
	return pay.Mul(hundred.Sub(capTolerance(tolerance))).Shift(-2).RoundCeil(8) // exact, unlike Div
}

// capTolerance limits a tolerance in percent to 0…MaxTolerancePercent.
func capTolerance(percent decimal.Decimal) decimal.Decimal {
	return decimal.Max(decimal.Zero, decimal.Min(percent, MaxTolerancePercent))
}

// excessive reports whether paid is implausibly much for pay, which is worth usd. The excess is
// worth (paid-pay)*usd/pay; multiplied out, it is exact.
func excessive(paid, pay, usd decimal.Decimal) bool {
	return paid.GreaterThanOrEqual(pay.Mul(excessMultiple)) &&
		paid.Sub(pay).Mul(usd).GreaterThanOrEqual(pay.Mul(excessUSD))
}
