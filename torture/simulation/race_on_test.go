//go:build race

package simulation

// slowed is by how much the race detector slows a simulation down: fewer seeds are run under it.
const slowed = 20
