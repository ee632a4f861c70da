//go:build !js

package wire

// Rate is the exchange rate at which a price was converted into dollars. It never changes while the
// session is open, and proves the charge. Numbers are decimal text.
type Rate struct {
	// USDPerUnit is what one unit of the currency was worth, rounded to ten digits.
	USDPerUnit string `json:"usd_per_unit"`
	// Exact is the same as a fraction, in the digits of the source: "1.0921", or "1.0921/163.27" if
	// the source compares both currencies with a third one.
	Exact         string `json:"usd_per_unit_exact"`
	Source        string `json:"source"` // "ecb", "json" or "fixed"
	AsOf          string `json:"as_of"`  // when the source stated it: RFC 3339, UTC, whole seconds
	SpreadPercent string `json:"spread_percent"`
}
