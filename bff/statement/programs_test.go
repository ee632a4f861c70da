package statement_test

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/bff/statement"
	"coinslot/e2e/need"
)

// hledger and Beancount accept the journal of a month strictly, and count the cashbook's balances.
func TestFullJournals(t *testing.T) {
	hledger := need.Command(t, "hledger")
	check := need.Command(t, "bean-check")
	const python = "/usr/bin/python3" // Debian's, which has Beancount's package
	w := simulated(t, 33)
	st := w.read("2026-11")
	want := w.cashbook.accounts("2026-11")

	path := writeJournal(t, st, statement.HLedger, "november.journal")
	run(t, hledger, "-f", path, "check", "--strict")
	got := map[string]string{}
	balances := run(t, hledger, "-f", path, "balance", "--flat", "--no-total", "--output-format=csv",
		"--commodity-style=1000.00000000 USD")
	for _, row := range readCSV(t, balances)[1:] {
		got[row[0]] = exactly(rat(strings.TrimSuffix(row[1], " USD")))
	}
	fortest.Diff(t, got, want, "balances of hledger (-cashbook +hledger)")

	path = writeJournal(t, st, statement.Beancount, "november.beancount")
	run(t, check, path)
	got = map[string]string{}
	for line := range strings.Lines(run(t, python, "-c", beancountBalances, path)) {
		account, sum, _ := strings.Cut(strings.TrimSpace(line), " ")
		got[account] = exactly(rat(sum))
	}
	fortest.Diff(t, got, want, "balances of Beancount (-cashbook +Beancount)")

	// A hair of difference is an error to both, so that a pass means something.
	for format, name := range map[statement.JournalFormat]string{
		statement.HLedger: "wrong.journal", statement.Beancount: "wrong.beancount",
	} {
		path := writeJournal(t, st, format, name)
		text := string(fortest.Must(os.ReadFile(path))(t))
		at := strings.LastIndex(text, " USD")
		fortest.OK(t, os.WriteFile(path, []byte(text[:at-1]+"9"+text[at-1:]), 0o600))
		command := exec.Command(hledger, "-f", path, "check", "--strict")
		if format == statement.Beancount {
			command = exec.Command(check, path)
		}
		if out, err := command.CombinedOutput(); err == nil {
			t.Errorf("%s accepts a journal that is wrong: %s", format, out)
		}
	}
}

// beancountBalances prints the balances of a file with all of their digits, which bean-query rounds.
const beancountBalances = `
import collections, sys
from beancount import loader
from beancount.core import data
entries, errors, _ = loader.load_file(sys.argv[1])
assert not errors, errors
sums = collections.Counter()
for e in entries:
    if isinstance(e, data.Transaction):
        for p in e.postings:
            sums[p.account] += p.units.number
for account, sum in sums.items():
    print(account, format(sum, "f"))
`

func writeJournal(
	t *testing.T, st statement.Statement, format statement.JournalFormat, name string,
) string {
	t.Helper()
	var file bytes.Buffer
	fortest.OK(t, st.WriteJournal(&file, format))
	path := filepath.Join(t.TempDir(), name)
	fortest.OK(t, os.WriteFile(path, file.Bytes(), 0o600))
	return path
}

func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	var errors bytes.Buffer
	command := exec.Command(name, args...)
	command.Stderr = &errors
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s%s", filepath.Base(name), args, err, out, errors.String())
	}
	return string(out)
}

