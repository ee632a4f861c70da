//go:build crashpoints && unix

package server

import "coinslot/torture/failpoint"

func init() { tune = failpoint.Tune }
