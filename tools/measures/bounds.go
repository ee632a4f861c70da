package main

// Bounds on the way to a goal. They go down with each step.
const (
	mostCode       = 1 << 30
	mostTests      = 1 << 30
	mostLarge      = 1 << 30 // the goal is 2
	largestPackage = 1 << 30 // the goal is 3,500
	mostWide       = 1 << 30 // the goal is 0
)
