package chart

import "testing"

// The top of a chart is round, even, and not below what it holds.
func TestCeiling(t *testing.T) {
	for n, want := range map[int]int{0: 2, 1: 2, 2: 2, 3: 4, 9: 10, 11: 12, 21: 24, 81: 100, 101: 120, 950: 1000, 12345: 16000} {
		if got := ceiling(n); got != want {
			t.Errorf("ceiling(%d) = %d; want %d", n, got, want)
		}
	}
}
