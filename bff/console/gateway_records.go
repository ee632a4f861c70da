package console

import (
	"errors"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"coinslot/app/wire"
	"coinslot/bff/gatewaylist"
	"coinslot/bff/payment"
)

const (
	transactionsPath = "/admin/transactions"
	withdrawalsPath  = "/admin/withdrawals"
	// maxExportPages bounds the requests of an export to the gateway.
	maxExportPages = 40
)

// gatewayRecordsView is one of the gateway's lists.
type gatewayRecordsView struct {
	Filter       filter
	Problem      string // why there is no list; empty = there is one
	Transactions []gatewaylist.GatewayRecord
	Withdrawals  []gatewaylist.Withdrawal // one whose amount is none is shown as it came
	Pager        numberedPager
}

// numberedPager leads through a list that has numbered pages; an empty address is of none.
type numberedPager struct{ Where, Previous, Next string }

// pageNumbers returns the pager of a list. Missing values are zero in at;
// shown is how many rows are on this page.
func pageNumbers(path string, q recordQuery, at gatewaylist.Paging, shown int) (p numberedPager) {
	n := max(at.Page, q.Page)
	p.Where = "Page " + formatCount(n)
	if at.LastPage > 0 {
		p.Where += " of " + formatCount(at.LastPage)
	}
	if at.Total > 0 {
		p.Where += ", " + formatPlural(at.Total, "row") + " in all"
	}
	if n == 2 {
		p.Previous = linkWith(path, q.form, "page", "")
	} else if n > 2 {
		p.Previous = linkWith(path, q.form, "page", strconv.Itoa(n-1))
	}
	if n < at.LastPage || at.LastPage == 0 && shown > 0 {
		p.Next = linkWith(path, q.form, "page", strconv.Itoa(n+1))
	}

	return p
}

type recordQuery struct {
	payment.ListQuery
	form    url.Values // as the page shows it
	problem string     // why the gateway would refuse it; empty = it would not
}

// readRecordQuery reads the filters. Statuses are those that the gateway knows.
func readRecordQuery(values url.Values, statuses []string) recordQuery {
	q := recordQuery{form: parseFilters(values, "status", "from", "to", "page")}
	q.Limit = pageSize
	q.Page = 1
	status := q.form.Get("status")
	if slices.Contains(statuses, status) {
		q.Status = status
	}

	q.form.Set("status", q.Status)

	n, err := strconv.Atoi(q.form.Get("page"))
	if err == nil && n > 0 && n <= math.MaxInt32 {
		q.Page = n
	}

	q.From, q.To, err = gatewaylist.ListDates(q.form.Get("from"), q.form.Get("to"))
	if err != nil {
		q.problem = "Enter both dates or none, at most 30 days apart, the earlier one first."
	}

	return q
}

// gatewayRecords is the page of one of the gateway's lists. read puts a page of it into the
// view. A gateway that does not answer leaves the filters where they are.
func (r *request) gatewayRecords(
	path string, statuses []string,
	read func(q recordQuery, v *gatewayRecordsView) (gatewaylist.Paging, error),
) (page, error) {
	q := readRecordQuery(r.r.URL.Query(), statuses)
	fields := append([]field{choiceField("status", "Status", q.form, statuses)},
		dateFields(q.form)...)
	view := gatewayRecordsView{Problem: q.problem, Filter: filterOf(path, q.form, fields)}
	p := page{
		Title:    sectionOf(path).Name,
		Section:  path,
		template: "gateway_records",
		Status:   http.StatusUnprocessableEntity,
	}
	if q.problem == "" {
		at, err := read(q, &view)
		var known *wire.Error
		switch {
		case errors.As(err, &known) && known.Code == wire.CodeGatewayUnavailable:
			p.Status = http.StatusServiceUnavailable
			view.Problem = "The gateway does not answer. Try again in a minute."
			r.Log.Warn("reading the gateway's list failed", "path", path, "error", err)
		case err != nil:
			return p, err
		default:
			p.Status = http.StatusOK
			p.Tools = []tool{exportTool(path, q.form)}
			view.Pager = pageNumbers(path, q, at, len(view.Transactions)+len(view.Withdrawals))
		}
	}

	p.View = view
	return p, nil
}

