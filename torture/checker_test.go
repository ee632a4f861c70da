//go:build linux

package torture

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/sandbox"

	"github.com/shopspring/decimal"
)

// patience is how long everything may take to come right after the last crash,
// with all faults gone. It is far above what is needed, for busy machines.
const patience = 90 * time.Second

// awaitConsistency lets the faults end, waits until everything has come right, and notes
// what has not as a violation. One process must serve.
func (w *world) awaitConsistency() {
	w.pauseSteps.Lock()
	defer w.pauseSteps.Unlock()
	w.gateway.setFaults(0, 0)
	w.sink.setFaults(0)
	w.sink.down.Store(false)
	deadline := time.Now().Add(patience)
	open := w.inconsistent()
	began, waited := time.Now(), ""
	defer func() {
		w.note("", "settled %d sessions in %v, at last waiting for: %s", len(open),
			time.Since(began), waited)
	}()
	for pass := 0; ; pass++ {
		records := w.gateway.records()
		wrong := map[string]string{} // by session
		for _, s := range open {
			if why := w.check(s, records, pass); why != "" {
				wrong[s.id] = why
			}
		}
		orphaned := w.orphans(records)
		if len(wrong) == 0 && len(orphaned) == 0 {
			break
		}
		for id, why := range wrong {
			waited = id + ": " + why
		}
		if time.Now().After(deadline) {
			w.reportInconsistent(wrong, orphaned)
			break
		}
		if len(wrong) > 0 {
			open = slices.DeleteFunc(slices.Clone(open),
				func(s *session) bool { return wrong[s.id] == "" })
		} else {
			open = w.allSessions() // a session that was right may have found a lost transaction since
		}
		<-wait(20 * time.Millisecond)
	}
}

// allSessions returns all sessions.
func (w *world) allSessions() []*session {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Collect(maps.Values(w.sessions))
}

// inconsistent returns the sessions that can still change or were not found right.
func (w *world) inconsistent() []*session {
	w.mu.Lock()
	defer w.mu.Unlock()
	var list []*session
	for id, s := range w.sessions {
		if !w.consistent[id] {
			list = append(list, s)
		}
	}
	return list
}

func (w *world) reportInconsistent(wrong map[string]string, orphaned []string) {
	for id, why := range wrong {
		w.violate(id, "%s", why)
	}
	for _, code := range orphaned {
		w.violate("", "I2: transaction %s carries a marker of ours and belongs to no session: %+v",
			code, w.gateway.records()[code])
	}
}

// check compares one session with the three ledgers. It returns what is not
// right yet; what can never become right is noted at once.
func (w *world) check(s *session, records map[string]sandbox.Transaction, pass int) string {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	o, err := w.read(ctx, s.id)
	if err != nil {
		return "I6: reading it: " + err.Error()
	}
	w.recordTrackingCodes(s, o)
	if o.AmountUSD != s.amount {
		w.violate(s.id, "I3: the amount is %s, not %s", o.AmountUSD, s.amount)
	}
	byOperator := func(e struct{ By string }) bool { return e.By == "console:operator" }
	if s.operated.Load() && !o.Deleted && !slices.ContainsFunc(o.Timeline, byOperator) {
		w.violate(s.id, "I6: what an operator did is lost")
	}
	for _, why := range []string{
		w.compareShown(s, o, records), w.compareWithGateway(o, records),
		w.compareEvents(o, records), w.follower.compare(o),
	} {
		if why == "" {
			continue
		}
		if pass%25 == 1 && hasLatePayment(o, records) {
			w.note(s.id, "the merchant asks to look again")
			_, _, _ = w.merchant(ctx, http.MethodPost, "/v1/sessions/"+s.id+"/recheck",
				"") // the next pass sees what came of it
		}
		return why
	}
	if final(o, records) {
		w.mu.Lock()
		w.consistent[s.id] = true
		w.mu.Unlock()
	}
	return ""
}

// recordTrackingCodes notes the tracking codes that the checkout knows of.
func (w *world) recordTrackingCodes(s *session, o object) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, a := range o.Attempts {
		if a.TrackingCode == "" {
			continue
		}
		if other, ok := w.known[a.TrackingCode]; ok && other != s.id {
			w.violations = append(w.violations,
				violation{s.id, "two sessions have transaction " + a.TrackingCode})
		}
		w.known[a.TrackingCode] = s.id
	}
}

// orphans returns the transactions with a marker of ours that no session knows.
func (w *world) orphans(records map[string]sandbox.Transaction) []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var list []string
	for code, tx := range records {
		if strings.Contains(tx.Comment, "cs-") && w.known[code] == "" {
			list = append(list, code)
		}
	}
	return list
}

