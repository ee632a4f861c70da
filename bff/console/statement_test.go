package console_test

import (
	"html"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"coinslot/bff/config"
	"coinslot/bff/fortest"
	"coinslot/bff/server"
	"coinslot/bff/statement"
)

// The month has what was paid, with the gateway's fee, and says how it stands; its files have the
// same, and each is recorded.
func TestConsoleStatement(t *testing.T) {
	t.Parallel()
	berlin := fortest.Must(time.LoadLocation("Europe/Berlin"))(t)
	d := newConsoleRig(t, func(c *config.Config) {
		c.Timezone = berlin
		c.ShopName = "Café"
	})
	d.OpenAndPay(`{"amount_usd":"25.00","order_ref":"0007"}`, "pay", "confirmed")
	month := time.Now().In(berlin).Format("2006-01")
	path := "/admin/statements/" + month

	body := d.page("/admin/statements", http.StatusOK)
	fortest.Has(t, "the page", words(body), "Statement of", ", Café", "is open: it is not over",
		"0007 Paid", "$25.00", "$0.25", "$24.75", "Time (Europe/Berlin)")
	fortest.Has(t, "the page of a month", d.page(path, http.StatusOK), "0007")
	d.page("/admin/statements/2026-13", http.StatusUnprocessableEntity)
	d.page(path+"/pdf", http.StatusNotFound)
	d.page(path+"/excel?locale=tlh", http.StatusUnprocessableEntity)

	rows := d.file(path + "/csv")
	at := slices.IndexFunc(rows, func(row []string) bool { return row[1] == "paid" })
	fortest.Diff(t, rows[at][2:6], []string{"0007", "25.00", "USD", "25.00"}, "the payment")
	for file, want := range map[string]string{
		"excel?locale=de": `"25,00";"=""USD""";"25,00"`,
		"hledger":         "Income:Sales                                      -25.00 USD",
		"beancount":       " * \"Order 0007\"",
	} {
		answer := d.Do("GET", path+"/"+file, "", operator)
		fortest.Answer(t, file, answer, http.StatusOK)
		fortest.Has(t, file, answer.Body.String(), want)
		fortest.Has(t, "name of "+file, answer.Header().Get("Content-Disposition"),
			"statement-"+month+"-open.")
	}
	fortest.Has(t, "the audit log", d.page("/admin/audit", http.StatusOK), "exported a statement",
		month+" Journal for hledger")
}

// What the console shows is of the shop's time zone: days, times and filters.
func TestConsoleTimezone(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("Shop/Time", 5*3600+45*60)
	d := newConsoleRig(t, func(c *config.Config) { c.Timezone = zone })
	session := d.Open(`{"amount_usd":"25.00","order_ref":"A-1"}`)
	object := fortest.Must(d.Server.Session(t.Context(), session))(t)
	local := object.CreatedAt.In(zone)

	body := html.UnescapeString(d.page("/admin/payments?from="+local.Format(time.DateOnly)+"&to="+
		local.Format(time.DateOnly), http.StatusOK))
	fortest.Has(t, "the list", body, "A-1", "Created (Shop/Time)", "Time zone: Shop/Time",
		local.Format("2006-01-02T15:04:05-07:00"), local.Format("15:04"))
	day := local.AddDate(0, 0, 1).Format(time.DateOnly)
	body = d.page("/admin/payments?from="+day+"&to="+day, http.StatusOK)
	fortest.Lacks(t, "the list of the next day", body, "A-1")
	fortest.Has(t, "a form", d.page("/admin/webhooks/replay", http.StatusOK), "From (Shop/Time)")
	rows := d.file("/admin/payments.csv")
	fortest.Equal(t, rows[1][1], object.CreatedAt.Format(time.RFC3339), "time in a file, in UTC")
}

// The command reads beside a running server, and writes the same as the console.
func TestStatementBesideServer(t *testing.T) {
	t.Parallel()
	var settings config.Config
	d := newConsoleRig(t, func(c *config.Config) { settings = *c })
	d.OpenAndPay(`{"amount_usd":"25.00","order_ref":"0007"}`, "pay", "confirmed")
	month := time.Now().UTC().Format("2006-01")
	st := fortest.Must(server.Statement(t.Context(), settings, monthOf(t, month)))(t)
	var file strings.Builder
	fortest.OK(t, st.WriteCSV(&file))
	answer := d.Do("GET", "/admin/statements/"+month+"/csv", "", operator)
	fortest.Equal(t, file.String(), answer.Body.String(), "the files of command and console")
}

func monthOf(t *testing.T, text string) statement.Month {
	return fortest.Must(statement.ParseMonth(text))(t)
}
