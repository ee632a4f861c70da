package realtime

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestRealtimePage: docs/realtime.md states the limits of a socket.
func TestRealtimePage(t *testing.T) {
	raw, err := os.ReadFile("../../docs/realtime.md")
	if err != nil {
		t.Fatal(err)
	}
	limits := map[string]string{
		"messages, pings and pongs of the client, in a minute": fmt.Sprint(maxMessages),
		"one message of the client":                            fmt.Sprint(maxMessage>>10, " KiB"),
		"an answer to a ping":                                  fmt.Sprint("within ", pongWithin.Seconds(), " s"),
		"taking what is sent":                                  fmt.Sprint("within ", writeWithin.Seconds(), " s"),
	}
	limits["bytes of the client in that minute, with all that frames add"] =
		fmt.Sprint(maxReceived>>10, " KiB")
	for what, limit := range limits {
		if row := "\n| " + what + " | " + limit + " |\n"; !strings.Contains(string(raw), row) {
			t.Errorf("docs/realtime.md lacks the row %q", strings.TrimSpace(row))
		}
	}
	ping := fmt.Sprintf("every %v s | a ping", pingEvery.Seconds())
	if !strings.Contains(string(raw), ping) {
		t.Errorf("docs/realtime.md lacks %q", ping)
	}
}
