package statement

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/bff/payment"
)

// Text stays text in a spreadsheet, whatever it looks like, and cannot leave its quotes.
func TestTextCell(t *testing.T) {
	for text, want := range map[string]string{
		"":              ``,
		"0007":          `"=""0007"""`,
		"=1+1":          `"=""=1+1"""`,
		"MAR1":          `"=""MAR1"""`,
		`"&A1&"`:        `"=""""""&A1&"""""""`,
		"a\r\nb":        `"=""a  b"""`,
		"\t=cmd|' /C'!": `"="" =cmd|' /C'!"""`,
	} {
		fortest.Equal(t, textCell(text), want, "textCell(%q)", text)
	}
	long := strings.Repeat("x", 300)
	fortest.Equal(t, strings.Count(textCell(long), `""&""`), 2, "joints of a long text")
	fortest.Equal(t, strings.Count(textCell(long), "x"), 300, "characters of a long text")
}

// Numbers are written as the region writes them; one with more digits than a spreadsheet keeps is
// text.
func TestNumberCell(t *testing.T) {
	german := fortest.Must(FindRegion("DE"))(t)
	american := fortest.Must(FindRegion("en-US"))(t)
	swiss := fortest.Must(FindRegion("de-CH"))(t)
	for text, want := range map[string][3]string{
		"":          {``, ``, ``},
		"1.234":     {`"1,234"`, `"1.234"`, `"1.234"`},
		"-0.000001": {`"-0,000001"`, `"-0.000001"`, `"-0.000001"`},
		"123456789012345.6": {`"=""123456789012345,6"""`, `"=""123456789012345.6"""`,
			`"=""123456789012345.6"""`},
	} {
		got := [3]string{
			german.numberCell(text), american.numberCell(text), swiss.numberCell(text),
		}
		fortest.Equal(t, got, want, "%q in German, American and Swiss", text)
	}
	if _, err := FindRegion("tlh"); err == nil {
		t.Error("a spreadsheet in Klingon")
	}
}

// The columns of the file for programs are a promise.
func TestColumnsStay(t *testing.T) {
	var file bytes.Buffer
	fortest.OK(t, Statement{}.WriteCSV(&file))
	fortest.Equal(t, file.String(), "at,kind,order_ref,gross,currency,gross_usd,rate,excess_usd,late,"+
		"coin,network,coin_amount,fee_usd,net_usd,withdrawn_usd,status,platform_share,"+
		"merchant_share,fee_percent,tracking_code,session,attempt,tx_ids,destination\r\n",
		"the first row")
}

// What shoppers and merchants write has no meaning in a journal.
func TestJournalText(t *testing.T) {
	s := paidSession(func(s *payment.Session) {
		s.Order.Ref = "a; date:2020-01-01 [2021-02-02] \"x\" \\ | b\n2026-01-01 open Evil"
	})
	st := built(s, listed{records: []payment.Record{record(asListed)}})
	for _, format := range []JournalFormat{HLedger, Beancount} {
		var file bytes.Buffer
		fortest.OK(t, st.WriteJournal(&file, format))
		fortest.Has(t, string(format), file.String(),
			"Order a date 2020-01-01 2021-02-02 x b 2026-01-01 open Evil", "Income:Sales")
		fortest.Equal(t, strings.Count(file.String(), "\n2026-11-05"), 1, "transactions of %s", format)
	}
	fortest.Equal(t, accountPart("ünï/tether-trc20"), "N--TETHER-TRC20", "a name in an account")
}

// A month begins and ends at the shop's midnight.
func TestMonthOfZone(t *testing.T) {
	zone := fortest.Must(time.LoadLocation("Europe/Berlin"))(t)
	m := fortest.Must(ParseMonth("2026-10"))(t)
	fortest.Equal(t, m.Start(zone).UTC().Format(time.RFC3339), "2026-09-30T22:00:00Z", "start")
	fortest.Equal(t, m.End(zone).UTC().Format(time.RFC3339), "2026-10-31T23:00:00Z", "end")
	fortest.Equal(t, m.Add(3).String(), "2027-01", "three months later")
	for _, text := range []string{"", "2026", "2026-13", "2026-1", "1999-12", "2026-11-01"} {
		if _, err := ParseMonth(text); err == nil {
			t.Errorf("%q is a month", text)
		}
	}
}
