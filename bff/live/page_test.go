package live

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestRealtimePage: docs/realtime.md has the limits of a socket.
func TestRealtimePage(t *testing.T) {
	raw, err := os.ReadFile("../../docs/realtime.md")
	if err != nil {
		t.Fatal(err)
	}
	for what, much := range map[string]string{
		"messages, pings and pongs of the client, in a minute":         fmt.Sprint(maxMessages),
		"bytes of the client in that minute, with all that frames add": fmt.Sprint(maxTalk>>10, " KiB"),
		"one message of the client":                                    fmt.Sprint(maxMessage>>10, " KiB"),
		"an answer to a ping":                                          fmt.Sprint("within ", pongWithin.Seconds(), " s"),
		"taking what is sent":                                          fmt.Sprint("within ", writeWithin.Seconds(), " s"),
	} {
		if row := "\n| " + what + " | " + much + " |\n"; !strings.Contains(string(raw), row) {
			t.Errorf("docs/realtime.md lacks the row %q", strings.TrimSpace(row))
		}
	}
	if ping := fmt.Sprintf("every %v s | a ping", pingEvery.Seconds()); !strings.Contains(string(raw), ping) {
		t.Errorf("docs/realtime.md lacks %q", ping)
	}
}
