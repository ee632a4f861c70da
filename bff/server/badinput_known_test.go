package server_test

// knownWrong are inputs that are answered wrongly today, and why. An entry is
// removed with the correction: until then the test fails if the answer is right.
var knownWrong = map[string]string{
	// The store answers with the holder of the reference, and the key of that one
	// does not tell whether the key of the request is new or stands for a third
	// body: it has to answer with the holder of the key.
	"B11/key of one order, reference of another": "the session of the reference is returned, though the key stands for another body",
}
