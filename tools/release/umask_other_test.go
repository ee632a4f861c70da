//go:build !unix

package main

// restoreUmask does nothing where there is none.
func restoreUmask() func() { return func() {} }
