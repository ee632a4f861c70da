// Package simulation runs whole checkouts in one process, one seed after another: several
// instances, their database, the gateway, shoppers, the merchant's endpoint and the network
// between them, in virtual time. It has tests only.
//
// Everything random is drawn from the seed. Each call of a port waits until the scheduler lets it
// go on, which decides whether it fails, and how, and when its answer arrives. Only one goroutine
// runs at a time, so a seed always repeats the same steps. After each step the invariants of
// docs/reliability.md are checked. Start at TestTortureSimulation.
package simulation
