// Package reconcile compares the gateway's records with the database. Operators start a
// reconciliation of some days ([Service.Start]). Every hour and every day a scheduled run
// reads the gateway's list and schedules a check of every payment whose record shows money
// that the database does not ([Service.RunScheduled]). Nothing here decides about a payment:
// a list proves nothing, a status read does.
package reconcile
