package demo

import (
	"os"
	"slices"
	"strings"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/bff/sandbox"
)

// TestKindsAreTheGateways: the page, the element, its types and the gateway know the same kinds.
func TestKindsAreTheGateways(t *testing.T) {
	var want []string
	for _, kind := range sandbox.Kinds() {
		want = append(want, string(kind))
	}
	slices.Sort(want)
	fortest.Diff(t, slices.Sorted(slices.Values(Kinds())), want, "kinds of the page")

	types := fortest.Must(os.ReadFile("../../static/checkout.d.ts"))(t)
	_, union, _ := strings.Cut(string(types), "type Simulation = ")
	union, _, _ = strings.Cut(union, ";")
	typed := strings.Split(strings.ReplaceAll(union, "'", ""), " | ")
	slices.Sort(typed)
	fortest.Diff(t, typed, want, "kinds of the types")
}
