package store

import (
	"strings"
	"testing"

	"coinslot/bff/fortest"
)

// TestPasswordsOfAddresses: whatever a password contains, no part of it is in an error, which says
// how to write the address.
func TestPasswordsOfAddresses(t *testing.T) {
	const head, tail = "hunter2", "s3cr3t"
	for _, dsn := range []string{
		"postgres://shop:hunter2@s3cr3t@127.0.0.1:1/shop",
		"postgres://shop:hunter2#s3cr3t@127.0.0.1:1/shop",
		"postgres://shop:12#s3cr3t@127.0.0.1:1/shop",
		"postgres://shop:hunter2@s3cr3t#x@127.0.0.1:1/shop",
		"postgres://shop:hunter2/s3cr3t@127.0.0.1:1/shop",
		"postgres://shop:12/s3cr3t@127.0.0.1:1/shop",
		"postgres://shop:12?s3cr3t@127.0.0.1:1/shop",
		"postgres://shop:hunter2%s3cr3t@127.0.0.1:1/shop",
		"postgres://shop:hunter2 s3cr3t@127.0.0.1:1/shop",
		"postgres://shop%3Ahunter2s3cr3t@127.0.0.1:1/shop",
		"postgres://127.0.0.1:1/shop?user=shop&password=hunter2&s3cr3t",
		"postgres://127.0.0.1:1/shop?user=shop&password=hunter2#s3cr3t",
		"postgresql://shop:hunter2@s3cr3t@127.0.0.1:1/shop",
		"shop:/hunter2s3cr3t@127.0.0.1:1/shop",
		"//shop:hunter2@s3cr3t@127.0.0.1:1/shop",
	} {
		c := Config{DSN: dsn}
		for _, open := range []func() error{
			func() error { _, err := Open(t.Context(), c); return err },
			func() error { _, err := OpenReader(t.Context(), c); return err },
		} {
			err := open()
			if err == nil || strings.Count(err.Error(), "COINSLOT_") != 1 {
				t.Errorf("opening %q: %v; want an error of one setting", dsn, err)
				continue
			}
			fortest.Has(t, dsn, err.Error(), "COINSLOT_DATABASE: ", "percent-encode",
				"postgres://user:password@host/database")
			fortest.Lacks(t, dsn, err.Error(), head, tail, "12", "127.0.0.1")
		}
	}
}

// TestEncodedPasswords: a password that is encoded as the error says is read as it was.
func TestEncodedPasswords(t *testing.T) {
	for written, want := range map[string]string{
		"p%40ss%23w%2Fo%3Fr%3Ad%25": "p@ss#w/o?r:d%", "p:ss": "p:ss", "p&=+$": "p&=+$",
	} {
		c := fortest.Must(postgresConfig("postgres://shop:" + written + "@db:5433/orders"))(t)
		fortest.Equal(t, c.ConnConfig.Password, want, "the password")
		rest := c.ConnConfig.User + "@" + c.ConnConfig.Host + "/" + c.ConnConfig.Database
		fortest.Equal(t, rest, "shop@db/orders", "the rest")
	}
}
