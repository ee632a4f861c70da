package payment

import (
	"cmp"
	"crypto/rand"
	"errors"
	"math/big"
	"time"

	"coinslot/app/wire"
)

// maxAttempts bounds the attempts of one session until it is reopened, and maxAllAttempts all.
const (
	maxAttempts    = 12
	maxAllAttempts = 5 * maxAttempts
)

// Desired is an attempt that a shopper asks for.
type Desired struct {
	Offer   Offer
	Choice  wire.Choice
	Minutes int // time to pay
	// Trace is the traceparent of the request that asks for it; empty = not traced.
	Trace string
	// Ended is the attempt that it replaces; see [Session.ReplacedBy].
	Ended   Ended
	instead int // number of an attempt in the same coin to replace; zero = none
}

// Ended is an attempt that was canceled so that another can be opened. The zero Ended is none.
type Ended struct {
	Number      int
	Record      Record // read after the cancellation
	Environment string // of the gateway that the record is from
}

// NewDesired returns the attempt of a choice. Errors: as from [PickOffer] and [ValidChoice].
func NewDesired(o Order, currencies []Currency, c wire.Choice) (Desired, error) {
	offer, err := PickOffer(Offers(o, currencies), c)
	if err != nil {
		return Desired{}, err
	}
	if err := ValidChoice(c); err != nil {
		return Desired{}, err
	}
	minutes := Minutes(o.TTLMinutes, offer.Network.MaxTTL)
	return Desired{Offer: offer, Choice: c, Minutes: minutes}, nil
}

// ReplacedBy returns the number of the waiting attempt that must be canceled before w is opened;
// zero = none. Errors: w could not be opened even then.
func (s *Session) ReplacedBy(w Desired, now time.Time) (number int, err error) {
	a := s.Current()
	if a == nil || !w.replaces(a) {
		return 0, nil
	}
	return a.Number, s.mayChange(a.Number, now)
}

// replaces reports whether a must be canceled before w is opened.
func (d Desired) replaces(a *Attempt) bool {
	if a.State != Waiting {
		return false
	}
	if d.instead != 0 {
		return a.Number == d.instead
	}
	return !a.IsFor(d.Offer)
}

// ValidChoice validates what a shopper may type.
func ValidChoice(c wire.Choice) error {
	_, isEmail := Email(c.Email)
	switch {
	case c.Email != "" && !isEmail:
		return NewError(wire.CodeInvalid, "email")
	case !isTitle(c.Comment, 200):
		return NewError(wire.CodeInvalid, "comment")
	}
	return nil
}

var errInProgress = NewError(wire.CodePaymentInProgress, "")

// ErrJoined means that the desired attempt exists already.
var ErrJoined = errors.New("attempt exists")

// AddIntent appends the intent to open an attempt, if s allows one now. One that it replaces ends in
// the same change, so that a change of coin is never reported as a cancellation. Errors: ErrJoined;
// *wire.Error with the reason why s allows none; as from [Session.Apply].
func (s *Session) AddIntent(w Desired, now time.Time) error {
	replaces := w.Ended.Number != 0
	email, _ := Email(w.Choice.Email)
	if !replaces {
		email = cmp.Or(email, s.lastEmail())
	}
	if replaces {
		err := s.Apply(w.Ended.Number, w.Ended.Record, w.Ended.Environment, now)
		if err != nil {
			return err
		}
	}

	a := s.Current()
	if a != nil && a.Postponed() && !a.IsFor(w.Offer) {
		s.withdrawPostponed(now)
	}

	err := s.mayOpen(now)
	if errors.Is(err, errInProgress) {
		a := s.Current()
		if a.Live() && a.IsFor(w.Offer) {
			return ErrJoined
		}
	}
	if err != nil {
		return err
	}

	currency := w.Offer.Currency
	network := w.Offer.Network
	s.add(Attempt{
		State:          Creating,
		CurrencySymbol: currency.Symbol,
		CurrencyName:   currency.Name,
		NetworkCode:    network.Code,
		NetworkName:    network.Name,
		TTLMinutes:     w.Minutes,
		Comment:        w.Choice.Comment,
		Email:          cmp.Or(email, s.Order.Email),
		Trace:          w.Trace,
	}, now)
	return nil
}

// lastEmail returns the email of the current attempt if it has ended: the page of an ended
// payment does not hold it, so the retry button cannot send it.
func (s *Session) lastEmail() string {
	a := s.Current()
	if a != nil && (a.State == Expired || a.State == Cancelled) {
		return a.Email
	}
	return ""
}

