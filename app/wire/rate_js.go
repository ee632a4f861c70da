package wire

// Rate is the exchange rate of a price. The program shows what the server wrote of it, and reads none
// of its members.
type Rate struct{}
