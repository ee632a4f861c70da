package console

import (
	"strings"
	"testing"
	"time"

	"coinslot/bff/console/chart"
	"coinslot/bff/records"

	"github.com/shopspring/decimal"
)

// What a chart shows is what its table says, and a day outside of it does no harm.
func TestChart(t *testing.T) {
	from := time.Date(2026, 10, 24, 0, 0, 0, 0, time.UTC)
	count := func(day int, status, coin string, n int, usd string) records.Count {
		return records.Count{Day: from.AddDate(0, 0, day), Status: status, Coin: coin, Sessions: n, AmountUSD: decimal.RequireFromString(usd)}
	}
	counts := []records.Count{
		count(-24, "confirmed", "USDT", 1, "1000"), count(-9, "expired", "", 1, "9"), count(0, "confirmed", "USDT", 2, "1999.98"), count(0, "review", "USDT", 1, "5"), count(29, "open", "", 3, "30"),
		count(29, "expired", "<b>", 4, "40"), count(29, "confirmed", "ETH", 1, "0.02"), count(30, "confirmed", "USDT", 9, "9"),
	}
	of := func(counts ...records.Count) string {
		return rendered(t, page{template: "overview", View: overviewView{Chart: chart.New(counts, from)}})
	}
	got := of(counts...)
	for _, want := range []string{
		"$2,009.00", "<b>&#43;101 %</b> <span>before: $1,000.00", "<b>&#43;1,100 %</b> <span>before: 1<", "75 %", "<b>&#43;25 points</b> <span>before: 50 %", "$30.00, and 1 in review",
		"24 October: 2 confirmed", "24 October: 1 review", "22 November: 3 in progress", "22 November: 4 not paid", "1,999.98", "USDT", "$0.02",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the charts lack %q", want)
		}
	}
	if strings.Contains(got, "<b><") || strings.Count(got, "<rect class=\"bar") != 5+2 {
		t.Errorf("the charts are %s", got)
	}
	for n, top := range map[int]string{1: "2", 3: "4", 9: "10", 11: "12", 21: "24", 81: "100", 101: "120", 950: "1,000", 12345: "16,000"} { // round and even
		if !strings.Contains(of(count(29, "open", "", n, "5")), ">"+top+"</text>") {
			t.Errorf("the chart of %d orders does not end at %s", n, top)
		}
	}
	// A shop's first days: at least a week, no empty days before it, and nothing to compare.
	for days, want := range map[[2]int]string{{29, 29}: ">16 Nov<", {20, 20}: ">14 Nov<", {-15, 25}: "no earlier data", {-15, -15}: "No orders in the last 30 days"} {
		got := of(count(days[0], "confirmed", "USDT", 1, "5"), count(days[1], "confirmed", "USDT", 1, "5"))
		if !strings.Contains(got, want) || strings.Contains(got, "<b>") || strings.Count(got, `class="tick"`) > 7 {
			t.Errorf("orders on days %d: the page is %s", days, got)
		}
	}
}
