//go:build crashpoints && unix

package server

import "coinslot/torture/failpoint"

func withFailpoints[Config any](c Config) Config {
	failpoint.Tune(&c)
	return c
}
