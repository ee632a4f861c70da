package widget

import "strings"

// ShownAmount is decimal text as it is shown: at least two fractional digits, and no zeros after
// those that matter.
func ShownAmount(number string) string {
	whole, fraction, _ := strings.Cut(number, ".")
	fraction = strings.TrimRight(fraction, "0")
	for len(fraction) < 2 {
		fraction += "0"
	}
	return whole + "." + fraction
}
