package console

import (
	"errors"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/payment"
	"coinslot/bff/reconcile"
)

const (
	transactionsPath = "/admin/transactions"
	withdrawalsPath  = "/admin/withdrawals"
	// pagesOfAnExport bounds how often an export asks the gateway.
	pagesOfAnExport = 40
)

// gatewayRecordsView is one of the gateway's lists.
type gatewayRecordsView struct {
	Filter       filter
	Problem      string // why there is no list; empty = there is one
	Transactions []transactionRow
	Withdrawals  []withdrawalRow
	Pager        numberedPager
}

// numberedPager leads through a list that has numbered pages; an empty address is of none.
type numberedPager struct{ Where, Previous, Next string }

// pageNumbers returns the pager of a list. What the gateway does not say is zero in at;
// shown is how many rows are on this page.
func pageNumbers(path string, q recordQuery, at reconcile.Paging, shown int) (p numberedPager) {
	n := max(at.Page, q.page)
	p.Where = "Page " + count(n)
	if at.LastPage > 0 {
		p.Where += " of " + count(at.LastPage)
	}
	if at.Total > 0 {
		p.Where += ", " + plural(at.Total, "row") + " in all"
	}
	if n == 2 {
		p.Previous = withQuery(path, q.form, "page", "")
	} else if n > 2 {
		p.Previous = withQuery(path, q.form, "page", strconv.Itoa(n-1))
	}
	if n < at.LastPage || at.LastPage == 0 && shown > 0 {
		p.Next = withQuery(path, q.form, "page", strconv.Itoa(n+1))
	}
	return p
}

// transactionRow is a transaction of the gateway.
type transactionRow struct {
	reconcile.LedgerEntry
	Status          badge
	Price           string
	Coin            coin
	Asked, Received amount
	Tx              tx
}

// withdrawalRow is a withdrawal. An amount that is none is shown as it came.
type withdrawalRow struct {
	reconcile.Withdrawal
	Status badge
	Tx     tx
}

// recordQuery is what the gateway's lists can be asked for.
type recordQuery struct {
	form     url.Values // as the page shows it
	from, to time.Time
	status   string // empty = all
	page     int    // from 1
	problem  string // why the gateway would refuse it; empty = it would not
}

// readRecordQuery reads the filters. Statuses are those that the gateway knows.
func readRecordQuery(values url.Values, statuses []string) recordQuery {
	q := recordQuery{form: filtersOf(values, "status", "from", "to", "page"), page: 1}
	for _, status := range statuses {
		if q.form.Get("status") == status {
			q.status = status
		}
	}
	q.form.Set("status", q.status)
	if n, err := strconv.Atoi(q.form.Get("page")); err == nil && n > 0 && n < 1<<31 {
		q.page = n
	}
	var err error
	if q.from, q.to, err = reconcile.ListDates(q.form.Get("from"), q.form.Get("to")); err != nil {
		q.problem = "The gateway takes both dates or none, at most 30 days apart, the earlier " +
			"one first."
	}
	return q
}

// gatewayRecords is the page of one of the gateway's lists. read puts a page of it into the
// view. A gateway that does not answer leaves the filters where they are.
func (r *request) gatewayRecords(
	path string, statuses []string,
	read func(q recordQuery, v *gatewayRecordsView) (reconcile.Paging, error),
) (page, error) {
	q := readRecordQuery(r.r.URL.Query(), statuses)
	view := gatewayRecordsView{Problem: q.problem, Filter: filter{
		Path: path, Narrowed: len(without(q.form, "page")) > 0,
		Fields: append([]field{statusField(q.status, statuses)}, dateFields(q.form)...),
	}}
	p := page{
		Title: sectionOf(path).Name, Section: path, template: "gateway_records",
		Status: http.StatusUnprocessableEntity,
	}
	if q.problem == "" {
		at, err := read(q, &view)
		var known *wire.Error
		switch {
		case errors.As(err, &known) && known.Code == wire.CodeGatewayUnavailable:
			p.Status = http.StatusServiceUnavailable
			view.Problem = "The gateway does not answer now. Try again in a minute."
			r.Log.Warn("reading the gateway's list failed", "path", path, "error", err)
		case err != nil:
			return p, err
		default:
			p.Status = http.StatusOK
			p.Tools = []tool{exportTool(path, without(q.form, "page"))}
			shown := len(view.Transactions) + len(view.Withdrawals)
			view.Pager = pageNumbers(path, q, at, shown)
		}
	}
	p.View = view
	return p, nil
}

// exportRecords reads page after page of one of the gateway's lists until it ends; a last
// row says what is not read.
func exportRecords(
	values url.Values, statuses, columns []string,
	read func(recordQuery) (rows [][]string, at reconcile.Paging, err error),
) (export, error) {
	q := readRecordQuery(values, statuses)
	if q.problem != "" {
		return export{}, &wire.Error{Code: wire.CodeInvalid, Param: "from"}
	}
	var pages iter.Seq2[[][]string, error] = func(yield func([][]string, error) bool) {
		for q.page = 1; q.page <= pagesOfAnExport; q.page++ {
			rows, at, err := read(q)
			if !yield(rows, err) || err != nil || len(rows) == 0 ||
				at.LastPage > 0 && q.page >= at.LastPage {
				return
			}
		}
		yield([][]string{{"There are more than " + count(pagesOfAnExport*rowsOfAPage) +
			": narrow the dates."}}, nil)
	}
	return export{columns, pages}, nil
}

