package rates

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"coinslot/bff/fortest"
)

var update = flag.Bool("update", false, "write testdata")

const yearFile = "testdata/year-2026.txt"

// bank publishes a daily file as the European Central Bank does, and has bad days.
type bank struct {
	open   map[string]bool  // the days of TARGET
	tables map[string]Table // what was read already, by date
}

// The bank's bad days, in Frankfurt. Its yen jumps by 12 % on jumpDay and stays there.
const (
	outageFrom, outageTo = "2026-08-10", "2026-08-17" // no answer until 20:00
	corruptDay           = "2026-10-06"               // its file is cut
	jumpDay              = "2026-11-05"
	acceptDay            = "2026-11-10" // when an operator accepts the yen
)

func (b bank) Name() string { return ECB }
func (b bank) Host() string { return "bank.example" }

func (b bank) Fetch(_ context.Context, now time.Time) (Table, error) {
	local := now.In(frankfurt)
	if !local.Before(dayOf(outageFrom)) && local.Before(dayOf(outageTo).Add(20*time.Hour)) {
		return Table{}, errors.New("no answer")
	}
	date := b.published(local)
	if table, read := b.tables[date]; read {
		return table, nil
	}
	dollars, yen := b.rates(date)
	raw := dailyFile(date, "USD "+dollars, "JPY "+yen)
	if date == corruptDay {
		raw = raw[:len(raw)/2]
	}
	table, err := parseECB([]byte(raw), now)
	if err == nil {
		b.tables[date] = table
	}
	return table, err
}

// published returns the date of the file that is there.
func (b bank) published(local time.Time) string {
	day := local
	if local.Hour() < ecbPublishes {
		day = day.AddDate(0, 0, -1)
	}
	for !b.open[day.Format(time.DateOnly)] {
		day = day.AddDate(0, 0, -1)
	}
	return day.Format(time.DateOnly)
}

// rates returns what a euro is worth on a date. It moves with the day of the year.
func (b bank) rates(date string) (dollars, yen string) {
	day := dayOf(date).YearDay()
	hundredths := 16_000 + day
	if date >= jumpDay {
		hundredths = hundredths * 112 / 100
	}
	return fmt.Sprintf("1.%04d", 900+day%97), fmt.Sprintf("%d.%02d", hundredths/100, hundredths%100)
}

func dayOf(date string) time.Time {
	day, err := time.ParseInLocation(time.DateOnly, date, frankfurt)
	if err != nil {
		panic(err)
	}
	return day
}

// stale reports whether a rate of a date must not be sold at: there was a day of TARGET after the
// date, and it is 18:00 there or later. It does not use the package's calendar.
func (b bank) stale(date string, local time.Time) bool {
	for day := dayOf(date).AddDate(0, 0, 1); !day.After(local); day = day.AddDate(0, 0, 1) {
		if b.open[day.Format(time.DateOnly)] && !local.Before(day.Add(18*time.Hour)) {
			return true
		}
	}
	return false
}

// TestYear sells every hour of 2026, at rates that the refresher reads from such a bank. Nothing is
// sold at a stale rate, or at a jump that no operator has accepted. What was sold at noon, 17:00
// and 19:00 is in testdata, a line for each change; write it with -update.
func TestYear(t *testing.T) {
	b := bank{open: map[string]bool{}, tables: map[string]Table{}}
	for _, year := range []int{2025, 2026, 2027} {
		for day, open := range targetDays(year) {
			b.open[day] = open
		}
	}
	var log strings.Builder
	synctest.Test(t, func(t *testing.T) { b.sellThrough(t, &log) })

	if *update {
		fortest.OK(t, os.WriteFile(yearFile, []byte(log.String()), 0o600))
	}
	want := fortest.Must(os.ReadFile(yearFile))(t)
	fortest.Diff(t, strings.Split(log.String(), "\n"), strings.Split(string(want), "\n"), yearFile)
}

func (b bank) sellThrough(t *testing.T, log *strings.Builder) {
	time.Sleep(time.Until(dayOf("2026-01-01")))
	store, lines := &memory{}, &logged{}
	r := &Refresher{Source: b, Store: store, Now: time.Now, Log: slog.New(slog.NewTextHandler(lines, nil))}
	go r.Run(t.Context())

	accepted := false
	last := map[string]string{}
	for time.Now().Before(dayOf("2027-01-01")) {
		time.Sleep(time.Hour)
		now := time.Now()
		local := now.In(frankfurt)
		s := stateOf(t, store)
		if !accepted && !local.Before(dayOf(acceptDay).Add(9*time.Hour)) {
			accepted = true
			acceptYen(t, store)
			continue
		}
		for _, currency := range []string{"EUR", "JPY"} {
			sold := b.sell(t, s, currency, now, accepted)
			noted := local.Hour() == 12 || local.Hour() == 17 || local.Hour() == 19
			if noted && sold != last[currency] {
				last[currency] = sold
				fmt.Fprintf(log, "%s  %s  %s\n", local.Format("2006-01-02 Mon 15:04"), currency, sold)
			}
		}
	}
	alerts := strings.Count(lines.String(), `msg="exchange rate held"`)
	fortest.Equal(t, alerts, 1, "alerts of the jump")
}

// sell quotes ten thousand of a currency and returns what came of it.
func (b bank) sell(t *testing.T, s State, currency string, now time.Time, accepted bool) string {
	t.Helper()
	dollars, rate, err := s.Quote(dec("10000"), currency, dec("0"), now)
	if err != nil {
		problem, ok := errors.AsType[*UnavailableError](err)
		if !ok {
			t.Fatalf("%s at %s: %v", currency, now, err)
		}
		return "refused: " + string(problem.Reason)
	}

	local := now.In(frankfurt)
	date := rate.AsOf.In(frankfurt).Format(time.DateOnly)
	if b.stale(date, local) {
		t.Errorf("%s: %s was sold at the stale rate of %s", local, currency, date)
	}
	if currency == "JPY" && date >= jumpDay && !accepted {
		t.Errorf("%s: yen were sold at a jump", local)
	}
	published, yen := b.rates(date)
	if currency == "JPY" {
		published += "/" + yen
	}
	fortest.Equal(t, rate.Fraction, published, "%s: the rate of %s", local, date)
	return "10000 for $" + dollars.StringFixed(2) + " at " + rate.Fraction + " of " + date
}

// acceptYen does what the console does.
func acceptYen(t *testing.T, store Store) {
	t.Helper()
	s, version, err := store.LoadRates(t.Context())
	fortest.OK(t, err)
	s, err = s.Accept("JPY", s.Currencies["JPY"].Held.Fraction)
	fortest.OK(t, err)
	fortest.OK(t, store.SaveRates(t.Context(), s, version))
}
