// Package child ties the programs that tests start to the tests: they and what they start end
// however the test binary does, panic, timeout and kill -9 included.
package child
