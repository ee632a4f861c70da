// Package reconcile holds the gateway's records against ours. Operators ask for a
// comparison of some days ([Service.Start]); each hour and each day a run reads what the
// gateway lists and has every payment checked of which money is listed that is not known
// here ([Service.RunScheduled]). Nothing in this package decides about a payment: a list
// proves nothing, a status read does.
package reconcile
