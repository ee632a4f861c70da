package main

import (
	"bytes"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// The library logs while it is initialized: quiet has to be earlier, wherever
// packages come to lie.
func TestQuietIsFirst(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "-test.run=^$")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, err := cmd.CombinedOutput()
	quiet, library := bytes.Index(out, []byte("init coinslot/bff/internal/quiet ")), bytes.Index(out, []byte("init github.com/VictoriaMetrics/metrics "))
	if err != nil || quiet < 0 || library < quiet {
		t.Errorf("%v: quiet at %d, the library at %d of\n%s", err, quiet, library, out)
	}
}

// TestLoggerIsTheProgramsOwn: a program that imports the server keeps the output of
// its process-wide logger, because only the command imports quiet.
func TestLoggerIsTheProgramsOwn(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "coinslot/bff/server").Output()
	if err != nil {
		t.Fatal(err)
	}
	if slices.Contains(strings.Fields(string(out)), "coinslot/bff/internal/quiet") {
		t.Error("coinslot/bff/server imports bff/internal/quiet, which changes the logger of the program")
	}
}
