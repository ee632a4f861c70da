package store

import (
	"errors"
	"fmt"
	"syscall"
)

// lock holds the file at path, which it creates if needed, until unlock is called or the
// process ends: no other process can open it. Errors: another process holds it.
func lock(path string) (unlock func() error, err error) {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, fmt.Errorf("locking %s: %w", path, err)
	}

	const alone = 0 // not shared
	handle, err := syscall.CreateFile(name, syscall.GENERIC_READ|syscall.GENERIC_WRITE, alone, nil,
		syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	const sharingViolation = syscall.Errno(32)
	if errors.Is(err, sharingViolation) {
		err = errors.New("another process is using it; stop that one first")
	}
	if err != nil {
		return nil, fmt.Errorf("locking %s: %w", path, err)
	}

	return func() error { return syscall.CloseHandle(handle) }, nil
}
