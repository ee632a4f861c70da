package server_test

// knownWrong are inputs that are answered wrongly today, and why. An entry is
// removed with the correction: until then the test fails if the answer is right.
var knownWrong = map[string]string{}
