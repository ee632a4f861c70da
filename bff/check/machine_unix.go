//go:build darwin || linux

package check

import (
	"io/fs"
	"syscall"
)

// writable reports whether this process may write to the file or folder.
func writable(path string) bool {
	const write = 2 // W_OK
	return syscall.Access(path, write) == nil
}

// freeSpace is how many bytes unprivileged users can still write to path.
func freeSpace(path string) (free uint64, known bool) {
	var s syscall.Statfs_t
	err := syscall.Statfs(path, &s)
	if err != nil || s.Bsize <= 0 {
		return 0, false
	}
	return s.Bavail * uint64(s.Bsize), true
}

// maxOpenFiles is how many this process may have. The Go runtime has raised it as far as it may.
func maxOpenFiles() (limit uint64, known bool) {
	var l syscall.Rlimit
	err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l)
	return l.Cur, err == nil
}

// openToOthers reports whether every user may do something with the file.
func openToOthers(info fs.FileInfo) bool { return info.Mode().Perm()&0o007 != 0 }
