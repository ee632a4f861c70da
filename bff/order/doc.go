// Package order reads what merchants say is to be paid: the body of
// POST /v1/sessions, signed order tokens, and the items of a catalogue file. All
// three end as a [checkout.Order]; none takes anything from a shopper but the
// amount of an item that is declared open.
package order
