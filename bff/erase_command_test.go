package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/bff/payment"
	"coinslot/bff/store"

	"github.com/shopspring/decimal"
)

// coinslot erase needs only COINSLOT_DATABASE, erases by session and by e-mail beside an open
// database, and repeats its list after a restore.
func TestErase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "coinslot.db")
	db := fortest.Must(store.Open(t.Context(), store.Config{DSN: path}))(t)
	defer db.Close()
	for _, id := range []string{"cs_1", "cs_2", "cs_3"} {
		s := payment.Session{ID: id, Status: "open", Order: payment.Order{AmountUSD: decimal.NewFromInt(25), Email: "ann@shop.example"}}
		if id == "cs_3" {
			s.Order.Email = "bob@shop.example"
		}
		fortest.Must(db.Insert(t.Context(), s))(t)
	}
	again := filepath.Join(t.TempDir(), "erased.txt")
	fortest.OK(t, os.WriteFile(again, []byte("cs_gone\ncs_3\n\n"), 0o600))
	env := []string{"COINSLOT_DATABASE=" + path}
	for _, c := range []struct {
		env  []string
		args string
		code int
		want string // of what is printed
	}{
		{env, "erase", 1, "name a session or an e-mail address"},
		{env, "erase -x", 1, "see coinslot erase -h"},
		{env, "erase -h", 0, "-list"},
		{[]string{"COINSLOT_DATABASE=" + path + ".none"}, "erase cs_1", 1, "COINSLOT_DATABASE"},
		{env, "erase cs_none", 1, `"cs_none"`},
		{env, "erase nobody@shop.example", 0, "nothing was erased"},
		{env, "erase ANN@shop.example", 0, "cs_1: personal data erased\ncs_2: personal data erased\n"},
		{nil, "erase -database " + path + " cs_1", 0, "cs_1: personal data erased\n"},
		{env, "erase -list", 0, "cs_2\ncs_1\n"},
		{env, "erase -from " + again, 0, "cs_gone: not in this database\ncs_3: personal data erased\n"},
		{env, "erase -from " + again + ".none", 1, "-from"},
	} {
		var out, errs strings.Builder
		code := run(strings.Fields(c.args), c.env, &out, &errs)
		if text := out.String() + errs.String(); code != c.code || !strings.Contains(text, c.want) {
			t.Errorf("coinslot %s = %d, %q; want %d, %q", c.args, code, text, c.code, c.want)
		}
	}
	for _, id := range []string{"cs_1", "cs_2", "cs_3"} {
		if s, err := db.Session(t.Context(), id); err != nil || s.Order.Email != "" || s.ErasedAt.IsZero() {
			t.Errorf("%s = %+v, %v; want it erased", id, s.Order, err)
		}
	}
}
