package realtime

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"coinslot/bff/fortest"
)

// TestRealtimePage: docs/realtime.md states the limits of a socket.
func TestRealtimePage(t *testing.T) {
	raw := fortest.Must(os.ReadFile("../../docs/realtime.md"))(t)
	for format, limit := range map[string]any{
		"messages, pings and pongs of the client, in a minute | %v":       maxMessages,
		"bytes of the client in that minute, with frame headers | %v KiB": maxReceived >> 10,

		"one message of the client | %v KiB": maxMessage >> 10,
		"an answer to a ping | within %v s":  pongWithin.Seconds(),
		"taking what is sent | within %v s":  writeWithin.Seconds(),
	} {
		row := "\n| " + fmt.Sprintf(format, limit) + " |\n"
		if !strings.Contains(string(raw), row) {
			t.Errorf("docs/realtime.md lacks the row %q", strings.TrimSpace(row))
		}
	}
	ping := fmt.Sprintf("every %v s | a ping", pingEvery.Seconds())
	if !strings.Contains(string(raw), ping) {
		t.Errorf("docs/realtime.md lacks %q", ping)
	}
}
