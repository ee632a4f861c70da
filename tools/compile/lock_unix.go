//go:build unix

package compile

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// Lock waits for other builds of the module in root. The end of the process also unlocks. Errors:
// .cache in root cannot be written.
func Lock(root string) (unlock func(), err error) {
	path := filepath.Join(root, ".cache", "build.lock")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, fmt.Errorf("making a folder: %w", err)
	}

	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("opening the build lock: %w", err)
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX); err != nil {
		file.Close()
		return nil, fmt.Errorf("waiting for another build: %w", err)
	}

	return func() { file.Close() }, nil
}
