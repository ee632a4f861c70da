// Package rates turns a price in the shop's currency into dollars, at a rate that is still valid.
//
// A [Source] is what COINSLOT_RATES names: the European Central Bank, a JSON document, or a file of
// fixed rates. [Source.Fetch] returns a [Table] of exact fractions with the time until which they
// serve. [State.Apply] puts a table into the state that all instances share: a rate that jumps is
// held until an operator accepts it. [State.Quote] converts a price, with one rounding, up to the
// cent, or says why it cannot. A [Refresher] keeps the stored state current.
//
// Nothing here falls back: without a rate that is valid now, there is no quote. There are no
// floats; numbers are the text that a source wrote, and fractions of integers.
package rates
