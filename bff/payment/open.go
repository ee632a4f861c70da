package payment

import (
	"errors"
	"slices"
	"time"

	"coinslot/app/wire"
)

// maxAttempts bounds how often one session can be started anew.
const maxAttempts = 12

// Desired is the attempt that a shopper wants.
type Desired struct {
	Offer   Offer
	Choice  wire.Choice
	Minutes int // to pay
	// instead is the number of the attempt to be replaced although it is in the
	// same coin; zero if none is.
	instead int
}

// Replaces reports whether a has to be called off before w is opened.
func (w Desired) Replaces(a *Attempt) bool {
	return a.State == Waiting && (a.Number == w.instead || w.instead == 0 && !a.IsFor(w.Offer))
}

// ValidChoice checks what a shopper may type.
func ValidChoice(c wire.Choice) error {
	switch {
	case c.Email != "" && !ValidEmail(c.Email):
		return NewError(wire.CodeInvalid, "email")
	case !isLine(c.Comment, 200):
		return NewError(wire.CodeInvalid, "comment")
	}
	return nil
}

// ErrJoined says that the wanted attempt is there already.
var ErrJoined = errors.New("attempt exists")

// AddIntent appends the intent to open an attempt, if s allows one now.
func (s *Session) AddIntent(w Desired, now time.Time) error {
	if err := s.mayOpenFor(w.Offer, now); err != nil {
		return err
	}
	currency, network := w.Offer.Currency, w.Offer.Network
	a := Attempt{
		State: Creating, CurrencySymbol: currency.Symbol, CurrencyName: currency.Name,
		NetworkCode: network.Code, NetworkName: network.Name,
		TTLMinutes: w.Minutes, Email: w.Choice.Email, Comment: w.Choice.Comment,
	}
	if a.Email == "" {
		a.Email = s.Order.Email
	}
	s.add(a, now)
	return nil
}

// LastEmail returns the e-mail of the latest attempt if that has ended: the page of an
// ended payment does not hold the address, so the retry button cannot send it.
func (s *Session) LastEmail() string {
	if a := s.Current(); a != nil && (a.State == Expired || a.State == Cancelled) {
		return a.Email
	}
	return ""
}

// mayOpenFor returns why no attempt can be opened now, errJoined if the wanted
// one is there.
func (s *Session) mayOpenFor(o Offer, now time.Time) error {
	err := s.mayOpen(now)
	a := s.Current()
	if errors.Is(err, NewError(wire.CodePaymentInProgress, "")) && a.Live() && a.IsFor(o) {
		return ErrJoined
	}
	return err
}

// mayOpen returns why no attempt in any coin can be opened now.
func (s *Session) mayOpen(now time.Time) error {
	switch s.status().Outcome() {
	case wire.Paid:
		return NewError(wire.CodeSessionPaid, "")
	case wire.InDoubt:
		return NewError(wire.CodePaymentInProgress, "")
	case wire.Payable, wire.Unpaid:
	}
	if s.Deleted || s.ClosedBy.Final() || len(s.Attempts) == 0 && !now.Before(s.ExpiresAt) {
		return NewError(wire.CodeSessionExpired, "")
	}
	for i := range s.Attempts {
		if a := &s.Attempts[i]; a.Live() || a.Paid.IsPositive() {
			return NewError(wire.CodePaymentInProgress, "")
		}
	}
	if n := len(s.Attempts); n > maxAttempts || n == maxAttempts && !s.Attempts[n-1].neverSent() {
		return NewError(wire.CodeTooManyAttempts, "")
	}
	return nil
}

// MayChange returns why no attempt could be opened even if waiting attempt n
// were called off: then it is left alone.
func (s *Session) MayChange(n int, now time.Time) error {
	without := *s
	without.Attempts = slices.Clone(s.Attempts)
	without.Attempt(n).State = Cancelled
	return without.mayOpen(now)
}

