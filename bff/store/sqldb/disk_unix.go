//go:build linux || darwin

package sqldb

import "syscall"

// diskFree returns how many bytes may still be written to the volume of path.
func diskFree(path string) (int64, error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(path, &s); err != nil {
		return 0, err
	}
	return int64(s.Bavail) * int64(s.Bsize), nil
}
