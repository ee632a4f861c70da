package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"coinslot/bff/payment"
	"coinslot/bff/store/sqldb"
)

const (
	upsertSummary = `INSERT INTO facets (created_at, session, status, coin, network, cents, version)
		VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (created_at, session) DO UPDATE
		SET status = excluded.status, coin = excluded.coin, network = excluded.network,
		cents = excluded.cents, version = excluded.version`
	updateSummary = `UPDATE facets
		SET status = $3, coin = $4, network = $5, cents = $6, version = $7
		WHERE created_at = $1 AND session = $2 AND version = $8`
	insertTerm = `INSERT INTO words (word, created_at, session) VALUES ($1, $2, $3)
		ON CONFLICT DO NOTHING`
)

// summary is what sessions are filtered and counted by.
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

// coin and network normalize the gateway's spelling for their columns.
func coin(symbol string) string  { return strings.ToUpper(symbol) }
func network(code string) string { return strings.ToLower(code) }

// maxTermBytes bounds a term: an index of PostgreSQL refuses longer ones, and that must not
// block a payment. No address is that long.
const maxTermBytes = 256

// searchTerm is a text as it is searched for: a hash is found in any case, with or without 0x, and
// an address in groups of four, as pages show it. "" = too long to be one.
func searchTerm(text string) string {
	text = strings.ToLower(strings.Join(strings.Fields(text), ""))
	if hex, ok := strings.CutPrefix(text, "0x"); ok && hex != "" {
		text = hex
	}
	if len(text) > maxTermBytes {
		return ""
	}
	return sqldb.Key(text)
}

// searchTerms are what s is found by, besides what other tables have an index of.
func searchTerms(s *payment.Session) []string {
	if s.Tombstone() {
		return nil
	}
	list := appendTerms(emailTerms(s), number(s.Order.OrderID))
	list = appendTerms(list, words(s.Order.Ref)...)
	for _, a := range s.Attempts {
		list = appendTerms(list, number(a.OrderID), searchTerm(a.Address), searchTerm(a.TxID))
		for _, tx := range a.Transactions() {
			list = appendTerms(list, searchTerm(tx.ID))
		}
	}
	return list
}

// maxWords bounds the words of a text that it is found by.
const maxWords = 8

// words are the words and numbers of a text, as they are searched for: numbers without the zeros
// before them.
func words(text string) (list []string) {
	separates := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	for _, word := range strings.FieldsFunc(text, separates) {
		list = appendTerms(list, searchWord(word))
	}
	return list[:min(len(list), maxWords)]
}

func searchWord(text string) string {
	term := searchTerm(text)
	if short := strings.TrimLeft(term, "0"); short != "" && strings.Trim(short, "0123456789") == "" {
		return short
	}
	return term
}

// appendTerms adds the terms that are neither empty nor in list.
func appendTerms(list []string, terms ...string) []string {
	for _, term := range terms {
		if term != "" && !slices.Contains(list, term) {
			list = append(list, term)
		}
	}
	return list
}

func number(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// emailTerms are the addresses, and the words before their @.
func emailTerms(s *payment.Session) (list []string) {
	emails := []string{s.Order.Email}
	for _, a := range s.Attempts {
		emails = append(emails, a.Email)
	}
	for _, email := range emails {
		local, _, _ := strings.Cut(email, "@")
		list = appendTerms(list, searchTerm(email))
		list = appendTerms(list, words(local)...)
	}
	return list
}

// indexEntry is what operators find a session by; the zero entry is that of no session.
type indexEntry struct {
	version int64
	summary summary
	terms   []string
	emails  []string // those of the terms that are e-mails
}

func indexEntryOf(s *payment.Session) indexEntry {
	return indexEntry{s.Version, summarize(s), searchTerms(s), emailTerms(s)}
}

// deleteOldEmails deletes the e-mails that s no longer has: what was erased must not be found.
func deleteOldEmails(ctx context.Context, tx *sql.Tx, s *payment.Session, before []string) error {
	now := emailTerms(s)
	gone := slices.DeleteFunc(slices.Clone(before), func(term string) bool {
		return slices.Contains(now, term)
	})
	return deleteOldTerms(ctx, tx, s, gone)
}

// writeIndex writes what s is found by, as far as it was not there before. Terms other than
// e-mails stay, so that a session is found by what it was once known by. If an older
// release has changed the session without writing the index, all is written again.
func writeIndex(ctx context.Context, tx *sql.Tx, s *payment.Session, before indexEntry) error {
	now, at := indexEntryOf(s), s.CreatedAt.UnixMicro()
	current, err := writeSummary(ctx, tx, s.ID, at, now, before.version)
	if err != nil {
		return fmt.Errorf("writing the search index: %w", err)
	}
	for _, term := range now.terms {
		if current && slices.Contains(before.terms, term) {
			continue
		}
		if _, err := tx.ExecContext(ctx, insertTerm, term, at, sqldb.Key(s.ID)); err != nil {
			return fmt.Errorf("writing a search term: %w", err)
		}
	}
	return nil
}

// writeSummary writes what is counted of a session. It reports whether the summary that it
// replaces was that of the version before.
func writeSummary(
	ctx context.Context, tx *sql.Tx, id string, at int64, now indexEntry, before int64,
) (current bool, err error) {
	f := now.summary
	args := []any{
		at, sqldb.Key(id), sqldb.Key(f.status), sqldb.Text(f.coin), sqldb.Text(f.network), f.cents,
		now.version,
	}
	if before > 0 {
		n, err := sqldb.Affected(ctx, tx, updateSummary, append(args, before)...)
		if err != nil || n > 0 {
			return err == nil, err
		}
	}
	_, err = tx.ExecContext(ctx, upsertSummary, args...)
	return false, err
}
