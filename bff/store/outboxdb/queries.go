package outboxdb

import (
	"coinslot/bff/store/sqldb"
	"coinslot/bff/webhook"
)

// Queries are those of this package, by name, for tests of how they are run. The
// name of one that sorts what it has found, which is not much, ends in "(sorted)".
func Queries(d sqldb.Dialect) map[string]string {
	replay, _ := eventsQuery(webhook.Range{}, replayEvents, "", 0)
	replayOf, _ := eventsQuery(webhook.Range{Session: "a"}, replayEvents, "", 0)
	undelivered, _ := eventsQuery(webhook.Range{}, replayUndelivered, "", 0)
	times, _ := eventsQuery(webhook.Range{}, eventsTimes, 1)
	timesOf, _ := eventsQuery(webhook.Range{Session: "a"}, eventsTimes, 1)
	count, _ := eventsQuery(webhook.Range{}, countEvents)
	return map[string]string{
		"insertEvent": insertEvent, "insertDelivery": insertDelivery, "hurryDeliveries": markUrgent,
		"dueDeliveries": dueDeliveries, "dueUrgent": dueUrgent, "leaseDelivery": leaseDelivery,
		"settleDelivery": recordResult, "findDelivery": findDelivery,
		"setEventAside": setEventAside, "restoreEvent": restoreEvent,
		"eventsSetAside": eventsSetAside, "countSetAside": countSetAside,
		"sessionOfEvent": sessionOfEvent, "eventsAfter": d.EventsAfter,
		"sessionEventsAfter": d.SessionEventsAfter, "eventAt": d.EventAt,
		"latestEvent": d.LatestEvent, "replay": replay,
		"replay of what was not accepted": undelivered,
		"replay of ref \"1\"":             replayOf, "times": times, "times of ref \"1\"": timesOf,
		"count": count, "listDeliveries": listDeliveries, "listFailed": listFailed,
		"listOfSession (sorted)":       listOfSession,
		"listFailedOfSession (sorted)": listFailedOfSession,
		"nextEndpoint":                 nextEndpoint, "countWaiting": countWaiting,
		"countFailed": countFailed, "redeliver": redeliver,
	}
}
