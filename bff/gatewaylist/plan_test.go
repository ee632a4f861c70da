package gatewaylist

import (
	"testing"

	"coinslot/bff/payment"
)

func TestPlan(t *testing.T) {
	for name, tt := range map[string]struct {
		load load
		now  mode
		want mode
		slow bool // too slow for watched payments
	}{
		"nothing":                     {load{}, statuses, statuses, false},
		"nothing any more":            {load{}, slow, statuses, false},
		"few":                         {load{pending: 15}, statuses, statuses, false},
		"a page's worth":              {load{pending: 50}, statuses, slow, false},
		"few, and the list is read":   {load{pending: 15, pages: 1}, slow, slow, false},
		"fewer, and the list is read": {load{pending: 8, pages: 1}, slow, statuses, false},
		"many":                        {load{pending: 5000}, statuses, slow, false},
		"many, a hundred watched": {
			load{pending: 5000, watched: 100},
			statuses,
			slow,
			false,
		},
		"many, five hundred watched": {
			load{pending: 5000, watched: 500},
			statuses,
			fast,
			false,
		},
		"many, two watched": {
			load{pending: 5000, watched: 2},
			statuses,
			slow,
			false,
		},
		"a few watched": {
			load{pending: 25, watched: 25},
			statuses,
			statuses,
			false,
		},
		"the default rate limit in watched": {
			load{pending: 35, watched: 35},
			statuses,
			fast,
			false,
		},
		"too slow for the watched": {load{pending: 5000, watched: 500}, fast, slow, true},
		"all watched": {
			load{pending: 5000, watched: 5000, pages: 100},
			statuses,
			fast,
			false,
		},
		"watched as many as pages": {
			load{pending: 5000, watched: 85, pages: 100},
			slow,
			slow,
			false,
		},
		"watched as many, from fast": {
			load{pending: 5000, watched: 170, pages: 100},
			fast,
			fast,
			false,
		},
		"of others, too": {
			load{pending: 500, pages: 1000},
			statuses,
			statuses,
			false,
		},
		"of others, too many by now": {load{pending: 500, pages: 1000}, slow, statuses, false},
		"of others, just worth it":   {load{pending: 5000, pages: 250}, statuses, slow, false},
		"ten to a page":              {load{pending: 5000, pages: 500}, statuses, slow, false},
		"more watched than there are": {
			load{pending: 3, watched: 5000},
			statuses,
			statuses,
			false,
		},
		"a million": {load{pending: 1_000_000}, statuses, slow, false},
		"not quite a fifth, statuses": {
			load{pending: 1000, pages: 760},
			statuses,
			statuses,
			false,
		},
		"not quite a fifth, from slow":  {load{pending: 1000, pages: 760}, slow, slow, false},
		"a fifth and more, from slow":   {load{pending: 1000, pages: 1200}, slow, statuses, false},
		"a fifth and more, to the list": {load{pending: 1000, pages: 500}, statuses, slow, false},
	} {
		if got := plan(tt.load, payment.DefaultSchedule(), tt.now, tt.slow); got != tt.want {
			t.Errorf("%s: plan(%+v, %d) = %d; want %d; costs %v an hour", name, tt.load, tt.now,
				got, tt.want, tt.load.costs(payment.DefaultSchedule()))
		}
	}
}

// The chosen mode never takes more requests than status reads.
func FuzzPlan(f *testing.F) {
	f.Add(5000, 100, 100, 0)
	f.Fuzz(func(t *testing.T, pending, watched, pages, now int) {
		const most = 10_000_000
		for _, n := range []int{pending, watched, pages} {
			if n < 0 || n > most {
				return
			}
		}
		if now < 0 || now >= modes {
			return
		}
		l := load{pending: pending, watched: watched, pages: pages}
		notFast := pages%2 == 0
		costs := l.costs(payment.DefaultSchedule())
		if m := plan(l, payment.DefaultSchedule(), mode(now), notFast); costs[m] > costs[statuses] {
			t.Errorf("plan(%+v, %d) = %d, costs %v", l, now, m, costs)
		}
		if m := plan(l, payment.DefaultSchedule(), mode(now),
			notFast); plan(l, payment.DefaultSchedule(), m, notFast) != m {
			t.Errorf("plan(%+v, %d) = %d, which does not stay", l, now, m)
		}
	})
}
