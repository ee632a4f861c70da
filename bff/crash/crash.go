// Package crash names the moments at which a process may die between two steps
// that belong together. In a normal build a point is nothing. Built with the tag
// "crashpoints", for the torture harness only, the process kills itself there:
//
//	CRASH_AT=create.sent:3   dies at the third passing of that point
//	CRASH_HURRY=20           makes every pause between looks 20 times shorter
//	CRASH_DAYS=86400         makes the days of COINSLOT_RETENTION so many times shorter
//
// The points are listed in [Points]; a test holds the list against the code.
package crash

// Points are all names that are given to [Point], in the order of a payment.
var Points = []string{
	"insert.committed",     // a session is stored, its merchant has no answer
	"intent.committed",     // an attempt is stored, nothing was sent
	"create.sent",          // the gateway has answered, nothing is known of it here
	"create.committed",     // the address is stored, nobody has seen it
	"search.found",         // an orphan was found in the list
	"search.adopted",       // its tracking code is stored
	"orphan.cancelled",     // it was cancelled at the gateway
	"status.read",          // a status was read
	"confirm.committed",    // a change was committed, nobody was told
	"cancel.sent",          // the gateway has cancelled for a shopper or merchant
	"recheck.sent",         // the gateway has verified again
	"commit.before",        // the transaction is complete but not committed
	"commit.after",         // it is committed
	"delivery.claimed",     // webhooks were leased
	"delivery.sent",        // a webhook was posted, its answer is not recorded
	"shutdown.begun",       // the end was asked for
	"start.opened",         // the database is open and migrated, nothing runs
	"session.claimed",      // sessions were leased to be looked at
	"touch.committed",      // a check that found nothing new is stored
	"replacement.intended", // the replacement of a lost attempt is stored
}
