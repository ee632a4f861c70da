package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"coinslot/bff/payment"
	"coinslot/bff/store/sqldb"
)

const (
	upsertSummary = `INSERT INTO facets (created_at, session, status, coin, network, cents, version)
		VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT (created_at, session) DO UPDATE SET status = excluded.status, coin =
		excluded.coin, network = excluded.network,
		cents = excluded.cents, version = excluded.version`
	updateSummary = `UPDATE facets SET status = $3, coin = $4, network = $5, cents = $6, version =
		$7
		WHERE created_at = $1 AND session = $2 AND version = $8`
	insertTerm = `INSERT INTO words (word, created_at, session) VALUES ($1, $2, $3) ON CONFLICT DO
		NOTHING`
)

// summary is what is filtered and counted of a session.
type summary struct {
	status        string
	coin, network string // empty = none was chosen
	cents         int64
}

func summarize(s *payment.Session) summary {
	f := summary{status: string(s.Status), cents: s.Order.AmountUSD.Shift(2).IntPart()}
	if a := s.Current(); a != nil {
		f.coin, f.network = coin(a.CurrencySymbol), network(a.NetworkCode)
	}
	return f
}

// coin and network are how their columns keep what the gateway spells as it likes.
func coin(symbol string) string  { return strings.ToUpper(symbol) }
func network(code string) string { return strings.ToLower(code) }

// maxTermBytes bounds a word, in bytes: an index of PostgreSQL refuses longer ones, and
// that must not be in the way of a payment. No address is that long.
const maxTermBytes = 256

// searchTerm is a text as it is searched for: the same for whoever writes a hash in
// capitals, or without 0x.
func searchTerm(text string) string {
	text = strings.ToLower(strings.TrimSpace(text))
	if hex, ok := strings.CutPrefix(text, "0x"); ok && hex != "" {
		text = hex
	}
	if len(text) > maxTermBytes {
		return ""
	}
	return sqldb.Key(text)
}

// searchTerms is what s is found by, besides what other tables have an index of.
func searchTerms(s *payment.Session) []string {
	var list []string
	add := func(w string) {
		if w != "" && !slices.Contains(list, w) {
			list = append(list, w)
		}
	}
	number := func(n int) {
		if n != 0 {
			add(strconv.Itoa(n))
		}
	}
	if s.Tombstone() {
		return nil
	}
	for _, w := range emailTerms(s) {
		add(w)
	}
	number(s.Order.OrderID)
	for _, a := range s.Attempts {
		number(a.OrderID)
		for _, text := range []string{a.Address, a.TxID} {
			add(searchTerm(text))
		}
	}
	return list
}

// emailTerms are the e-mails of s as words.
func emailTerms(s *payment.Session) []string {
	var list []string
	add := func(email string) {
		if w := searchTerm(email); w != "" && !slices.Contains(list, w) {
			list = append(list, w)
		}
	}
	add(s.Order.Email)
	for _, a := range s.Attempts {
		add(a.Email)
	}
	return list
}

// indexEntry is what people find a session by; the zero shown is that of one that is not there.
type indexEntry struct {
	version int64
	summary summary
	terms   []string
	emails  []string // those of the words that are e-mails
}

func indexEntryOf(s *payment.Session) indexEntry {
	return indexEntry{s.Version, summarize(s), searchTerms(s), emailTerms(s)}
}

// deleteOldEmails deletes the e-mails that s has no more: what was erased must not be found.
func deleteOldEmails(ctx context.Context, tx *sql.Tx, s *payment.Session, before []string) error {
	now := emailTerms(s)
	gone := slices.DeleteFunc(slices.Clone(before), func(w string) bool {
		return slices.Contains(now, w)
	})
	return deleteOldTerms(ctx, tx, s, gone)
}

// writeIndex writes what people find s by, as far as it was not there before. Words but
// e-mails stay: what a session was once known by, it is found by. An older release beside
// this one changes sessions and writes none of it; then all is written anew.
func writeIndex(ctx context.Context, tx *sql.Tx, s *payment.Session, before indexEntry) error {
	now, at := indexEntryOf(s), s.CreatedAt.UnixMicro()
	kept, err := writeSummary(ctx, tx, s.ID, at, now, before.version)
	if err != nil {
		return fmt.Errorf("writing what is counted of it: %w", err)
	}
	for _, w := range now.terms {
		if kept && slices.Contains(before.terms, w) {
			continue
		}
		if _, err := tx.ExecContext(ctx, insertTerm, w, at, sqldb.Key(s.ID)); err != nil {
			return fmt.Errorf("writing what it is found by: %w", err)
		}
	}
	return nil
}

// writeSummary writes what is counted of a session. It reports whether what is there
// was made from the version before this one.
func writeSummary(
	ctx context.Context, tx *sql.Tx, id string, at int64, now indexEntry, before int64,
) (kept bool, err error) {
	f := now.summary
	args := []any{
		at, sqldb.Key(id), sqldb.Key(f.status), sqldb.Text(f.coin), sqldb.Text(f.network), f.cents,
		now.version,
	}
	if before > 0 {
		result, err := tx.ExecContext(ctx, updateSummary, append(args, before)...)
		if err != nil {
			return false, err
		}
		if n, err := result.RowsAffected(); err != nil || n > 0 {
			return true, err
		}
	}
	_, err = tx.ExecContext(ctx, upsertSummary, args...)
	return false, err
}
