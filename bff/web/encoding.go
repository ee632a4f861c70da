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

// Pages and QR codes are compressed for each request. The BREACH attack does not apply: browsers
// send no credentials that change these answers, and the pages hold no CSRF tokens. An
// attacker who can make a browser request a page knows its URL and could request it directly.
// /v1, whose answers depend on a key, is never compressed.

// A page of 15 kB becomes 4 kB in 0.2 ms; the next higher qualities take ten times as long.
const (
	brotliQuality = 5
	gzipQuality   = 6
)

// compressor reuses its memory.
type compressor struct {
	w interface {
		io.WriteCloser
		Reset(io.Writer)
	}
	out bytes.Buffer
}

// compressors has idle ones, by content coding.
var compressors = map[string]*sync.Pool{
	"br": {New: func() any { return &compressor{w: brotli.NewWriterLevel(nil, brotliQuality)} }},
	"gzip": {New: func() any {
		w, _ := gzip.NewWriterLevel(nil, gzipQuality) // the level is valid
		return &compressor{w: w}
	}},
}

// compress returns memory that the next call overwrites.
func (s *compressor) compress(content []byte) []byte {
	s.out.Reset()
	s.w.Reset(&s.out)
	_, _ = s.w.Write(content) // into memory
	s.w.Close()
	return s.out.Bytes()
}

func compress(coding string, content []byte) []byte {
	s := compressors[coding].Get().(*compressor)
	defer compressors[coding].Put(s)
	return bytes.Clone(s.compress(content))
}

// Send answers with content in the smallest coding that the client accepts. It ignores write
// errors: the client has disconnected.
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

const identity = "identity"

// chosenCoding returns the smallest coding that an Accept-Encoding header accepts; without the
// header, identity.
func chosenCoding(header string) string {
	for _, coding := range []string{"br", "gzip"} {
		if accepts(header, coding) {
			return coding
		}
	}
	return identity
}

// accepts reports whether an Accept-Encoding header has a coding, or *, with a weight above
// zero. Source: RFC 9110, 12.5.3.
func accepts(header, coding string) bool {
	named, star := -1.0, -1.0
	for part := range strings.SplitSeq(header, ",") {
		name, parameter, _ := strings.Cut(part, ";")
		weight := 1.0
		parameter = strings.ReplaceAll(strings.ToLower(parameter), " ", "")
		if q, ok := strings.CutPrefix(parameter, "q="); ok {
			weight = 0
			if parsed, err := strconv.ParseFloat(q, 64); err == nil {
				weight = parsed
			}
		}
		switch strings.ToLower(strings.TrimSpace(name)) {
		case coding:
			named = weight
		case "*":
			star = weight
		}
	}
	return named > 0 || named < 0 && star > 0
}
