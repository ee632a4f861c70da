package checkout

import (
	"context"
	"errors"
	"time"

	"coinslot/app/wire"
)

// leastGain is how much later an extension must end for it to be worth a new
// address. A second click within this time finds nothing to gain.
const leastGain = time.Minute

// Extend gives the shopper more time to pay: the waiting attempt is called off
// and one in the same coin is opened with the longest time that its network
// allows, as in a change of coin. The gateway cannot move an end, so the
// address and the price are new. number is the attempt that the shopper saw; one
// that has been replaced since is not replaced again. Zero means the current one.
//
// Errors: *wire.Error with CodeNotPossible if nothing is waited for or the
// session's own end has come, CodeSessionPaid, CodePaymentInProgress if money is
// on its way, CodeTooManyAttempts, CodeGatewayUnavailable, CodeSessionUnknown;
// the store's.
func (c *Service) Extend(ctx context.Context, id string, number int) (Session, error) {
	s, err := c.Session(ctx, id)
	if err != nil {
		return s, err
	}
	if err := s.extendable(number); errors.Is(err, errJoined) {
		return s, nil
	} else if err != nil {
		return s, err
	}
	currencies, err := c.Currencies(ctx)
	if err != nil {
		return s, c.unavailable(ctx, "reading currencies", err)
	}
	w, err := s.extension(currencies, c.Now())
	if errors.Is(err, errJoined) {
		return s, nil
	}
	if err != nil {
		return s, err
	}
	return c.open(ctx, s, w)
}

// extendable returns why attempt number cannot be given more time: errJoined if
// another click has seen to it, or is about to.
func (s *Session) extendable(number int) error {
	a := s.Current()
	switch {
	case a == nil || number > len(s.Attempts):
		return problem(wire.CodeNotPossible, "")
	case s.status() == wire.Confirmed:
		return problem(wire.CodeSessionPaid, "")
	case s.status() == wire.Review:
		return problem(wire.CodePaymentInProgress, "")
	case a.State == Creating || a.State == Unknown || a.State == Waiting && number != 0 && a.Number > number:
		return errJoined
	case a.State != Waiting:
		return problem(wire.CodeNotPossible, "")
	}
	return nil
}

// extension returns the wish that gives the waiting attempt of s more time, or
// why there is none; errJoined if it has as much as there is.
func (s *Session) extension(currencies []Currency, now time.Time) (wish, error) {
	a := s.Current()
	choice := wire.Choice{CurrencySymbol: a.CurrencySymbol, NetworkCode: a.NetworkCode, Email: a.Email, Comment: a.Comment}
	offer, err := pick(offers(s.Order, currencies), choice)
	switch {
	case err != nil:
		return wish{}, err
	case a.Paid.IsPositive() || a.TxID != "":
		return wish{}, problem(wire.CodePaymentInProgress, "")
	case !now.Before(s.ExpiresAt):
		return wish{}, problem(wire.CodeNotPossible, "")
	}
	if err := s.mayChange(a.Number, now); err != nil {
		return wish{}, err
	}
	w := wish{offer: offer, choice: choice, instead: a.Number, minutes: longest(s.Order, offer.Network)}
	if now.Add(time.Duration(w.minutes) * time.Minute).Before(a.ExpiresAt.Add(leastGain)) {
		return wish{}, errJoined
	}
	return w, nil
}

// longest returns the most minutes that a network gives an attempt; those of the
// order if that is not known.
func longest(o Order, n Network) int {
	if n.MaxTTL > 0 {
		return min(n.MaxTTL, maxTTLMinutes)
	}
	return ttl(o.TTLMinutes, 0)
}

// extendMinutes returns the minutes that Extend would give now; zero if it would
// not do anything.
func (s *Session) extendMinutes(currencies []Currency, now time.Time) int {
	if s.extendable(0) != nil {
		return 0
	}
	w, err := s.extension(currencies, now)
	if err != nil {
		return 0
	}
	return w.minutes
}
