package server_test

// knownWrong are inputs with known wrong answers, and why. The test fails once the answer is
// right, until the entry is removed.
var knownWrong = map[string]string{}
