// Package os is what go-app needs of the package of that name. There are no
// files in a browser.
package os

import "syscall"

// Getenv returns a variable of the environment; empty if it is not set.
func Getenv(key string) string {
	value, _ := syscall.Getenv(key)
	return value
}
