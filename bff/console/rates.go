package console

import (
	"cmp"
	"errors"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/rates"
)

const (
	ratesPath      = "/admin/rates"
	acceptRatePath = ratesPath + "/accept"
)

type ratesView struct {
	Now    time.Time
	Off    bool      // prices are in dollars only
	Source string    // in words; empty = none was read yet
	AsOf   time.Time // of its last table
	Spread string    // percent
	Held   []heldRate
	Rows   []rateRow
	// Schedule is when the source is read, and how that went.
	Schedule rates.Schedule
}

// rateRow is what is known of one currency.
type rateRow struct {
	rates.Entry
	Currency string
	State    badge // whether it can be used
	NextHeld bool  // the next one is held, and State does not say so
}

// heldRate is a rate that waits for an operator.
type heldRate struct {
	Currency string
	InUse    rates.Rate // perhaps too old
	Held     rates.Rate
	Change   string // "+12.0 %"
	State    badge  // of the one in use
	Accept   string // address
}

// rates is GET /admin/rates: what prices in other currencies are converted with.
func (c *console) rates(r *request) (page, error) {
	p := page{
		Title:    "Exchange rates",
		Section:  ratesPath,
		Lead:     "Prices in other currencies become dollars at these rates. An open payment keeps its rate.",
		template: "rates",
	}
	if c.Exchange == nil {
		p.View = ratesView{Off: true}
		return p, nil
	}

	state, err := c.Exchange.Load(r.r.Context())
	if err != nil {
		return page{}, err
	}
	view := ratesView{
		Now:      r.now(),
		Source:   describeSource(state.Source),
		AsOf:     state.AsOf,
		Spread:   c.Exchange.SpreadPercent.String(),
		Held:     heldRates(state, r.now()),
		Schedule: state.Schedule,
	}
	for _, code := range slices.Sorted(maps.Keys(state.Currencies)) {
		entry := state.Currencies[code]
		_, reason := entry.Usable(r.now())
		view.Rows = append(view.Rows, rateRow{
			Entry:    entry,
			Currency: code,
			State:    rateBadge(reason),
			NextHeld: entry.Held != nil && reason != rates.Held,
		})
	}
	p.View = view
	return p, nil
}

// heldRates returns those of all currencies, by code.
func heldRates(state rates.State, now time.Time) (list []heldRate) {
	for _, code := range slices.Sorted(maps.Keys(state.Currencies)) {
		entry := state.Currencies[code]
		if entry.Held == nil {
			continue
		}
		_, reason := entry.Usable(now)
		seen := url.Values{"currency": {code}, "rate": {entry.Held.Fraction}}
		list = append(list, heldRate{
			Currency: code,
			InUse:    entry.Rate,
			Held:     *entry.Held,
			Change:   formatChange(entry.Change()),
			State:    rateBadge(reason),
			Accept:   acceptRatePath + "?" + seen.Encode(),
		})
	}
	return list
}

// formatChange is a change in percent as people write it, "−12.0 %".
func formatChange(percent string) string {
	if percent == "" {
		return ""
	}
	return strings.Replace(percent, "-", "−", 1) + " %"
}

// rateBadge is whether a rate can be used; reason is why not, empty = it can.
func rateBadge(reason rates.Reason) badge {
	return words().Rates[cmp.Or(reason, "usable")]
}

// describeSource names a source of rates.
func describeSource(name string) string { return cmp.Or(words().RateSources[name], name) }

// codeNotHeld is of a rate that is not held any more. Only the console has it.
const codeNotHeld wire.Code = "rate_not_held"

// confirmAcceptRate is GET /admin/rates/accept: which rate is to be used.
func (c *console) confirmAcceptRate(r *request) (page, error) {
	if c.Exchange == nil {
		return page{}, errNoPage
	}
	state, err := c.Exchange.Load(r.r.Context())
	if err != nil {
		return page{}, err
	}
	currency, fraction := r.r.FormValue("currency"), r.r.FormValue("rate")
	all := heldRates(state, r.now())
	i := slices.IndexFunc(all, func(h heldRate) bool {
		return h.Currency == currency && h.Held.Fraction == fraction
	})
	if i < 0 {
		return page{}, &wire.Error{Code: codeNotHeld}
	}

	p := r.confirmPage("rate", nil, link{ratesPath, "Exchange rates"}, form{
		Path: acceptRatePath,
		Part: "do-accept-rate",
		Hidden: []hidden{
			{"currency", currency},
			{"rate", fraction},
		},
	})
	view := p.View.(confirmation)
	view.Rate = &all[i]
	p.View = view
	return p, nil
}

// acceptRate is POST /admin/rates/accept: the rate that the form has shown is used from now on.
func (c *console) acceptRate(r *request) error {
	if c.Exchange == nil {
		return errNoPage
	}

	currency := r.r.PostFormValue("currency")
	fraction := r.r.PostFormValue("rate")
	err := r.record("rate.accept", "", currency+" at "+fraction)
	if err != nil {
		return err
	}

	err = c.Exchange.Accept(r.r.Context(), currency, fraction)
	if errors.Is(err, rates.ErrNotHeld) {
		err = &wire.Error{Code: codeNotHeld}
	}
	r.recordResult("rate.accept", "", err)
	if err != nil {
		return err
	}

	return r.redirect(ratesPath, "rate-accepted")
}
