package alert

import (
	"strings"
	"testing"
	"time"

	"coinslot/bff/attention"
	"coinslot/bff/fortest"

	"github.com/shopspring/decimal"
)

func testWriter(t *testing.T) writer {
	berlin := fortest.Must(time.LoadLocation("Europe/Berlin"))(t)
	return writer{origin: "https://pay.shop.example", zone: berlin}
}

// A message says what has happened, what to do and where, in this form.
func TestMessage(t *testing.T) {
	overpaid := inReview("B-2")
	overpaid.Kind = attention.Overpaid
	overpaid.Items[0].Amount = "2.5"
	overpaid.Items[0].Coin = "USDT"
	s, _ := State{}.next([]attention.Condition{away(noon)}, noon.Add(20*time.Minute))
	found := []attention.Condition{inReview("A-1", "A-2"), overpaid}
	_, due := s.next(found, noon.Add(45*time.Minute))

	m := testWriter(t).write(due)
	fortest.Equal(t, m.Title, "pay.shop.example: 3 things need attention", "the title")
	fortest.Equal(t, m.Text, `2 payments need review.
- order A-1, $25.00
- order A-2, $25.00
Reported as paid, but not proven: do not ship. Resolve it as paid or as unpaid.
https://pay.shop.example/admin/payments?status=review

An order is overpaid.
- order B-2, $25.00: 2.50 USDT too much
The order is paid. Refund the excess, or agree on something with the shopper, then record the refund or mark it as settled.
https://pay.shop.example/admin

Over:
- The gateway answers again. It began on 28 Nov 13:00 CET.

All that needs attention: https://pay.shop.example/admin`, "the text")
	fortest.Equal(t, m.Urgent, true, "urgent")
}

// A message about one thing leads to its page, and is short on a phone.
func TestMessageAboutOneThing(t *testing.T) {
	_, due := State{}.next([]attention.Condition{inReview("A-1")}, noon)
	m := testWriter(t).write(due)
	fortest.Equal(t, m.Title, "pay.shop.example: A payment needs review", "the title")
	fortest.Equal(t, m.Link, "https://pay.shop.example/admin/payments?status=review", "the link")
}

// However much happens, a message stays small enough for ntfy, which takes 4,096 bytes.
func TestMessageIsBounded(t *testing.T) {
	refs := make([]string, attention.MaxItems)
	for i := range refs {
		refs[i] = strings.Repeat("x", 100) + string(rune('!'+i))
	}
	review := inReview(refs...)
	overpaid := review
	overpaid.Kind = attention.Overpaid
	ended := review
	ended.Kind = attention.EndedMoney
	_, due := State{}.next([]attention.Condition{review, overpaid, ended}, noon)
	m := testWriter(t).write(due)
	fortest.Has(t, "the text", m.Text, "100 payments need review", "- and 90 more", "… and more: ")
	if len(m.Text) > 4096 {
		t.Errorf("the text has %d bytes", len(m.Text))
	}
}

// No message has a session id, an endpoint's key, or what an order's text could do to a message.
func TestMessageHasNoSecrets(t *testing.T) {
	hostile := inReview("1\r\nBcc: x@evil.example\u202e")
	gone := endpoint(attention.Gone)
	_, due := State{}.next([]attention.Condition{hostile, gone}, noon)
	m := testWriter(t).write(due)
	all := m.Title + m.Text + m.Link
	fortest.Has(t, "the message", all, "shop.example", "order 1  Bcc: x@evil.example ")
	fortest.Lacks(t, "the message", all, "cs_", "s3cr3t", "\r", "\u202e")
}

// Each kind that is reported has all of its words.
func TestWordsOfEachKind(t *testing.T) {
	for _, kind := range texts {
		for what, words := range map[string]string{
			"headline": kind.begun, "advice": kind.todo, "end": kind.ended,
		} {
			if words == "" {
				t.Errorf("%s has no words for its %s", kind.kind, what)
			}
		}
	}
}

// The summary names the day, its orders, and what needs attention.
func TestSummary(t *testing.T) {
	w := testWriter(t)
	day := time.Date(2026, 11, 27, 0, 0, 0, 0, w.zone)
	orders := Orders{Opened: 14, Paid: 9, PaidUSD: decimal.RequireFromString("1312.4")}
	found := []attention.Condition{inReview("1", "2"), endpoint(attention.Gone)}
	m := w.summarize(day, orders, found)
	fortest.Equal(t, m.Title, "pay.shop.example: 9 orders paid, $1,312.40", "the title")
	fortest.Equal(t, m.Text, `Friday, 27 November 2026 (Europe/Berlin):
14 orders opened, 9 of them paid: $1,312.40 in all.

Needs attention:
- 2 payments need review
- A webhook endpoint is disabled: shop.example
https://pay.shop.example/admin`, "the text")

	calm := w.summarize(day, Orders{}, nil)
	fortest.Has(t, "a calm day", calm.Text, "0 orders opened", "Nothing needs attention.")
}