// gatewayBadge is the gateway's word for how something stands.
func gatewayBadge(status string) badge {
	kind := map[string]string{"confirmed": "good", "pending": "wait", "processing": "wait"}[status]
	return badge{Kind: kind, Word: clean(capitalized(status)), Status: status}
}

var transactionStatuses = []string{"pending", "confirmed", "expired", "cancelled"}

// transactions is GET /admin/transactions: what the gateway lists.
func (c *console) transactions(r *request) (page, error) {
	p, err := r.gatewayRecords(transactionsPath, transactionStatuses,
		func(q recordQuery, v *gatewayRecordsView) (reconcile.Paging, error) {
			found, err := c.Gateway.Entries(r.r.Context(), q.transactions())
			for _, e := range found.Items {
				v.Transactions = append(v.Transactions, rowOf(e))
			}
			return found.Paging, err
		})
	p.Lead = "What the gateway says, read just now. It proves nothing here: the payment's " +
		"own page does."
	return p, err
}

func (q recordQuery) transactions() payment.ListQuery {
	return payment.ListQuery{
		Limit: rowsOfAPage, Page: q.page, From: q.from, To: q.to, Status: q.status,
	}
}

func rowOf(e reconcile.LedgerEntry) transactionRow {
	symbol, _, _ := strings.Cut(strings.ToUpper(e.CurrencyCode), "_")
	return transactionRow{
		LedgerEntry: e, Status: gatewayBadge(e.Status), Price: trimZeros(e.AmountUSD, 2),
		Coin:     coin{Symbol: symbol, Network: e.NetworkCode},
		Asked:    amount{trimZeros(e.PayAmount, 0), symbol},
		Received: amount{trimZeros(e.PaidAmount, 0), symbol},
		Tx:       tx{ID: e.TxID, URL: e.TxURL},
	}
}

// exportTransactions is GET /admin/transactions.csv.
func (c *console) exportTransactions(r *request, values url.Values) (export, error) {
	return exportRecords(values, transactionStatuses, []string{
		"session", "attempt", "tracking_code", "order_id", "status", "currency_code", "network",
		"amount_usd", "pay_amount", "paid_amount", "merchant_share", "platform_share",
		"fee_percent", "tolerance_percent", "tx_id", "email", "comment", "cancelled_by_user",
		"created", "expires", "paid",
	}, func(q recordQuery) (rows [][]string, at reconcile.Paging, err error) {
		found, err := c.Gateway.Entries(r.r.Context(), q.transactions())
		for _, e := range found.Items {
			rows = append(rows, []string{
				e.Session, number(e.Attempt), e.TrackingCode, e.OrderID, e.Status, e.CurrencyCode,
				e.NetworkName, e.AmountUSD, e.PayAmount, e.PaidAmount, e.MerchantShare,
				e.PlatformShare, e.FeePercent, e.TolerancePercent, e.TxID, e.Email, e.Comment,
				yes(e.CancelledByUser), timestamp(e.CreatedAt), timestamp(e.ExpiresAt),
				timestamp(e.PaidAt),
			})
		}
		return rows, found.Paging, err
	})
}

var withdrawalStatuses = []string{"pending", "processing", "confirmed"}

// withdrawals is GET /admin/withdrawals: what the gateway has paid out.
func (c *console) withdrawals(r *request) (page, error) {
	p, err := r.gatewayRecords(withdrawalsPath, withdrawalStatuses,
		func(q recordQuery, v *gatewayRecordsView) (reconcile.Paging, error) {
			found, err := c.Gateway.Withdrawals(r.r.Context(), q.withdrawals())
			for _, w := range found.Items {
				v.Withdrawals = append(v.Withdrawals,
					withdrawalRow{w, gatewayBadge(w.Status), tx{ID: w.TxID, URL: w.TxURL}})
			}
			return found.Paging, err
		})
	p.Lead = "What the gateway pays out to you. It is asked for in the gateway's own panel."
	return p, err
}

func (q recordQuery) withdrawals() reconcile.WithdrawalQuery {
	return reconcile.WithdrawalQuery{
		Limit: rowsOfAPage, Page: q.page, From: q.from, To: q.to, Status: q.status,
	}
}

// exportWithdrawals is GET /admin/withdrawals.csv.
func (c *console) exportWithdrawals(r *request, values url.Values) (export, error) {
	return exportRecords(values, withdrawalStatuses, []string{
		"tracking_code", "status", "amount_usd", "currency", "network", "destination", "tx_id",
		"created",
	}, func(q recordQuery) (rows [][]string, at reconcile.Paging, err error) {
		found, err := c.Gateway.Withdrawals(r.r.Context(), q.withdrawals())
		for _, w := range found.Items {
			rows = append(rows, []string{
				w.TrackingCode, w.Status, w.Amount(), w.CurrencyName, w.NetworkName,
				w.Destination, w.TxID, timestamp(w.CreatedAt),
			})
		}
		return rows, found.Paging, err
	})
}
