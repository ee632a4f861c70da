// Command coinslot is a drop-in crypto checkout: see README.md.
package main

import "os"

func main() { os.Exit(run(os.Args[1:], os.Environ(), os.Stdout, os.Stderr)) }
