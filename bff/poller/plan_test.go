package poller

import (
	"testing"

	"coinslot/bff/payment"
)

func TestPlan(t *testing.T) {
	for name, tt := range map[string]struct {
		load load
		now  mode
		want mode
	}{
		"nothing":                           {load{}, statuses, statuses},
		"nothing any more":                  {load{}, slow, statuses},
		"few":                               {load{pending: 15}, statuses, statuses},
		"a page's worth":                    {load{pending: 50}, statuses, slow},
		"few, and the list is read":         {load{pending: 15, pages: 1}, slow, slow},
		"fewer, and the list is read":       {load{pending: 8, pages: 1}, slow, statuses},
		"many":                              {load{pending: 5000}, statuses, slow},
		"many, a hundred watched":           {load{pending: 5000, watched: 100}, statuses, slow},
		"many, five hundred watched":        {load{pending: 5000, watched: 500}, statuses, fast},
		"many, two watched":                 {load{pending: 5000, watched: 2}, statuses, slow},
		"a few watched":                     {load{pending: 25, watched: 25}, statuses, statuses},
		"the default rate limit in watched": {load{pending: 35, watched: 35}, statuses, fast},
		"too slow for the watched":          {load{pending: 5000, watched: 500, tooSlow: true}, fast, slow},
		"all watched":                       {load{pending: 5000, watched: 5000, pages: 100}, statuses, fast},
		"watched as many as pages":          {load{pending: 5000, watched: 85, pages: 100}, slow, slow},
		"watched as many, from fast":        {load{pending: 5000, watched: 170, pages: 100}, fast, fast},
		"of others, too":                    {load{pending: 500, pages: 1000}, statuses, statuses},
		"of others, too many by now":        {load{pending: 500, pages: 1000}, slow, statuses},
		"of others, just worth it":          {load{pending: 5000, pages: 250}, statuses, slow},
		"ten to a page":                     {load{pending: 5000, pages: 500}, statuses, slow},
		"does not show ours":                {load{pending: 5000, pages: 100, missed: 5000}, slow, statuses},
		"does not show half":                {load{pending: 5000, pages: 100, missed: 2500}, slow, slow},
		"more watched than there are":       {load{pending: 3, watched: 5000}, statuses, statuses},
		"a million":                         {load{pending: 1_000_000}, statuses, slow},
		"not quite a fifth, statuses":       {load{pending: 1000, pages: 760}, statuses, statuses},
		"not quite a fifth, from slow":      {load{pending: 1000, pages: 760}, slow, slow},
		"a fifth and more, from slow":       {load{pending: 1000, pages: 1200}, slow, statuses},
		"a fifth and more, to the list":     {load{pending: 1000, pages: 500}, statuses, slow},
	} {
		if got := plan(tt.load, payment.DefaultSchedule(), tt.now); got != tt.want {
			t.Errorf("%s: plan(%+v, %d) = %d; want %d; costs %v an hour", name, tt.load, tt.now, got, tt.want, tt.load.costs(payment.DefaultSchedule()))
		}
	}
}

// The chosen mode never takes more requests than status reads.
func FuzzPlan(f *testing.F) {
	f.Add(5000, 100, 100, 0, 0)
	f.Fuzz(func(t *testing.T, pending, watched, pages, missed, now int) {
		const most = 10_000_000
		for _, n := range []int{pending, watched, pages, missed} {
			if n < 0 || n > most {
				return
			}
		}
		if now < 0 || now >= modes {
			return
		}
		l := load{pending: pending, watched: watched, pages: pages, missed: missed, tooSlow: pages%2 == 0}
		costs := l.costs(payment.DefaultSchedule())
		if m := plan(l, payment.DefaultSchedule(), mode(now)); costs[m] > costs[statuses] {
			t.Errorf("plan(%+v, %d) = %d, costs %v", l, now, m, costs)
		}
		if m := plan(l, payment.DefaultSchedule(), mode(now)); plan(l, payment.DefaultSchedule(), m) != m {
			t.Errorf("plan(%+v, %d) = %d, which does not stay", l, now, m)
		}
	})
}
