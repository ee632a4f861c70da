package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/bff/server/servertest"
)

// The file is the output, and how the month stands is beside it; mistakes name what is right.
func TestStatementCommand(t *testing.T) {
	_, c := servertest.NewGateway(t)
	env := []string{
		"COINSLOT_DATABASE=" + c.Database, "COINSLOT_GATEWAY_URL=" + c.GatewayURL,
		"COINSLOT_GATEWAY_KEY=" + servertest.GatewayKey, "COINSLOT_SECRET_KEY=" + servertest.SecretKey,
		"COINSLOT_TIMEZONE=Asia/Kathmandu",
	}
	command := func(args ...string) (code int, out, errs string) {
		var outBuffer, errBuffer bytes.Buffer
		code = run(append([]string{"statement"}, args...), env, &outBuffer, &errBuffer)
		return code, outBuffer.String(), errBuffer.String()
	}

	code, out, errs := command("2020-02")
	fortest.Equal(t, code, 0, "exit code of a month without payments: %s", errs)
	fortest.Has(t, "the CSV", out, "at,kind,order_ref")
	fortest.Has(t, "the errors", errs, "February 2020 is closed")
	for format, want := range map[string]string{
		"html": "<!doctype html>", "excel": "\ufeff\"Time\";\"Kind\"", "journal": "commodity USD",
		"beancount": "operating_currency",
	} {
		path := filepath.Join(t.TempDir(), "file")
		code, out, errs := command("-format", format, "-locale", "de", "-output", path, "2020-02")
		fortest.Equal(t, code, 0, "exit code of %s: %s", format, errs)
		fortest.Equal(t, out, "", "output with -output")
		text := string(fortest.Must(os.ReadFile(path))(t))
		fortest.Has(t, format, text, want)
	}

	for want, args := range map[string][]string{
		"name a month":         nil,
		"is not a month like":  {"November"},
		"-format \"pdf\"":      {"2020-02", "-format", "pdf"},
		"-locale: the locale":  {"2020-02", "-locale", "tlh"},
		"unexpected argument":  {"2020-02", "2020-03"},
		"-output: open /dev/n": {"2020-02", "-output", "/dev/null/x"},
	} {
		code, _, errs := command(args...)
		if code == 0 || !strings.Contains(errs, want) {
			t.Errorf("statement %q = %d, %s; want %q", args, code, errs, want)
		}
	}
}
