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

const (
	// brotliQuality makes 12 kB of a framed page of 39 kB; lower ones make more than 12.8 kB, and
	// the next higher qualities save a few bytes.
	brotliQuality = 5
	// brotliWindow is the logarithm of the distance of matches, in bytes: 64 kB hold a page.
	brotliWindow = 16
	// minCompressed is the smallest content that is compressed, in bytes: smaller ones fit into
	// one packet as they are.
	minCompressed = 1000
)

// Send answers with content, in the smallest coding that the client accepts unless content is
// small. The kind of the answer has to vary by Accept-Encoding. It ignores write errors: the
// client has disconnected.
func Send(w http.ResponseWriter, r *http.Request, status int, content []byte) {
	coding := identity
	if len(content) >= minCompressed {
		coding = chosenCoding(r.Header.Get("Accept-Encoding"))
	}
	send(w, status, coding, compress(coding, content))
}

// send answers with a body that is in a coding.
func send(w http.ResponseWriter, status int, coding string, body []byte) {
	if coding != identity {
		w.Header().Set("Content-Encoding", coding)
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	w.Write(body)
}

// compressors are used again: a new one takes 0.9 MB, and with it a page twice the time.
var compressors = sync.Pool{New: func() any {
	options := brotli.WriterOptions{Quality: brotliQuality, LGWin: brotliWindow}
	return brotli.NewWriterOptions(nil, options)
}}

// compress returns content in a coding.
func compress(coding string, content []byte) []byte {
	var body bytes.Buffer
	var w io.WriteCloser
	switch coding {
	case "br":
		compressor := compressors.Get().(*brotli.Writer)
		defer compressors.Put(compressor)
		compressor.Reset(&body)
		w = compressor
	case "gzip":
		w = gzip.NewWriter(&body)
	default:
		return content
	}

	_, _ = w.Write(content) // into memory
	_ = w.Close()
	return body.Bytes()
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
	named := -1.0
	star := -1.0
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
