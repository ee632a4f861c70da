//go:build crashpoints && unix

package server

import "coinslot/bff/failpoint"

func init() { tune = failpoint.Tune }
