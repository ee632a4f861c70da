package store

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"coinslot/bff/fortest"
)

// A full disk makes the database not ready until a write works again, whatever is read meanwhile;
// each change of state is one line in the log.
func TestNotReadyOnAFullDisk(t *testing.T) {
	disk := t.TempDir()
	if err := syscall.Mount("none", disk, "tmpfs", 0, "size=4m"); err != nil {
		t.Skipf("a small disk cannot be mounted here: %v", err)
	}
	t.Cleanup(func() { fortest.OK(t, syscall.Unmount(disk, syscall.MNT_DETACH)) })
	var log fortest.Log
	db := openedAs(t, Config{
		DSN: filepath.Join(disk, "coinslot.db"), Log: slog.New(slog.NewTextHandler(&log, nil)),
	})
	filler, n := filepath.Join(disk, "filler"), 0
	for range 2 {
		_ = os.WriteFile(filler, make([]byte, 8<<20), 0o600) // as much as fits
		var err error
		for last := n + 5000; err == nil && n < last; n++ {
			_, err = db.Insert(t.Context(), dead(n, 3))
		}
		fortest.Fails(t, err, "inserting with a full disk")
		for range 3 {
			fortest.Fails(t, db.Ready(t.Context()), "Ready with a full disk")
			fortest.OK(t, db.Ping(t.Context()))
		}
		fortest.OK(t, os.Remove(filler))
		fortest.OK(t, db.Ready(t.Context()))
	}
	text := log.String()
	fortest.Equal(t, strings.Count(text, "writing to the database fails"), 2, "%s", text)
	fortest.Equal(t, strings.Count(text, "writing to the database works again"), 2, "%s", text)
}
