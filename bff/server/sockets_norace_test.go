//go:build !race

package server_test

// idleBytes bounds the heap and stack of an idle socket.
const idleBytes = 7 << 10
