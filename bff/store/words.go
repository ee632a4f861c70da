package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"coinslot/bff/checkout"
)

const insertWord = `INSERT INTO words (word, created_at, session) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`

// coin and network are how their columns keep what the gateway spells as it likes.
func coin(symbol string) string  { return strings.ToUpper(symbol) }
func network(code string) string { return strings.ToLower(code) }

// chosen are the columns for what is counted of s: coin, network and cents.
func chosen(s *checkout.Session) (c, n sql.NullString, cents int64) {
	if a := s.Current(); a != nil {
		c, n = text(coin(a.CurrencySymbol)), text(network(a.NetworkCode))
	}
	return c, n, s.Order.AmountUSD.Shift(2).IntPart()
}

// maxWord bounds a word, in bytes: an index of PostgreSQL refuses longer ones, and
// that must not be in the way of a payment. No address is that long.
const maxWord = 256

// word is a text as it is searched for: the same for whoever writes a hash in
// capitals, or without 0x.
func word(text string) string {
	text = strings.ToLower(strings.TrimSpace(text))
	if hex, ok := strings.CutPrefix(text, "0x"); ok && hex != "" {
		text = hex
	}
	if len(text) > maxWord {
		return ""
	}
	return key(text)
}

// wordsOf is what s is found by, besides what other tables have an index of.
func wordsOf(s *checkout.Session) []string {
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
	add(word(s.Order.Email))
	number(s.Order.OrderID)
	for _, a := range s.Attempts {
		number(a.OrderID)
		for _, text := range []string{a.Email, a.Address, a.TxID} {
			add(word(text))
		}
	}
	return list
}

// spell writes those words of s that were not there before. Words stay: what a
// session was once known by, it is found by.
func spell(ctx context.Context, tx *sql.Tx, s *checkout.Session, before []string) error {
	for _, w := range wordsOf(s) {
		if slices.Contains(before, w) {
			continue
		}
		if _, err := tx.ExecContext(ctx, insertWord, w, s.CreatedAt.UnixMicro(), key(s.ID)); err != nil {
			return fmt.Errorf("writing what it is found by: %w", err)
		}
	}
	return nil
}
