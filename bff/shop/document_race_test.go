//go:build race

package shop

// pageCosts are the limits with the race detector, for which sync.Pool drops a quarter of its
// items.
func pageCosts() map[string]cost {
	return map[string]cost{"open": {700, 1_600_000}, "pending": {500, 1_000_000}}
}