// mayOpen returns why no attempt in any coin can be opened now.
func (s *Session) mayOpen(now time.Time) error {
	switch s.status().Outcome() {
	case wire.Paid:
		return NewError(wire.CodeSessionPaid, "")
	case wire.InDoubt:
		return errInProgress
	case wire.Payable, wire.Unpaid:
	}
	if s.Deleted || s.ClosedBy.Final() || s.choiceExpired(now) {
		return NewError(wire.CodeSessionExpired, "")
	}

	for i := range s.Attempts {
		a := &s.Attempts[i]
		if a.Live() || a.Paid.IsPositive() {
			return errInProgress
		}
	}

	n := len(s.Attempts)
	most := s.mostAttempts()
	if n > most || n == most && !s.Attempts[n-1].neverSent() {
		return errTooMany
	}

	return nil
}

// choiceExpired reports whether it is too late to choose a coin: after ExpiresAt, the first one. A
// price in another currency has no further one either, because its rate is too old.
func (s *Session) choiceExpired(now time.Time) bool {
	isFirst := len(s.Attempts) == 0
	return (isFirst || !s.Order.InDollars()) && !now.Before(s.ExpiresAt)
}

// mayChange returns why no attempt could be opened even if waiting attempt n were canceled.
func (s *Session) mayChange(n int, now time.Time) error {
	without := s.withState(n, Cancelled)
	return without.mayOpen(now)
}

// add appends an attempt in state Creating with its number, marker, amount and order number. It
// replaces one that was never sent: an outage must not use up attempts.
func (s *Session) add(a Attempt, now time.Time) {
	n := len(s.Attempts)
	if n > 0 && s.Attempts[n-1].neverSent() {
		s.Attempts = s.Attempts[:n-1]
	}

	a.Number = len(s.Attempts) + 1
	a.Marker = newMarker()
	a.AmountUSD = s.Order.AmountUSD
	a.StartedAt = now
	a.OrderID = s.Order.OrderID
	a.Drawn = a.OrderID == 0

	s.Attempts = append(s.Attempts, a)
	s.DrawOrderID(a.Number)
	s.Notice = Notice{}
	s.ClosedBy = NotClosed
	s.ErasedAt = time.Time{}
	s.AppendTimeline(now, "shopper", "attempt.intended", a.CurrencySymbol+" "+a.NetworkCode)
}

// DrawOrderID draws the order number of attempt n, unless the order came with one.
func (s *Session) DrawOrderID(n int) {
	a := s.Attempt(n)
	if !a.Drawn {
		return
	}

	number, err := rand.Int(rand.Reader, big.NewInt(900_000))
	if err != nil {
		panic("reading random numbers: " + err.Error())
	}
	a.OrderID = 100_000 + int(number.Int64())
}

// withdrawPostponed gives up an attempt that was not created because the gateway was busy.
func (s *Session) withdrawPostponed(now time.Time) {
	a := s.Current()
	if a == nil || !a.Postponed() {
		return
	}
	a.State = Refused
	a.Reason = string(ReasonBusy)
	a.EndedAt = now
	a.RetryAt = time.Time{}
	s.AppendTimeline(now, "coinslot", "attempt.not_sent", "")
}

// Minutes returns how long an attempt lasts: the requested minutes, capped by the network's
// limit; zero means unspecified in both.
func Minutes(requested, limit int) int {
	requested = cmp.Or(requested, defaultTTL)
	if limit > 0 {
		return min(requested, limit)
	}
	return requested
}

// minGain is how much longer than now an extension must last to justify a new address.
const minGain = time.Minute

// Extendable returns why attempt number cannot be extended: ErrJoined if a concurrent request
// has done it or is about to.
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

// Extension returns the attempt that gives the waiting one of s more time, or why there is
// none; ErrJoined if no more time is available.
func (s *Session) Extension(currencies []Currency, now time.Time) (Desired, error) {
	a := s.Current()
	choice := wire.Choice{
		CurrencySymbol: a.CurrencySymbol,
		NetworkCode:    a.NetworkCode,
		Email:          a.Email,
		Comment:        a.Comment,
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
	if err := s.mayChange(a.Number, now); err != nil {
		return Desired{}, err
	}

	w := Desired{
		Offer:   offer,
		Choice:  choice,
		instead: a.Number,
		Minutes: min(offer.Network.MaxTTL, maxTTLMinutes),
	}
	if w.Minutes <= 0 { // the network's maximum is unknown
		w.Minutes = Minutes(s.Order.TTLMinutes, 0)
	}
	if now.Add(time.Duration(w.Minutes) * time.Minute).Before(a.ExpiresAt.Add(minGain)) {
		return Desired{}, ErrJoined
	}

	return w, nil
}

// ExtendMinutes returns the minutes that Extend would give now; zero = none.
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