// add appends an attempt in state Creating with what every one gets: number,
// marker, amount, order number.
//
// It takes the place of one that is proven never to have been sent: an outage
// must not use up the attempts that a session has.
func (s *Session) add(a Attempt, now time.Time) {
	if n := len(s.Attempts); n > 0 && s.Attempts[n-1].neverSent() {
		s.Attempts = s.Attempts[:n-1]
	}
	a.Number, a.Marker, a.AmountUSD, a.StartedAt = len(s.Attempts)+
		1, newMarker(), s.Order.AmountUSD, now
	a.OrderID, a.Drawn = s.Order.OrderID, false
	if a.OrderID == 0 {
		a.OrderID, a.Drawn = drawOrderID(), true
	}
	s.Attempts = append(s.Attempts, a)
	s.Notice, s.ClosedBy, s.ErasedAt = Notice{}, NotClosed, time.Time{}
	s.AppendTimeline(now, "shopper", "attempt.intended", a.CurrencySymbol+" "+a.NetworkCode)
}

// Minutes returns the minutes to ask for: what the order wants, within what the
// network allows; zero stands for "not said" in both.
func Minutes(requested, limit int) int {
	if requested == 0 {
		requested = defaultTTL
	}
	if limit > 0 {
		return min(requested, limit)
	}
	return requested
}

// minGain is how much later an extension must end for it to be worth a new
// address. A second click within this time finds nothing to gain.
const minGain = time.Minute

// Extendable returns why attempt number cannot be given more time: errJoined if
// another click has seen to it, or is about to.
func (s *Session) Extendable(number int) error {
	a := s.Current()
	switch {
	case a == nil || number > len(s.Attempts):
		return NewError(wire.CodeNotPossible, "")
	case s.status() == wire.Confirmed:
		return NewError(wire.CodeSessionPaid, "")
	case s.status() == wire.Review:
		return NewError(wire.CodePaymentInProgress, "")
	case a.State == Creating || a.State == Unknown ||
		a.State == Waiting && number != 0 && a.Number > number:
		return ErrJoined
	case a.State != Waiting:
		return NewError(wire.CodeNotPossible, "")
	}
	return nil
}

// Extension returns the wish that gives the waiting attempt of s more time, or
// why there is none; errJoined if it has as much as there is.
func (s *Session) Extension(currencies []Currency, now time.Time) (Desired, error) {
	a := s.Current()
	choice := wire.Choice{
		CurrencySymbol: a.CurrencySymbol, NetworkCode: a.NetworkCode, Email: a.Email,
		Comment: a.Comment,
	}
	offer, err := PickOffer(Offers(s.Order, currencies), choice)
	switch {
	case err != nil:
		return Desired{}, err
	case a.Paid.IsPositive() || a.TxID != "":
		return Desired{}, NewError(wire.CodePaymentInProgress, "")
	case !now.Before(s.ExpiresAt):
		return Desired{}, NewError(wire.CodeNotPossible, "")
	}
	if err := s.MayChange(a.Number, now); err != nil {
		return Desired{}, err
	}
	w := Desired{
		Offer: offer, Choice: choice, instead: a.Number, Minutes: longest(s.Order, offer.Network),
	}
	if now.Add(time.Duration(w.Minutes) * time.Minute).Before(a.ExpiresAt.Add(minGain)) {
		return Desired{}, ErrJoined
	}
	return w, nil
}

// longest returns the most minutes that a network gives an attempt; those of the
// order if that is not known.
func longest(o Order, n Network) int {
	if n.MaxTTL > 0 {
		return min(n.MaxTTL, maxTTLMinutes)
	}
	return Minutes(o.TTLMinutes, 0)
}

// ExtendMinutes returns the minutes that Extend would give now; zero if it would
// not do anything.
func (s *Session) ExtendMinutes(currencies []Currency, now time.Time) int {
	if s.Extendable(0) != nil {
		return 0
	}
	w, err := s.Extension(currencies, now)
	if err != nil {
		return 0
	}
	return w.Minutes
}
