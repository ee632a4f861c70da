//go:build unix

package main

import "syscall"

// restoreUmask closes new files to others until the returned function is called.
func restoreUmask() func() {
	before := syscall.Umask(0o077)
	return func() { syscall.Umask(before) }
}
