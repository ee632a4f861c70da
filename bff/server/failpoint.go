//go:build !crashpoints

package server

// withFailpoints returns the configuration of a part as it is. Only the build for the torture
// harness, with the tag crashpoints, changes it: failpoint_crashpoints.go.
func withFailpoints[Config any](c Config) Config { return c }
