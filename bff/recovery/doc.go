// Package recovery finds the transactions of creates whose answers were lost: it searches the
// gateway's list for the marker that every create carries. Only the answer to create holds the
// address, so a found transaction is canceled and replaced; one that is proven absent is
// replaced; one that cannot be searched for is abandoned after ten minutes.
package recovery
