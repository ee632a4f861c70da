// Command coinslot is a drop-in crypto checkout: see README.md.
package main

import (
	"os"

	"coinslot/bff/internal/quiet" // its init is before that of the metrics library
)

func main() {
	quiet.Restore()
	os.Exit(run(os.Args[1:], os.Environ(), os.Stdout, os.Stderr))
}
