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
)

const insertTerm = `INSERT INTO search_terms (term, created_at, session) VALUES ($1, $2, $3)
	ON CONFLICT DO NOTHING`

// choice returns the coin and the network of the current attempt as their columns keep them; "" =
// none was chosen.
func choice(s *payment.Session) (coin, network string) {
	current := s.Current()
	if current == nil {
		return "", ""
	}
	return coinColumn(current.CurrencySymbol), networkColumn(current.NetworkCode)
}

// coinColumn and networkColumn normalize the gateway's spelling.
func coinColumn(symbol string) string  { return strings.ToUpper(symbol) }
func networkColumn(code string) string { return strings.ToLower(code) }

// maxTermBytes bounds a term: an index of PostgreSQL refuses longer ones, and that must not
// block a payment. No address is that long.
const maxTermBytes = 256

// searchTerm is a text as it is searched for: a hash is found in any case, with or without 0x, and
// an address in groups of four, as pages show it. "" = too long to be one.
func searchTerm(text string) string {
	text = strings.ToLower(strings.Join(strings.Fields(text), ""))
	hex, ok := strings.CutPrefix(text, "0x")
	if ok && hex != "" {
		text = hex
	}
	if len(text) > maxTermBytes {
		return ""
	}
	return keyOf(text)
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
		for _, tx := range a.Txs {
			list = appendTerms(list, searchTerm(tx.ID))
		}
	}
	for _, r := range s.Refunds {
		list = appendTerms(list, searchTerm(r.TxID))
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
	short := strings.TrimLeft(term, "0")
	if short != "" && strings.Trim(short, "0123456789") == "" {
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

// terms are what a session is found by; nil = by nothing.
type terms struct {
	all    []string
	emails []string // those of all that are e-mails, or parts of one
}

func termsOf(s *payment.Session) terms {
	return terms{all: searchTerms(s), emails: emailTerms(s)}
}

// writeTerms writes what s is found by that it was not found by before, and deletes the e-mails
// that s no longer has: what was erased must not be found. Other terms stay, so that a session is
// found by what it was once known by.
func writeTerms(ctx context.Context, tx *sql.Tx, s *payment.Session, before terms) error {
	now := termsOf(s)
	if err := deleteTerms(ctx, tx, s, without(before.emails, now.emails)); err != nil {
		return err
	}

	createdAt := s.CreatedAt.UnixMicro()
	for _, term := range without(now.all, before.all) {
		_, err := tx.ExecContext(ctx, insertTerm, term, createdAt, keyOf(s.ID))
		if err != nil {
			return fmt.Errorf("writing a search term: %w", err)
		}
	}
	return nil
}

func deleteTerms(ctx context.Context, tx *sql.Tx, s *payment.Session, list []string) error {
	createdAt := s.CreatedAt.UnixMicro()
	for _, term := range list {
		_, err := tx.ExecContext(ctx, deleteTerm, term, createdAt, keyOf(s.ID))
		if err != nil {
			return fmt.Errorf("erasing a search term: %w", err)
		}
	}
	return nil
}

// without returns the terms of list that are not among others.
func without(list, others []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(term string) bool {
		return slices.Contains(others, term)
	})
}
