// Package recovery finds the transactions that creates have opened whose answers were lost:
// it searches the gateway's list for the marker that travels with every create. What is
// found is canceled and replaced, since only the answer to create holds the address; what
// is proven not to be there is replaced; what cannot be searched for is given up after ten
// minutes.
package recovery
