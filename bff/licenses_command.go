package main

import (
	"context"
	"flag"

	"coinslot/bff/licenses"
)

// printLicenses prints the notices of all third-party software in the program.
func printLicenses(_ context.Context, args []string, s streams) error {
	if err := parse(flag.NewFlagSet("licenses", flag.ContinueOnError), args, s); err != nil {
		return err
	}
	return licenses.Write(s.out)
}
