//go:build race

package server_test

// idleBytes bounds the heap and stack of an idle socket, with the race detector.
const idleBytes = 9 << 10