// compareShown holds what shoppers have seen against what is stored and
// issued (I6, I11): it can only get worse.
func (w *world) compareShown(s *session, o object, records map[string]sandbox.Transaction) string {
	w.mu.Lock()
	shown := slices.Clone(s.shown)
	w.mu.Unlock()
	for _, d := range shown {
		if d.number > len(o.Attempts) {
			return fmt.Sprintf("I6: attempt %d was shown and is gone", d.number)
		}
		a, tx := o.Attempts[d.number-1], records[d.code]
		kept := a.Address == d.address || o.Deleted && a.Address == ""
		if a.TrackingCode != d.code || !kept || d.address != "" && tx.WalletAddress != d.address {
			return fmt.Sprintf("I11: %s of %s was shown; stored is %s of %s, issued %s", d.address,
				d.code, a.Address, a.TrackingCode, tx.WalletAddress)
		}
		shown, err := decimal.NewFromString(d.payAmount)
		if err != nil || !shown.Equal(tx.PayAmount) {
			return fmt.Sprintf("I14: %q to pay was shown; the gateway wants %s", d.payAmount,
				tx.PayAmount)
		}
	}
	return ""
}

// compareWithGateway compares the session with the gateway's records.
func (w *world) compareWithGateway(o object, records map[string]sandbox.Transaction) string {
	if o.Status == "preparing" {
		return "it is still preparing"
	}
	var pending, confirmed int
	for _, a := range o.Attempts {
		tx, ok := records[a.TrackingCode]
		switch {
		case a.TrackingCode == "":
			continue
		case !ok:
			return fmt.Sprintf("attempt %d has transaction %q, which the gateway does not know",
				a.Number, a.TrackingCode)
		case tx.Status == "pending":
			pending++
		case tx.Status == "confirmed":
			confirmed++
		}
		if why := compareAttempt(o, a, tx); why != "" {
			return why
		}
	}
	switch {
	case o.Status == "pending" &&
		(pending != 1 || records[o.Attempts[len(o.Attempts)-1].TrackingCode].Status != "pending"):
		return fmt.Sprintf("I1: it is pending; %d transactions can be paid", pending)
	case o.Status != "pending" && pending > 0:
		return fmt.Sprintf("I1: it is %s; %d transactions can be paid", o.Status, pending)
	case confirmed > 0 && o.Status != "confirmed" && o.Status != "review":
		return fmt.Sprintf("I13: the gateway has confirmed %d; it is %s", confirmed, o.Status)
	}
	if hasLatePayment(o, records) {
		return "I13: late money is not known"
	}
	return ""
}

// compareAttempt checks that an attempt counts as paid exactly if the gateway says so
// and the money is there.
func compareAttempt(o object, a attempt, tx sandbox.Transaction) string {
	sum := decimal.Zero
	for _, transfer := range tx.Transfers {
		sum = sum.Add(transfer.Amount)
	}
	least := tx.PayAmount.Mul(decimal.NewFromInt(99)).Div(decimal.NewFromInt(100)) // the gateway tolerates 1 %
	switch {
	case a.Status == "confirmed" && (tx.Status != "confirmed" || sum.LessThan(least)):
		return fmt.Sprintf("I4: attempt %d is confirmed; the gateway says %s, %s of %s has come",
			a.Number, tx.Status, sum, tx.PayAmount)
	case a.Status == "confirmed" &&
		tx.AmountUSD.String() != decimal.RequireFromString(o.AmountUSD).String():
		return fmt.Sprintf("I3: attempt %d is of %s USD, the session of %s", a.Number, tx.AmountUSD,
			o.AmountUSD)
	case tx.Status == "confirmed" && a.Status != "confirmed" && a.Status != "review":
		return fmt.Sprintf("I13: the gateway has confirmed attempt %d; it is %s", a.Number,
			a.Status)
	}
	return ""
}

// hasLatePayment reports whether something was sent to a transaction that had ended
// which the checkout finds out at its next late look, or if it is asked.
func hasLatePayment(o object, records map[string]sandbox.Transaction) bool {
	for _, a := range o.Attempts {
		tx := records[a.TrackingCode]
		if tx.Status == "confirmed" && (a.Status == "expired" || a.Status == "cancelled") {
			return true
		}
		for _, transfer := range tx.Transfers {
			if !transfer.Seen && tx.Status != "confirmed" {
				return true
			}
		}
	}
	return false
}

