package main

import (
	"os"
	"strings"
	"testing"

	"coinslot/bff/console/auth/password"
	"coinslot/bff/fortest"
)

// A password from stdin is printed as its hash; none is accepted as an argument, and none is shown.
func TestAdminPassword(t *testing.T) {
	for name, c := range map[string]struct {
		in   string
		args []string
		code int
	}{
		"piped":          {"correct horse battery\n", nil, 0},
		"without end":    {"correct horse battery", nil, 0},
		"with CR":        {"correct horse battery\r\nmore\n", nil, 0},
		"too short":      {"short\n", nil, 1},
		"nothing":        {"", nil, 1},
		"too long":       {strings.Repeat("a", 5000), nil, 1},
		"as an argument": {"", []string{"correct horse battery"}, 1},
	} {
		code, out, errs := pipeStdin(t, c.in, append([]string{"admin-password"}, c.args...)...)
		if code != c.code ||
			(code == 0) != password.Matches(strings.TrimSpace(out), "correct horse battery") {
			t.Errorf("%s: %d, %q, %q", name, code, out, errs)
		}
		if strings.Contains(out+errs, "correct horse") || strings.Contains(errs, "short\n") {
			t.Errorf("%s: it shows the password: %q %q", name, out, errs)
		}
	}
}

// pipeStdin runs a command with a text as its standard input.
func pipeStdin(t *testing.T, text string, args ...string) (code int, out, errs string) {
	t.Helper()
	r, w, err := os.Pipe()
	fortest.OK(t, err)
	defer r.Close()
	go func() {
		w.WriteString(text)
		w.Close()
	}()
	before := os.Stdin
	os.Stdin = r
	defer func() { os.Stdin = before }()
	var stdout, stderr strings.Builder
	code = run(args, nil, &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}
