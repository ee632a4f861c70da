package web

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
)

// What is made for one request is compressed for it: pages and QR codes. That
// tells nobody anything (the attack is BREACH): nothing here is answered to a
// browser that is not answered to everybody with the same address, since there
// are no cookies and no other credentials that a browser sends by itself, and no
// page holds a token against forged requests. Who can make a browser ask for a
// page, and compare the lengths of answers, knows its address, and could ask for
// the page itself. /v1, whose answers depend on a key, is never compressed.

// Qualities of what is compressed while somebody waits. A page of 15 kB becomes
// 4 kB in a fifth of a millisecond; the next better ones take ten times as long.
const (
	brotliQuality = 5
	gzipQuality   = 6
)

// compressor compresses one content after another into its memory.
type compressor struct {
	w interface {
		io.WriteCloser
		Reset(io.Writer)
	}
	out bytes.Buffer
}

// compressors are idle ones, by content coding.
var compressors = map[string]*sync.Pool{
	"br": {New: func() any { return &compressor{w: brotli.NewWriterLevel(nil, brotliQuality)} }},
	"gzip": {New: func() any {
		w, _ := gzip.NewWriterLevel(nil, gzipQuality) // the level is valid
		return &compressor{w: w}
	}},
}

// compress returns content in its coding, in memory that the next call overwrites.
func (s *compressor) compress(content []byte) []byte {
	s.out.Reset()
	s.w.Reset(&s.out)
	_, _ = s.w.Write(content) // into memory
	s.w.Close()
	return s.out.Bytes()
}

// compress returns content in a coding, in memory of its own.
func compress(coding string, content []byte) []byte {
	s := compressors[coding].Get().(*compressor)
	defer compressors[coding].Put(s)
	return bytes.Clone(s.compress(content))
}

// Send answers with what was made for this request, in the smallest coding that
// the client accepts. A client that has gone is not our error.
func Send(w http.ResponseWriter, r *http.Request, status int, content []byte) {
	if coding := chosenCoding(r.Header.Get("Accept-Encoding")); coding != identity {
		s := compressors[coding].Get().(*compressor)
		defer compressors[coding].Put(s)
		content = s.compress(content)
		w.Header().Set("Content-Encoding", coding)
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(content)))
	w.WriteHeader(status)
	w.Write(content)
}

// identity is the coding of what is not compressed.
const identity = "identity"

// chosenCoding returns the smallest coding that an Accept-Encoding header accepts.
// A client that says nothing gets identity, which is always possible.
func chosenCoding(header string) string {
	for _, coding := range []string{"br", "gzip"} {
		if accepts(header, coding) {
			return coding
		}
	}
	return identity
}

// accepts reports whether an Accept-Encoding header accepts a coding: it, or *,
// is named with a weight above zero (RFC 9110, 12.5.3).
func accepts(header, coding string) bool {
	named, star := -1.0, -1.0
	for part := range strings.SplitSeq(header, ",") {
		name, parameter, _ := strings.Cut(part, ";")
		weight := 1.0
		if q, ok := strings.CutPrefix(
			strings.ReplaceAll(strings.ToLower(parameter), " ", ""), "q=",
		); ok {
			parsed, err := strconv.ParseFloat(q, 64)
			if err != nil {
				parsed = 0
			}
			weight = parsed
		}
		switch strings.ToLower(strings.TrimSpace(name)) {
		case coding:
			named = weight
		case "*":
			star = weight
		}
	}
	if named >= 0 {
		return named > 0
	}
	return star > 0
}
