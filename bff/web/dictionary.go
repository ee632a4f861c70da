package web

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"

	"github.com/klauspost/compress/zstd"
)

// dictionary is framed.js, which the framed page of an open order has inline: three quarters of its
// bytes. A browser that has kept the file gets a page without them on a later visit.
//
// Source: RFC 9842. Other browsers do not send Available-Dictionary, and get the whole page.
type dictionary struct {
	available string // the value of Available-Dictionary
	header    []byte // of each answer
	encoder   *zstd.Encoder
}

// useAsDictionary is the header of framed.js with which browsers keep it for later frames.
const useAsDictionary = `match="/checkout/*", match-dest=("iframe")`

// dictionaryCoding is Zstandard with a dictionary, as Accept-Encoding names it.
const dictionaryCoding = "dcz"

// pageWindow is the distance of matches, in bytes: a page and the dictionary before it.
const pageWindow = 128 << 10

// newDictionary returns the dictionary with a content. Errors: Zstandard refuses it.
func newDictionary(content []byte) (*dictionary, error) {
	encoder, err := zstd.NewWriter(nil,
		zstd.WithEncoderDictRaw(0, content),
		zstd.WithEncoderLevel(zstd.SpeedFastest), // others save less than 7 % of a page
		zstd.WithWindowSize(pageWindow),
	)
	if err != nil {
		return nil, fmt.Errorf("making a dictionary: %w", err)
	}

	sum := sha256.Sum256(content)
	magic := []byte{0x5e, 0x2a, 0x4d, 0x18, 0x20, 0, 0, 0} // RFC 9842, 5
	return &dictionary{
		available: ":" + base64.StdEncoding.EncodeToString(sum[:]) + ":", // RFC 9651, 4.1.8
		header:    append(magic, sum[:]...),
		encoder:   encoder,
	}, nil
}

// isKept reports whether a client has the dictionary and decodes with it; false for nil.
func (d *dictionary) isKept(r *http.Request) bool {
	return d != nil && r.Header.Get("Available-Dictionary") == d.available &&
		accepts(r.Header.Get("Accept-Encoding"), dictionaryCoding)
}

// compress returns content in dictionaryCoding.
func (d *dictionary) compress(content []byte) []byte {
	body := slices.Clone(d.header)
	return d.encoder.EncodeAll(content, body)
}

// SendInlining is [Send] for a page that has framed.js inline, without its text for a client that
// has kept the file. The kind of the answer has to vary by Available-Dictionary, too.
func (a *Assets) SendInlining(w http.ResponseWriter, r *http.Request, status int, page []byte) {
	if !a.dictionary.isKept(r) {
		Send(w, r, status, page)
		return
	}

	send(w, status, dictionaryCoding, a.dictionary.compress(page))
}
