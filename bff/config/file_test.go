package config

import (
	"runtime"
	"strings"
	"testing"

	"coinslot/bff/fortest"
)

func TestReadFile(t *testing.T) {
	text := "# one\n\n COINSLOT_LISTEN=:1 \nCOINSLOT_SHOP_NAME='Café \"x\" $1'\r\n" +
		"COINSLOT_CATALOG=\"a b.yaml\"\nCOINSLOT_SUPPORT=\n"
	got := fortest.Must(ReadFile(writeSettings(t, text, 0o600)))(t)
	fortest.Diff(t, got, []string{
		"COINSLOT_LISTEN=:1", `COINSLOT_SHOP_NAME=Café "x" $1`, "COINSLOT_CATALOG=a b.yaml",
		"COINSLOT_SUPPORT=",
	}, "entries")
	for _, value := range []string{"", "a", "a b", "$a", `"a"`, "a=b", "#a", "ä"} {
		line := Quote("COINSLOT_SHOP_NAME", value)
		got := fortest.Must(ReadFile(writeSettings(t, line, 0o600)))(t)
		fortest.Equal(t, got[0], "COINSLOT_SHOP_NAME="+value, "read back from %s", line)
	}
}

// A line that a shell or systemd would read otherwise is refused, and not shown.
func TestReadFileRefuses(t *testing.T) {
	for _, line := range []string{
		"export COINSLOT_LISTEN=" + canary, "PATH=" + canary, canary, "COINSLOT_LISTEN = " + canary,
		"COINSLOT_LISTEN='" + canary, "COINSLOT_LISTEN=" + canary + " b",
		"COINSLOT_LISTEN=$" + canary, `COINSLOT_LISTEN="` + canary + `\n"`,
		"COINSLOT_LISTEN=" + canary + "'", "COINSLOT_LISTEN='a'" + canary + "'b'",
	} {
		_, err := ReadFile(writeSettings(t, "\n"+line+"\n", 0o600))
		if err == nil || !strings.Contains(err.Error(), "line 2: ") ||
			strings.Contains(err.Error(), canary) {
			t.Errorf("%s: %v", line, err)
		}
	}
	if runtime.GOOS != "windows" {
		_, err := ReadFile(writeSettings(t, "COINSLOT_LISTEN=:1", 0o644))
		fortest.Is(t, err, errOpen, "a file that all users can read")
	}
}
