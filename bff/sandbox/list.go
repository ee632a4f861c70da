package sandbox

import (
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	defaultLimit = 10 // not documented, chosen here
	maxLimit     = 50
	maxRange     = 30 * 24 * time.Hour
)

type selection struct {
	limit    int
	page     int       // from 1
	from, to time.Time // first moment of the first day, first moment after the last; zero = any
	status   string    // empty = any
}

// parseSelection reads the parameters of a list; an empty one counts as not
// given. statuses are those that may be asked for. Days are UTC.
func parseSelection(q url.Values, statuses ...string) (selection, *refusal) {
	sel := selection{status: q.Get("status")}
	var refused *refusal
	if sel.limit, refused = between(q, "limit", defaultLimit, maxLimit); refused != nil {
		return sel, refused
	}
	if sel.page, refused = between(q, "page", 1, math.MaxInt32); refused != nil {
		return sel, refused
	}
	if sel.status != "" && !slices.Contains(statuses, sel.status) {
		return sel, invalid("The selected status is invalid: it must be one of %s.",
			strings.Join(statuses, ", "))
	}
	return sel, sel.parseDates(q.Get("from_date"), q.Get("to_date"))
}

func between(q url.Values, name string, without, most int) (int, *refusal) {
	text := q.Get(name)
	if text == "" {
		return without, nil
	}
	n, refused := wholeNumber(name, text)
	if refused != nil {
		return 0, refused
	}
	if n < 1 || n > int64(most) {
		return 0, invalid("The %s must be between 1 and %d.", name, most)
	}
	return int(n), nil
}

// wholeNumber reads an integer written without sign, fraction or exponent,
// except that it may be negative.
func wholeNumber(name, text string) (int64, *refusal) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || strings.HasPrefix(text, "+") {
		return 0, invalid("The %s must be an integer.", name)
	}
	return n, nil
}

func (sel *selection) parseDates(from, to string) *refusal {
	switch {
	case from == "" && to == "":
		return nil
	case from == "":
		return invalid("The from_date field is required when to_date is present.")
	case to == "":
		return invalid("The to_date field is required when from_date is present.")
	}
	first, err := time.Parse(time.DateOnly, from)
	if err != nil {
		return invalid("The from_date does not match the format Y-m-d.")
	}
	last, err := time.Parse(time.DateOnly, to)
	switch {
	case err != nil:
		return invalid("The to_date does not match the format Y-m-d.")
	case last.Before(first):
		return invalid("The to_date must be a date after or equal to from_date.")
	case last.Sub(first) > maxRange:
		return invalid("The date range must not be greater than 30 days.")
	}
	sel.from, sel.to = first, last.AddDate(0, 0, 1)
	return nil
}

func (sel selection) matches(status string, created time.Time) bool {
	if sel.status != "" && status != sel.status {
		return false
	}
	return sel.from.IsZero() || (!created.Before(sel.from) && created.Before(sel.to))
}

type listPage[T any] struct {
	Items      []T        `json:"items"`
	Pagination pagination `json:"pagination"`
}

// pagination says where a page stands among all items asked for. An empty list has one page.
type pagination struct {
	Page     int `json:"page"`
	Limit    int `json:"limit"`
	Total    int `json:"total"`
	LastPage int `json:"last_page"`
}

func paginate[T any](all []T, sel selection) listPage[T] {
	last := max(1, (len(all)+sel.limit-1)/sel.limit)
	p := listPage[T]{
		Items:      []T{},
		Pagination: pagination{Page: sel.page, Limit: sel.limit, Total: len(all), LastPage: last},
	}
	if sel.page <= last {
		start := (sel.page - 1) * sel.limit
		p.Items = append(p.Items, all[start:min(start+sel.limit, len(all))]...)
	}
	return p
}