// exportRecords reads page after page of one of the gateway's lists until it ends; a last
// row reports how many rows are missing.
func exportRecords(
	values url.Values, statuses, columns []string,
	read func(recordQuery) (rows [][]string, at gatewaylist.Paging, err error),
) (exportFile, error) {
	q := readRecordQuery(values, statuses)
	if q.problem != "" {
		return exportFile{}, &wire.Error{Code: wire.CodeInvalid, Param: "from"}
	}
	pages := rowsByNumber(maxExportPages, pageSize,
		func(number int) (rows [][]string, last bool, err error) {
			q.Page = number
			rows, at, err := read(q)
			return rows, at.LastPage > 0 && number >= at.LastPage, err
		})
	return exportFile{Columns: columns, Pages: pages}, nil
}

// gatewayBadge is the gateway's word for how something stands.
func gatewayBadge(status string) badge {
	kind := map[string]string{"confirmed": "good", "pending": "wait", "processing": "wait"}[status]
	return badge{Kind: kind, Word: cleanText(capitalize(status)), Status: status}
}

var transactionStatuses = []string{"pending", "confirmed", "expired", "cancelled"}

// transactions is GET /admin/transactions: what the gateway lists.
func (c *console) transactions(r *request) (page, error) {
	p, err := r.gatewayRecords(transactionsPath, transactionStatuses,
		func(q recordQuery, v *gatewayRecordsView) (gatewaylist.Paging, error) {
			found, err := c.Gateway.TransactionRecords(r.r.Context(), q.ListQuery)
			v.Transactions = found.Items
			return found.Paging, err
		})
	p.Lead = "The gateway's list, read just now. It does not confirm payments: see the " +
		"payment's page."
	return p, err
}

func (c *console) exportTransactions(r *request, values url.Values) (exportFile, error) {
	return exportRecords(values, transactionStatuses, []string{
		"session", "attempt", "tracking_code", "order_id", "status", "currency_code", "network",
		"amount_usd", "pay_amount", "paid_amount", "merchant_share", "platform_share",
		"fee_percent", "tolerance_percent", "tx_id", "email", "comment", "cancelled_by_user",
		"created", "expires", "paid",
	}, func(q recordQuery) (rows [][]string, at gatewaylist.Paging, err error) {
		found, err := c.Gateway.TransactionRecords(r.r.Context(), q.ListQuery)
		for _, e := range found.Items {
			rows = append(rows, []string{
				e.Session, exportNumber(e.Attempt), e.TrackingCode, e.OrderID, e.Status,
				e.CurrencyCode, e.NetworkName, e.AmountUSD, e.PayAmount, e.PaidAmount,
				e.MerchantShare, e.PlatformShare, e.FeePercent, e.TolerancePercent, e.TxID,
				e.Email, e.Comment, exportYes(e.CancelledByUser),
				formatTimestamp(e.CreatedAt), formatTimestamp(e.ExpiresAt),
				formatTimestamp(e.PaidAt),
			})
		}

		return rows, found.Paging, err
	})
}

var withdrawalStatuses = []string{"pending", "processing", "confirmed"}

// withdrawals is GET /admin/withdrawals: what the gateway has paid out.
func (c *console) withdrawals(r *request) (page, error) {
	p, err := r.gatewayRecords(withdrawalsPath, withdrawalStatuses,
		func(q recordQuery, v *gatewayRecordsView) (gatewaylist.Paging, error) {
			found, err := c.Gateway.Withdrawals(r.r.Context(), q.ListQuery)
			v.Withdrawals = found.Items
			return found.Paging, err
		})
	p.Lead = "The gateway's payouts to you. Request them in the gateway's own panel."
	return p, err
}

func (c *console) exportWithdrawals(r *request, values url.Values) (exportFile, error) {
	return exportRecords(values, withdrawalStatuses, []string{
		"tracking_code", "status", "amount_usd", "currency", "network", "destination", "tx_id",
		"created",
	}, func(q recordQuery) (rows [][]string, at gatewaylist.Paging, err error) {
		found, err := c.Gateway.Withdrawals(r.r.Context(), q.ListQuery)
		for _, w := range found.Items {
			rows = append(rows, []string{
				w.TrackingCode, w.Status, w.Amount(), w.CurrencyName, w.NetworkName,
				w.Destination, w.TxID, formatTimestamp(w.CreatedAt),
			})
		}
		return rows, found.Paging, err
	})
}
