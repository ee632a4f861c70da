//go:build !race

package rules

const slowed = 1
