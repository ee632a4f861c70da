package admin

import (
	"iter"
	"net/url"
	"strings"
	"time"

	"coinslot/bff/admin/page"
	"coinslot/bff/payment"
)

const (
	rowsOfAnExport = 10_000
	rowsOfARead    = 100
)

// columns are what an export has of each payment.
var columns = []string{
	"session", "made", "status", "order_ref", "title", "email", "amount_usd", "coin", "network",
	"attempts", "address",
	"asked", "received", "missing", "overpaid", "tracking_code", "order_id", "tx_id", "paid",
	"late", "review_reason", "test", "metadata",
}

// paymentsFile is GET /admin/payments.csv: what the list shows, from its first page on.
func (s *console) paymentsFile(v *visit, values url.Values) (sheet, error) {
	q, _, err := search(values)
	q.Limit = rowsOfARead
	return sheet{columns, pagewise(func(cursor string) (rows [][]string, next string, err error) {
		q.Cursor = cursor
		found, err := s.Records.Search(v.r.Context(), q)
		for i := range found.Sessions {
			rows = append(rows, s.cells(&found.Sessions[i]))
		}
		return rows, found.Next, err
	})}, err
}

// pagewise reads page after page of the store, up to a bound, which it tells of in
// a last row.
func pagewise(
	read func(cursor string) (rows [][]string, next string, err error),
) iter.Seq2[[][]string, error] {
	return func(yield func([][]string, error) bool) {
		written := 0
		for cursor := ""; written < rowsOfAnExport; {
			rows, next, err := read(cursor)
			if !yield(rows, err) || err != nil || next == "" {
				return
			}
			cursor, written = next, written+len(rows)
		}
		yield(
			[][]string{
				{"There are more than " + page.Count(rowsOfAnExport) + ": narrow the dates."},
			},
			nil,
		)
	}
}

// cells are those of one payment. Amounts are exact text.
func (s *console) cells(session *payment.Session) []string {
	o := s.Checkout.Object(*session)
	var a payment.AttemptObject
	if current := session.Current(); current != nil {
		a = o.Attempts[current.Number-1]
	}
	var extra []string
	for _, name := range sorted(o.Metadata) {
		extra = append(extra, name+"="+o.Metadata[name])
	}
	paid, number := "", ""
	if a.PaidAt != nil {
		paid = a.PaidAt.Format(time.RFC3339)
	}
	if a.OrderID != 0 {
		number = page.Plain(a.OrderID)
	}
	return []string{
		o.ID, o.CreatedAt.Format(time.RFC3339), string(o.Status), o.OrderRef, o.Title, o.Email,
		o.AmountUSD, a.CurrencySymbol, a.NetworkCode, page.Plain(len(o.Attempts)), a.Address,
		a.PayAmount, a.PaidAmount, a.MissingAmount, a.OverpaidAmount, a.TrackingCode, number,
		a.TxID, paid, yes(a.Late), o.ReviewReason, yes(o.Test), strings.Join(extra, "; "),
	}
}

func yes(so bool) string {
	if so {
		return "yes"
	}
	return ""
}

// line is one row of a CSV file, every cell quoted. Source: RFC 4180.
func line(cells []string) string {
	var b strings.Builder
	for i, cell := range cells {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`"` + strings.ReplaceAll(defused(cell), `"`, `""`) + `"`)
	}
	return b.String() + "\r\n"
}

// defused is text that no spreadsheet takes for a formula: one that begins like
// it gets an apostrophe before it, which says that it is text. Line breaks are
// spaces, so that no reader can take what is in a cell for a row. Source: OWASP,
// CSV Injection.
func defused(text string) string {
	dangerous := text != "" && strings.ContainsAny(text[:1], "=+-@\t\r\n") ||
		strings.HasPrefix(text, "＝") || strings.HasPrefix(text, "＋") ||
		strings.HasPrefix(text, "－") || strings.HasPrefix(text, "＠")
	text = strings.Map(func(r rune) rune {
		if r == '\r' || r == '\n' || r == 0 {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "\ufffd"))
	if trimmed := strings.TrimLeft(text, " "); dangerous ||
		trimmed != "" && strings.ContainsAny(trimmed[:1], "=+-@\t") {
		return "'" + text
	}
	return text
}
