//go:build race

package rules

// slowed is by how much the race detector slows the database down, which is
// computed and not called: fewer rounds are made under it.
const slowed = 8