// compareEvents compares the session with what its merchant has heard.
func (w *world) compareEvents(o object, records map[string]sandbox.Transaction) string {
	confirmed := w.sink.count(o.ID, "checkout.confirmed")
	switch {
	case o.Status == "confirmed" && confirmed != 1:
		return fmt.Sprintf("I5: it is confirmed; %d events report it", confirmed)
	case o.Status == "review" && w.sink.restored.Load(): // the backup lacks what would prove it
	case o.Status != "confirmed" && confirmed > 0:
		return fmt.Sprintf("I5: it is %s; %d events report that it is confirmed", o.Status,
			confirmed)
	}
	if event := wire.Status(o.Status).Event(); event != "" && w.sink.count(o.ID, event) == 0 {
		return "no event reports that it is " + o.Status
	}
	for _, a := range o.Attempts {
		seen := decimal.Zero
		for _, transfer := range records[a.TrackingCode].Transfers {
			if transfer.Seen {
				seen = seen.Add(transfer.Amount)
			}
		}
		checkEvent := w.sink.count(o.ID, "checkout.partial") +
			w.sink.count(o.ID, "checkout.review") + confirmed
		if seen.IsPositive() && checkEvent == 0 {
			return fmt.Sprintf("I13: %s has come for attempt %d, and no event reports it", seen,
				a.Number)
		}
	}
	return ""
}

// final reports whether o will not change any more, whatever happens.
func final(o object, records map[string]sandbox.Transaction) bool {
	if o.Status == "pending" || o.Status == "open" {
		return false
	}
	for _, a := range o.Attempts {
		if records[a.TrackingCode].Status == "pending" {
			return false
		}
	}
	return true
}

// finalCheck checks at the end of a world, with no process running, that nothing
// which was settled has changed in the files or holds a secret.
func (w *world) finalCheck() {
	w.awaitConsistency()
	w.mu.Lock()
	clear(w.consistent)
	wrong := len(w.violations)
	w.mu.Unlock()
	if wrong == 0 {
		w.awaitConsistency()
	}
	w.fetchEverything()
	w.kill()
	w.checkHistories()
	w.store.scan(w.t, w.secrets.search)
}

// deletions waits until every session that has ended unpaid is deleted, and returns how
// many that are. Those that are not within d are violations.
func (w *world) deletions(d time.Duration) int {
	w.awaitConsistency()
	for ended := map[string]time.Time{}; ; {
		records, deleted, kept := w.gateway.records(), 0, ""
		for _, s := range w.allSessions() {
			o, err := w.read(context.Background(), s.id)
			unpaid := (o.Status == "expired" || o.Status == "cancelled") && !anyMoney(o, records)
			switch {
			case err == nil && o.Deleted:
				deleted++
			case err != nil || unpaid:
				kept = s.id
				ended[kept] = cmp.Or(ended[kept], time.Now())
				if time.Since(ended[kept]) > d {
					w.violate(kept, "it has ended unpaid, and is not deleted after %v", d)
					return deleted
				}
			}
		}
		if kept == "" {
			return deleted
		}
		<-wait(100 * time.Millisecond)
	}
}

// anyMoney reports whether anything was ever sent for o.
func anyMoney(o object, records map[string]sandbox.Transaction) bool {
	return slices.ContainsFunc(o.Attempts, func(a attempt) bool {
		return len(records[a.TrackingCode].Transfers) > 0 || a.Reason != ""
	})
}

// fetchEverything reads what was not read yet, to be searched for secrets: a page, the
// metrics, refusals, the list and the hook.
func (w *world) fetchEverything() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var any string
	w.mu.Lock()
	for id := range w.sessions {
		any = id
		break
	}
	w.mu.Unlock()
	for _, path := range []string{
		"/checkout/" + any, "/checkout/" + any + "/qr.svg", "/checkout/" + any + "/receipt",
		"/checkout/doctor?origin=" + w.origin, "/return?status=x", "/nothing", "/v1/sessions",
		"/checkout.js", "/checkout/cs_nothing",
	} {
		if _, _, err := w.call(ctx, w.hosts[0], http.MethodGet, path, "", nil); err != nil {
			w.t.Errorf("GET %s: %v", path, err)
		}
	}
	for _, path := range []string{"/metrics", "/healthz", "/readyz"} {
		if _, _, err := w.call(ctx, w.opsHost(0), http.MethodGet, path, "", nil); err != nil {
			w.t.Errorf("GET %s: %v", path, err)
		}
	}
	w.request(ctx, http.MethodPost, "/hooks/gateway/"+w.secrets.hookToken, "{}")
	w.request(ctx, http.MethodGet, "/v1/sessions?limit=100", "")
	w.request(ctx, http.MethodGet, "/v1/currencies", "")
}

func (w *world) request(ctx context.Context, method, path, body string) {
	if _, _, err := w.merchant(ctx, method, path, body); err != nil {
		w.t.Errorf("%s %s: %v", method, path, err)
	}
}