// A spreadsheet of each region opens its file with what the cashbook has: numbers and times are numbers
// and times, order numbers and ids are the text that they were, and no formula of a shopper is run.
func TestFullSpreadsheets(t *testing.T) {
	office := need.Command(t, "soffice")
	w := simulated(t, 33)
	st := w.read("2026-11")
	for tag, language := range map[string]string{"de": "1031", "en-US": "1033"} {
		t.Run(tag, func(t *testing.T) {
			rows := inOffice(t, office, st, tag, language)
			fortest.Equal(t, len(rows), len(st.Rows)+1, "rows")
			for i, row := range rows[1:] {
				of := st.Rows[i]
				at := of.At.Format("2006-01-02T15:04:05")
				fortest.Equal(t, row["Time"], cell{"date", at}, "the time of %s", of.OrderRef)
				fortest.Equal(t, row["Order"].text, of.OrderRef, "the order")
				fortest.Equal(t, row["Tracking code"].text, of.TrackingCode, "the tracking code")
				fortest.Equal(t, row["Transactions"].text, strings.Join(of.TxIDs, " "), "transactions")
				for _, c := range []string{"Order", "Tracking code", "Transactions", "Session"} {
					if row[c].kind == "float" || row[c].kind == "date" {
						t.Errorf("%s of %q became a %s", c, of.OrderRef, row[c].kind)
					}
				}
				wantNumber(t, row["Gross, USD"], grossOf(of))
				wantNumber(t, row["Amount in the coin"], amountOf(of))
				if of.FeeKnown {
					wantNumber(t, row["Gateway's fee, USD"], of.FeeUSD.String())
				}
			}
		})
	}
}

func grossOf(r statement.Row) string {
	switch r.Kind {
	case statement.Withdrawal:
		return ""
	case statement.Refund:
		return r.GrossUSD.Neg().String()
	}
	return r.GrossUSD.String()
}

func amountOf(r statement.Row) string {
	switch r.Kind {
	case statement.Withdrawal:
		return ""
	case statement.Refund:
		return r.Amount.Neg().String()
	}
	return r.Amount.String()
}

// cell is a cell of a spreadsheet: its kind (float, date, string), and what it has.
type cell struct{ kind, text string }

func wantNumber(t *testing.T, got cell, want string) {
	t.Helper()
	if want == "" {
		fortest.Equal(t, got, cell{}, "an empty cell")
		return
	}
	if got.kind != "float" || rat(got.text).Cmp(rat(want)) != 0 {
		t.Errorf("%v; want the number %s", got, want)
	}
}

// inOffice returns the rows that LibreOffice with the settings of a region reads, by the first row.
func inOffice(
	t *testing.T, office string, st statement.Statement, tag, language string,
) (rows []map[string]cell) {
	t.Helper()
	region := fortest.Must(statement.FindRegion(tag))(t)
	var file bytes.Buffer
	fortest.OK(t, st.WriteExcel(&file, region))
	separator := fmt.Sprint(int(file.String()[strings.Index(file.String(), `"Time"`)+len(`"Time"`)]))
	folder := t.TempDir()
	path := filepath.Join(folder, "november.csv")
	fortest.OK(t, os.WriteFile(path, file.Bytes(), 0o600))
	run(t, office, "--headless", "--norestore", "-env:UserInstallation=file://"+t.TempDir(),
		"--infilter=CSV:"+separator+",34,76,1,,"+language+",false,true",
		"--convert-to", "fods", "--outdir", folder, path)

	type officeCell struct {
		Kind   string   `xml:"value-type,attr"`
		Value  string   `xml:"value,attr"`
		Date   string   `xml:"date-value,attr"`
		Repeat int      `xml:"number-columns-repeated,attr"`
		Text   []string `xml:"p"`
	}
	var doc struct {
		Rows []struct {
			Cells []officeCell `xml:"table-cell"`
		} `xml:"body>spreadsheet>table>table-row"`
	}
	text := fortest.Must(os.ReadFile(filepath.Join(folder, "november.fods")))(t)
	fortest.OK(t, xml.Unmarshal(text, &doc))
	var heads []string
	for _, row := range doc.Rows {
		var cells []cell
		for _, c := range row.Cells {
			one := cell{c.Kind, strings.Join(c.Text, "\n")}
			switch c.Kind {
			case "float":
				one.text = c.Value
			case "date":
				if !strings.Contains(c.Date, "T") { // midnight
					c.Date += "T00:00:00"
				}
				one.text = c.Date
			}
			for range min(max(1, c.Repeat), 100) {
				cells = append(cells, one)
			}
		}
		if heads == nil {
			for _, c := range cells {
				heads = append(heads, c.text)
			}
		}
		byHead := map[string]cell{}
		for i, head := range heads {
			if i < len(cells) {
				byHead[head] = cells[i]
			}
		}
		rows = append(rows, byHead)
	}
	return rows
}
