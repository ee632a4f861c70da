//go:build !race

package shop

// pageCosts are the limits of the screens on which shoppers choose and pay.
func pageCosts() map[string]cost {
	return map[string]cost{"open": {200, 60_000}, "pending": {130, 40_000}}
}
